//! Scripts: what the fake model answers to what.
//!
//! The format is described in the room's README and in `spec/control/script.schema.json`.

mod answer;
mod conditions;
mod document;
mod error;
mod places;
mod rules;
mod turn;

pub use answer::{Answer, FinishReason, ToolCall, Usage};
pub use conditions::{Conditions, JsonCondition, Texts};
pub use document::{FORMAT_VERSION, Script};
pub(crate) use error::suggest;
pub use error::{Problem, ScriptError};
pub(crate) use rules::is_id;
pub use turn::Turn;
