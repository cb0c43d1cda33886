//! Turns: a message goes to a loop, and its answer becomes events.

mod looped;
mod policy;
mod run;
mod scripted;
mod stage;
mod submit;
mod turn;

pub use looped::Looped;
pub use policy::{Going, Settled, TurnRules, Wrap, resting, settle, submit};
pub use scripted::Scripted;
pub use stage::Stage;
pub use submit::{Conforms, SUBMIT, conforms};
pub use turn::{Answer, Answering, Submit, TurnError, TurnRequest, Turns};

pub(crate) use run::{begin, end, interrupt};
