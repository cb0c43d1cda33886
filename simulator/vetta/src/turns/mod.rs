//! Turns: a message goes to a loop, and its answer becomes events.

mod policy;
mod run;
mod scripted;
mod turn;

pub use policy::{Settled, TurnRules, Wrap, settle, submit};
pub use scripted::Scripted;
pub use turn::{Answer, Answering, Deltas, Submit, TurnError, TurnRequest, Turns};

pub(crate) use run::{begin, cancel};
