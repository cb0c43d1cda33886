//! What a turn answers, in no wire's own words.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{Block, Thinking, ToolCall};

/// The answer of a turn. It says something: texts (which may be empty), thoughts, tool calls, a refusal
/// or a structured value.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Answer {
    /// Reasoning, told before all else.
    #[serde(deserialize_with = "super::given", skip_serializing_if = "Option::is_none")]
    pub thinking: Option<Thinking>,
    /// Text, said before any tool call.
    #[serde(deserialize_with = "super::given", skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// Tools to call, in order.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tool_calls: Vec<ToolCall>,
    /// Everything that is said, in this order, in place of the four fields for single things.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub blocks: Vec<Block>,
    /// A value that a schema asks for. It is answered in the way the request wants: as the arguments of
    /// the tool that it forces, else as JSON text.
    #[serde(deserialize_with = "super::given", skip_serializing_if = "Option::is_none")]
    pub structured: Option<Value>,
    /// Whether texts, argument texts and the strings of `structured` are templates that quote the request.
    #[serde(skip_serializing_if = "super::is_false")]
    pub template: bool,
    /// Why the answer ends. Left out: `tool_calls` when there are some, else `stop`.
    #[serde(deserialize_with = "super::given", skip_serializing_if = "Option::is_none")]
    pub finish_reason: Option<FinishReason>,
    /// Tokens that the answer claims to have cost. Left out: [`Usage::default`].
    #[serde(deserialize_with = "super::given", skip_serializing_if = "Option::is_none")]
    pub usage: Option<Usage>,
    /// A refusal, on its own channel.
    #[serde(deserialize_with = "super::given", skip_serializing_if = "Option::is_none")]
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

    /// Thinks before it speaks.
    #[must_use]
    pub fn thinking(mut self, thinking: impl Into<Thinking>) -> Self {
        self.thinking = Some(thinking.into());
        self
    }

    /// Calls a tool.
    #[must_use]
    pub fn call(mut self, call: ToolCall) -> Self {
        self.tool_calls.push(call);
        self
    }

    /// Says `block` after the blocks that were given before.
    #[must_use]
    pub fn block(mut self, block: Block) -> Self {
        self.blocks.push(block);
        self
    }

    /// Answers `value` in the way that the request wants structured output.
    #[must_use]
    pub fn structured(mut self, value: impl Into<Value>) -> Self {
        self.structured = Some(value.into());
        self
    }

    /// Takes texts as templates that quote the request.
    #[must_use]
    pub fn template(mut self) -> Self {
        self.template = true;
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
        self.usage = Some(Usage { input_tokens, output_tokens, ..Usage::default() });
        self
    }

    /// Refuses.
    #[must_use]
    pub fn refusal(mut self, text: impl Into<String>) -> Self {
        self.refusal = Some(text.into());
        self
    }

    /// What is said, in order, `structured` aside.
    pub(crate) fn said(&self) -> Vec<Block> {
        if !self.blocks.is_empty() {
            return self.blocks.clone();
        }
        let thinking = self.thinking.clone().map(Block::Thinking);
        let text = self.text.clone().map(Block::Text);
        let refusal = self.refusal.clone().map(Block::Refusal);
        let calls = self.tool_calls.iter().cloned().map(Block::ToolCall);
        thinking.into_iter().chain(text).chain(refusal).chain(calls).collect()
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
    /// Tokens of the request, those from the cache included.
    pub input_tokens: u64,
    /// Tokens of the answer, those of its reasoning included.
    pub output_tokens: u64,
    /// Tokens of the request that were read from the cache.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub cached_tokens: u64,
    /// Tokens of the request that were written to the cache.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub cache_write_tokens: u64,
    /// Tokens of the answer that were spent on reasoning.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub reasoning_tokens: u64,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "the signature is serde's")]
fn is_zero(count: &u64) -> bool {
    *count == 0
}

impl Default for Usage {
    /// 10 in, 5 out: fixed, so that nothing can be learnt from it about the texts.
    fn default() -> Self {
        Self {
            input_tokens: 10,
            output_tokens: 5,
            cached_tokens: 0,
            cache_write_tokens: 0,
            reasoning_tokens: 0,
        }
    }
}
