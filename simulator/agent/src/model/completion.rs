//! What the model answered.

use crate::{Message, ToolCall, message::Verbatim};

/// Tokens that a turn cost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Usage {
    /// Prompt tokens that were not read from a cache.
    pub input: u64,
    /// Completion tokens.
    pub output: u64,
    /// Prompt tokens that were read from a cache.
    pub cache_read: u64,
    /// Prompt tokens that were written to a cache.
    pub cache_write: u64,
}

/// What the model answered in one turn.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Completion {
    /// Its text, possibly empty.
    pub text: String,
    /// The tools that it asked for, in order.
    pub calls: Vec<ToolCall>,
    /// The answer in the words of its wire, where the wire wants it back as it came.
    pub verbatim: Option<Verbatim>,
    /// The provider's finish token: `stop`, `tool_use`, `completed`.
    pub finish: String,
    /// What it cost; zero where the provider says nothing.
    pub usage: Usage,
}

impl Completion {
    /// The finish reason in the words of the runtime: `toolUse` or `stop`. An answer that was cut off is no
    /// completion but an error.
    pub fn finish_reason(&self) -> &'static str {
        if self.calls.is_empty() { "stop" } else { "toolUse" }
    }

    /// The answer as the next message of the conversation.
    pub fn to_message(&self) -> Message {
        Message::Assistant {
            text: self.text.clone(),
            calls: self.calls.clone(),
            verbatim: self.verbatim.clone(),
        }
    }
}
