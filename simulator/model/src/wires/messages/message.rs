//! An answer in this wire's words: the message in one piece, and the parts of it that events carry.

use serde::Serialize;
use serde_json::value::RawValue;

use crate::{
    reply::{Reply, Said, SentCall},
    resume::MESSAGE_ID,
    script::{self, FinishReason},
};

/// A message, as it begins or as it is in the end.
#[derive(Serialize)]
pub(super) struct Message<'a> {
    id: String,
    r#type: &'static str,
    role: &'static str,
    model: &'a str,
    content: Vec<Block<'a>>,
    #[serde(flatten)]
    stop: Stop,
    diagnostics: Option<()>,
    #[serde(skip_serializing_if = "Option::is_none")]
    context_management: Option<Managed>,
    usage: Usage,
}

/// Why a message ends; nulls as long as it goes on.
#[derive(Default, Serialize)]
pub(super) struct Stop {
    stop_reason: Option<&'static str>,
    stop_sequence: Option<()>,
    stop_details: Option<Details>,
    container: Option<()>,
}

/// What is told about a refusal: no category fits.
#[derive(Serialize)]
struct Details {
    r#type: &'static str,
    category: Option<()>,
    explanation: Option<()>,
}

/// What was cleared of the conversation: nothing ever is.
#[derive(Serialize)]
pub(super) struct Managed {
    applied_edits: [(); 0],
}

