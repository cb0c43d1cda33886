//! What a turn answers, in no wire's own words.

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The answer of a turn. It says something: a text (which may be empty), tool calls or a refusal.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Answer {
    /// Text, said before any tool call.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// Tools to call, in order.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tool_calls: Vec<ToolCall>,
    /// Why the answer ends. Left out: `tool_calls` when there are some, else `stop`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub finish_reason: Option<FinishReason>,
    /// Tokens that the answer claims to have cost. Left out: [`Usage::default`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub usage: Option<Usage>,
    /// A refusal, on its own channel.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub refusal: Option<String>,
}

impl Answer {
    /// An answer that says nothing yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Says `text`.
    #[must_use]
    pub fn text(mut self, text: impl Into<String>) -> Self {
        self.text = Some(text.into());
        self
    }

    /// Calls a tool.
    #[must_use]
    pub fn call(mut self, call: ToolCall) -> Self {
        self.tool_calls.push(call);
        self
    }

    /// Ends for this reason, whatever else is said.
    #[must_use]
    pub fn finish_reason(mut self, reason: FinishReason) -> Self {
        self.finish_reason = Some(reason);
        self
    }

    /// Claims these token counts.
    #[must_use]
    pub fn usage(mut self, input_tokens: u64, output_tokens: u64) -> Self {
        self.usage = Some(Usage { input_tokens, output_tokens });
        self
    }

    /// Refuses.
    #[must_use]
    pub fn refusal(mut self, text: impl Into<String>) -> Self {
        self.refusal = Some(text.into());
        self
    }
}

/// One tool call of an answer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ToolCall {
    /// The call's id. Left out: `call_<turn id>_<place in the turn, from 0>`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// The tool's name.
    pub name: String,
    /// Arguments, a JSON object. Left out, with `arguments_text` left out too: `{}`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub arguments: Option<Value>,
    /// Arguments as raw text, for those that are no JSON object.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub arguments_text: Option<String>,
}

impl ToolCall {
    /// A call with an id of its own.
    pub fn new(id: impl Into<String>, name: impl Into<String>, arguments: impl Into<Value>) -> Self {
        Self {
            id: Some(id.into()),
            name: name.into(),
            arguments: Some(arguments.into()),
            arguments_text: None,
        }
    }

    /// A call whose arguments are `text`, JSON or not.
    pub fn with_text(id: impl Into<String>, name: impl Into<String>, text: impl Into<String>) -> Self {
        Self { id: Some(id.into()), name: name.into(), arguments: None, arguments_text: Some(text.into()) }
    }

    /// The id on the wire when this is call number `place` (from 0) of the turn `turn`.
    pub(crate) fn wire_id(&self, turn: &str, place: usize) -> String {
        self.id.clone().unwrap_or_else(|| format!("call_{turn}_{place}"))
    }

    /// The arguments on the wire.
    pub(crate) fn wire_arguments(&self) -> String {
        match (&self.arguments_text, &self.arguments) {
            (Some(text), _) => text.clone(),
            (None, Some(arguments)) => arguments.to_string(),
            (None, None) => "{}".to_owned(),
        }
    }
}

/// Why an answer ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FinishReason {
    /// The model has said what it wanted to say.
    Stop,
    /// The model waits for tool results.
    ToolCalls,
    /// The output limit was reached.
    Length,
    /// A filter cut the answer.
    ContentFilter,
}

impl FinishReason {
    /// The word in scripts and on the Chat Completions wire.
    pub fn word(self) -> &'static str {
        match self {
            Self::Stop => "stop",
            Self::ToolCalls => "tool_calls",
            Self::Length => "length",
            Self::ContentFilter => "content_filter",
        }
    }
}

/// Token counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Usage {
    /// Tokens of the request.
    pub input_tokens: u64,
    /// Tokens of the answer.
    pub output_tokens: u64,
}

impl Default for Usage {
    /// 10 in, 5 out: fixed, so that nothing can be learnt from it about the texts.
    fn default() -> Self {
        Self { input_tokens: 10, output_tokens: 5 }
    }
}
