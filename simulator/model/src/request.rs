//! A request in the one form that every wire is read into.

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// What a request says, whatever wire it came on.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ModelRequest {
    /// The wire: `chat`.
    pub wire: String,
    /// The model asked for.
    pub model: String,
    /// Whether the answer is to be streamed.
    pub stream: bool,
    /// System and developer messages, joined by blank lines.
    pub system: String,
    /// The conversation without them, in order.
    pub messages: Vec<Message>,
    /// The tools offered, in order.
    pub tools: Vec<OfferedTool>,
    /// Fields that the wire does not know, as JSON Pointers. They are tolerated.
    pub unknown_fields: Vec<String>,
}

/// One message of the conversation.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Message {
    /// `user`, `assistant` or `tool`.
    pub role: String,
    /// Its text; the texts of several parts are joined by line feeds.
    pub text: String,
    /// The tools that an assistant message calls.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tool_calls: Vec<CalledTool>,
    /// The call that a tool message answers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool_call_id: Option<String>,
}

/// A tool call as the conversation tells it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct CalledTool {
    /// The call's id.
    pub id: String,
    /// The tool's name.
    pub name: String,
    /// The arguments as raw text.
    pub arguments: String,
}

/// A tool that is offered to the model.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct OfferedTool {
    /// Its name.
    pub name: String,
    /// Its description; empty when there is none.
    pub description: String,
    /// The JSON Schema of its arguments; `null` when there is none.
    pub parameters: Value,
}

impl ModelRequest {
    /// The messages after the last one that the model itself said.
    pub fn news(&self) -> &[Message] {
        let start =
            self.messages.iter().rposition(|message| message.role == "assistant").map_or(0, |last| last + 1);
        &self.messages[start..]
    }

    /// Every text of the request, the system text first.
    pub(crate) fn texts(&self) -> impl Iterator<Item = &str> {
        std::iter::once(self.system.as_str()).chain(self.messages.iter().map(|message| message.text.as_str()))
    }
}
