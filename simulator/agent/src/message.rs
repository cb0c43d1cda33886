//! What is said in a conversation.

use serde_json::Value;

use crate::model::Dialect;

/// A tool call as the model worded it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ToolCall {
    /// The model's own id for the call.
    pub id: String,
    /// The tool that is asked for.
    pub name: String,
    /// The arguments as text, normally JSON.
    pub arguments: String,
}

/// What a model said in the words of its wire: blocks or items, in order. Thoughts that are signed or
/// encrypted have to go back as they came, so on the wire that they came on these words are sent, and not
/// the text and the calls of the message that they belong to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verbatim {
    /// The wire.
    pub dialect: Dialect,
    /// The blocks or items.
    pub items: Vec<Value>,
}

/// One message of a conversation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Message {
    /// System instructions.
    System(String),
    /// What the user says.
    User(String),
    /// What the model answered.
    Assistant {
        /// Its text, possibly empty.
        text: String,
        /// The tools that it asked for.
        calls: Vec<ToolCall>,
        /// The same in the words of the wire, where the wire wants it back as it came.
        verbatim: Option<Verbatim>,
    },
    /// The result of one tool call.
    Tool {
        /// The id of the call.
        call_id: String,
        /// Its content.
        content: String,
        /// Whether the call failed. Only some wires have a place for that; on the others the content says it.
        is_error: bool,
    },
}
