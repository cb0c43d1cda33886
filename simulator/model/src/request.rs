//! A request in the one form that every wire is read into.

use std::hash::{DefaultHasher, Hash, Hasher};

use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;

use crate::{
    headers::Headers,
    key::{MARKER, marked},
    rejection::Rejection,
};

/// What a request says, whatever wire it came on.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ModelRequest {
    /// The wire: `chat`, `responses` or `messages`.
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
    /// Which tool is to be called.
    #[serde(default, skip_serializing_if = "ToolChoice::is_auto")]
    pub tool_choice: ToolChoice,
    /// The JSON Schema that a text answer is to keep; `true` when any JSON object will do.
    #[serde(default, deserialize_with = "given", skip_serializing_if = "Option::is_none")]
    pub output_schema: Option<Value>,
    /// The answer that this request goes on from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub previous_response_id: Option<String>,
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
    /// The thoughts that an assistant message brings back, in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub thinking: Vec<ThoughtBefore>,
    /// The tools that an assistant message calls.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tool_calls: Vec<CalledTool>,
    /// The call that a tool message answers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool_call_id: Option<String>,
    /// Whether the tool message says that the call failed, on a wire that can say so.
    #[serde(default, skip_serializing_if = "is_false")]
    pub is_error: bool,
}

/// A thought of the model as the conversation tells it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct ThoughtBefore {
    /// What was thought.
    pub text: String,
    /// Its signature on the Messages wire, or what stands for it on the Responses wire.
    pub proof: String,
}

/// A tool call as the conversation tells it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
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

/// Which tool is to be called.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ToolChoice {
    /// The model decides.
    #[default]
    Auto,
    /// None.
    None,
    /// Some tool.
    Required,
    /// The tool of this name.
    Named(String),
}

impl ToolChoice {
    fn is_auto(&self) -> bool {
        *self == Self::Auto
    }
}

impl ModelRequest {
    /// The messages after the last one that the model itself said.
    pub fn news(&self) -> &[Message] {
        let start =
            self.messages.iter().rposition(|message| message.role == "assistant").map_or(0, |last| last + 1);
        &self.messages[start..]
    }

    /// The name of the tool that has to be called: the one that is named, or the only one there is when
    /// some tool has to be.
    pub fn forced_tool(&self) -> Option<&str> {
        match &self.tool_choice {
            ToolChoice::Named(name) => Some(name),
            ToolChoice::Required if self.tools.len() == 1 => Some(&self.tools[0].name),
            _ => None,
        }
    }

    /// Every text of the request, the system text first.
    pub(crate) fn texts(&self) -> impl Iterator<Item = &str> {
        std::iter::once(self.system.as_str()).chain(self.messages.iter().map(|message| message.text.as_str()))
    }

    /// What is the same when a client sends a request again, even on other terms: with another `stream`,
    /// other betas, another model to fall back on, the time in its system text, contents as texts or as parts.
    /// It is what was said, without the key of the session.
    pub(crate) fn identity(&self) -> u64 {
        let mut hash = DefaultHasher::new();
        for message in &self.messages {
            let Message { role, text, tool_calls, tool_call_id, .. } = message;
            (role, tool_calls, tool_call_id).hash(&mut hash);
            hash_text(text, &mut hash);
        }
        hash.finish()
    }
}

/// Hashes a text without the session keys that stand in it.
fn hash_text(text: &str, hash: &mut impl Hasher) {
    let mut markers = marked(text);
    let Some((at, key)) = markers.next() else { return Some(text).hash(hash) };
    Some(&text[..at]).hash(hash);
    let mut rest = at + MARKER.len() + key.len();
    for (at, key) in markers {
        text[rest..at].hash(hash);
        rest = at + MARKER.len() + key.len();
    }
    text[rest..].hash(hash);
}

/// A schema that is given and `null` is no schema that is left out.
fn given<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Value>, D::Error> {
    Value::deserialize(deserializer).map(Some)
}

/// What a wire makes of a request body.
#[derive(Debug)]
pub(crate) struct Understood {
    pub(crate) request: ModelRequest,
    /// Why the real API would refuse it, the first reason first.
    pub(crate) complaints: Vec<Rejection>,
}

/// A request that was understood, with all that came with it.
#[derive(Debug)]
pub(crate) struct Asked {
    pub(crate) request: ModelRequest,
    pub(crate) body: Value,
    pub(crate) headers: Headers,
    pub(crate) complaints: Vec<Rejection>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "the signature is serde's")]
fn is_false(flag: &bool) -> bool {
    !flag
}
