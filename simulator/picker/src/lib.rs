//! A reference client of the harness catalogue: it lists what can be chosen, and starts what was picked.

mod choices;
pub mod defects;
mod http;
mod parts;
mod visit;

pub use choices::{Choice, Objection};
pub use http::{Failed, Hand};
pub use parts::{Known, Parts};
pub use visit::{Visit, visit};
