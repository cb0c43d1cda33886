//! Scripts: what the fake model answers to what.
//!
//! The format is described in the room's README and in `spec/control/script.schema.json`.

mod answer;
mod block;
mod conditions;
mod conversation;
mod document;
mod effort;
mod error;
mod example;
mod explain;
mod fault;
mod index;
mod json;
mod places;
mod reading;
mod rules;
mod stream;
mod tags;
pub(crate) mod template;
mod turn;

use serde::{Deserialize, Deserializer};

pub use answer::{Answer, FinishReason, Usage};
pub use block::{Block, Thinking, ToolCall};
pub use conditions::{Conditions, HeaderCondition, JsonCondition, Role, Texts, WireName};
pub use conversation::{Client, Conversation};
pub use document::{FORMAT_VERSION, Script};
pub(crate) use error::suggest;
pub use error::{Problem, ScriptError};
pub(crate) use explain::BEGINNING;
pub(crate) use fault::Wrong;
pub use fault::{BrokenArguments, ErrorEvent, ErrorStatus, Fault, Oversized, Slow};
pub(crate) use places::Places;
pub(crate) use reading::read;
pub(crate) use rules::{broken_conditions, event_names, is_id};
pub use stream::{LineEnds, ReasoningField, Stream};
pub use turn::Turn;

/// A field that is given has a value: `null` is one only where any JSON is.
fn given<'de, T: Deserialize<'de>, D: Deserializer<'de>>(deserializer: D) -> Result<Option<T>, D::Error> {
    T::deserialize(deserializer).map(Some)
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "the signature is serde's")]
fn is_false(flag: &bool) -> bool {
    !flag
}
