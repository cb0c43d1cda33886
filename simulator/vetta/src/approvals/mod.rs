//! Approvals: calls that are held until somebody decides.

mod holds;
mod policy;
mod resolve;

pub use holds::{Decision, Held, Holds, Verdict};
pub use policy::{Answered, Answering, Approvals, answer, hold};

pub(crate) use policy::{DENIED, denied};
pub(crate) use resolve::{confirm, deny_all};
