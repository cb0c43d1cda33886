//! Tools over the workspace, named as agents know them.
//!
//! Results are bounded in size, patterns in what they may cost. Nothing here touches the host.

mod arguments;
mod bash;
mod bounds;
mod edit;
mod glob;
mod grep;
mod pattern;
mod read;
mod write;

pub use bash::{Bash, Command, CommandEnd, CommandWatch, Commands, Reaction, Unwatched};
pub use edit::Edit;
pub use glob::Glob;
pub use grep::Grep;
pub use pattern::{BadPattern, Pattern};
pub use read::Read;
pub use write::Write;