/// A block of the content.
#[derive(Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(super) enum Block<'a> {
    Text { citations: Option<()>, text: &'a str },
    Thinking { thinking: &'a str, signature: &'a str },
    ToolUse { id: &'a str, name: &'a str, input: Input<'a>, caller: Caller },
}

/// Who calls a tool: the model itself, not a program that it wrote.
#[derive(Serialize)]
pub(super) struct Caller {
    r#type: &'static str,
}

const DIRECT: Caller = Caller { r#type: "direct" };

/// The arguments of a call, which are an object on this wire.
#[derive(Serialize)]
#[serde(untagged)]
pub(super) enum Input<'a> {
    /// They are one.
    Object(&'a RawValue),
    /// They are none yet.
    Empty {},
    /// They are something else. The key is the one that the vendor documents for such arguments.
    Broken {
        #[serde(rename = "INVALID_JSON")]
        text: &'a str,
    },
}

impl<'a> Input<'a> {
    fn of(arguments: &'a str) -> Self {
        if arguments.is_empty() {
            return Self::Empty {};
        }
        match serde_json::from_str::<&RawValue>(arguments) {
            Ok(value) if value.get().starts_with('{') => Self::Object(value),
            _ => Self::Broken { text: arguments },
        }
    }
}

/// Token counts. Those that the cache read or wrote are no part of `input_tokens`.
#[derive(Serialize)]
struct Usage {
    #[serde(flatten)]
    counts: Counts,
    cache_creation: CacheCreation,
    service_tier: &'static str,
    inference_geo: Option<()>,
    speed: Option<()>,
}

/// The token counts that change on the way.
#[derive(Serialize)]
pub(super) struct Counts {
    input_tokens: u64,
    cache_creation_input_tokens: u64,
    cache_read_input_tokens: u64,
    output_tokens: u64,
    output_tokens_details: Option<OutputTokens>,
    server_tool_use: Option<()>,
}

#[derive(Serialize)]
struct OutputTokens {
    thinking_tokens: u64,
}

#[derive(Serialize)]
struct CacheCreation {
    ephemeral_5m_input_tokens: u64,
    ephemeral_1h_input_tokens: u64,
}

impl From<script::Usage> for Counts {
    fn from(usage: script::Usage) -> Self {
        let script::Usage {
            input_tokens,
            output_tokens,
            cached_tokens,
            cache_write_tokens,
            reasoning_tokens,
        } = usage;
        Self {
            input_tokens: input_tokens.saturating_sub(cached_tokens).saturating_sub(cache_write_tokens),
            cache_creation_input_tokens: cache_write_tokens,
            cache_read_input_tokens: cached_tokens,
            output_tokens,
            output_tokens_details: Some(OutputTokens { thinking_tokens: reasoning_tokens }),
            server_tool_use: None,
        }
    }
}

impl<'a> Message<'a> {
    /// The message before anything is said.
    pub(super) fn begun(reply: &'a Reply) -> Self {
        let written = reply.usage.cache_write_tokens;
        let counts = Counts {
            output_tokens: reply.usage.output_tokens.min(1),
            output_tokens_details: None,
            ..reply.usage.into()
        };
        Self {
            id: format!("{MESSAGE_ID}{}", reply.token),
            r#type: "message",
            role: "assistant",
            model: &reply.model,
            content: Vec::new(),
            stop: Stop::default(),
            diagnostics: None,
            context_management: None,
            usage: Usage {
                counts,
                cache_creation: CacheCreation {
                    ephemeral_5m_input_tokens: written,
                    ephemeral_1h_input_tokens: 0,
                },
                service_tier: "standard",
                inference_geo: None,
                speed: None,
            },
        }
    }
}

impl Stop {
    /// Why the answer ends. A refusal that the script gives no other reason for is one.
    pub(super) fn of(reply: &Reply) -> Self {
        let refuses = || reply.blocks.iter().any(|block| matches!(block, Said::Refusal(_)));
        let reason = match reply.finish_reason {
            FinishReason::Length => "max_tokens",
            FinishReason::ContentFilter => "refusal",
            FinishReason::ToolCalls => "tool_use",
            FinishReason::Stop if refuses() => "refusal",
            FinishReason::Stop => "end_turn",
        };
        let details = || Details { r#type: "refusal", category: None, explanation: None };
        Self {
            stop_reason: Some(reason),
            stop_details: (reason == "refusal").then(details),
            ..Self::default()
        }
    }
}

impl Managed {
    /// What is told when the request `wants` to know.
    pub(super) fn when(wants: bool) -> Option<Self> {
        wants.then_some(Self { applied_edits: [] })
    }
}

/// Whether something is a block of its own. An empty text is none: the API takes no such block back, so a
/// client that sends the answer back unchanged would be refused.
pub(super) fn is_block(said: &Said) -> bool {
    !matches!(said, Said::Text(text) | Said::Refusal(text) if text.is_empty())
}

/// A block with all that it says.
fn block(said: &Said) -> Block<'_> {
    match said {
        Said::Text(text) | Said::Refusal(text) => Block::Text { citations: None, text },
        Said::Thinking(thought) => Block::Thinking { thinking: &thought.text, signature: &thought.signature },
        Said::ToolCall(SentCall { id, name, arguments }) => {
            Block::ToolUse { id, name, input: Input::of(arguments), caller: DIRECT }
        }
    }
}

/// A block before it says anything.
pub(super) fn empty_block(said: &Said) -> Block<'_> {
    match said {
        Said::Text(_) | Said::Refusal(_) => Block::Text { citations: None, text: "" },
        Said::Thinking(_) => Block::Thinking { thinking: "", signature: "" },
        Said::ToolCall(SentCall { id, name, .. }) => {
            Block::ToolUse { id, name, input: Input::Empty {}, caller: DIRECT }
        }
    }
}

/// The answer in one piece.
pub(super) fn whole(reply: &Reply, manages_context: bool) -> String {
    let begun = Message::begun(reply);
    let message = Message {
        content: reply.blocks.iter().filter(|said| is_block(said)).map(block).collect(),
        stop: Stop::of(reply),
        context_management: Managed::when(manages_context),
        usage: Usage { counts: reply.usage.into(), ..begun.usage },
        ..begun
    };
    // Texts, numbers and JSON that was read: nothing in here can fail to be written.
    serde_json::to_string(&message).unwrap_or_default()
}
