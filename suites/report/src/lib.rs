//! Reports of a run: JSON, JUnit, and the text of a console.
//!
//! Everything here reads outcomes and decides nothing.

mod claims;
mod document;
mod explain;
mod folder;
mod junit;
mod summary;
mod timeline;
mod timing;

pub use claims::claim_table;
pub use document::{CheckLine, Preflight, Report, RequirementLine, Suite};
pub use explain::{Replay, explain, headline, one_line};
pub use folder::{FolderError, RunFolder};
pub use junit::junit;
pub use summary::{ContractLine, Summary};
pub use timeline::bars;
pub use timing::{SlowCheck, Timing};
