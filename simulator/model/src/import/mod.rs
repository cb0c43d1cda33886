//! Fixture files of other fake models, read into scripts.
//!
//! The other tools answer with the first rule that holds, as often as it holds; so a rule becomes a turn that
//! repeats. A rule that is for one request of a conversation becomes a turn that answers once. What has no
//! equivalent is named in a [`Note`].

mod aimock;
mod error;
mod fakellm;
mod format;
mod rule;
mod source;

use crate::script::Script;

pub use aimock::aimock;
pub use error::{ImportError, Note};
pub use fakellm::fakellm;
pub use format::{Format, file};

/// What came of a file.
#[derive(Clone, Debug, PartialEq)]
pub struct Imported {
    /// The script.
    pub script: Script,
    /// What has no equivalent, in the order of the file.
    pub notes: Vec<Note>,
}
