//! What an answer is made of on this wire: messages, calls and reasoning, one item after the other.

use std::ops::Range;

use serde::Serialize;

use super::tools;
use crate::{
    reply::{Reply, Said},
    request::Asked,
    script::FinishReason,
};

/// An item, and the blocks of the answer that it holds. Texts and refusals that follow each other are parts
/// of one message; a call and a thought are items of their own.
#[derive(Debug)]
pub(super) struct Planned {
    pub(super) id: String,
    pub(super) blocks: Range<usize>,
    /// The namespace of the function that is called.
    namespace: Option<String>,
}

/// Divides an answer into items.
pub(super) fn plan(reply: &Reply, asked: &Asked) -> Vec<Planned> {
    let mut items: Vec<Planned> = Vec::new();
    let mut in_message = false;
    for (place, block) in reply.blocks.iter().enumerate() {
        let (prefix, namespace) = match block {
            Said::Text(_) | Said::Refusal(_) => ("msg", None),
            Said::Thinking(_) => ("rs", None),
            Said::ToolCall(call) => ("fc", tools::namespace_of(&asked.body, &call.name)),
        };
        if let Some(message) = items.last_mut().filter(|_| in_message && prefix == "msg") {
            message.blocks.end += 1;
            continue;
        }
        in_message = prefix == "msg";
        let id = format!("{prefix}_{}{:02x}", reply.token, items.len());
        let namespace = namespace.map(str::to_owned);
        items.push(Planned { id, blocks: place..place + 1, namespace });
    }
    items
}

/// An item as it is written.
#[derive(Debug, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(super) enum Item<'a> {
    Message {
        id: &'a str,
        status: &'static str,
        role: &'static str,
        content: Vec<Part<'a>>,
    },
    FunctionCall {
        id: &'a str,
        status: &'static str,
        arguments: &'a str,
        call_id: &'a str,
        name: &'a str,
        #[serde(skip_serializing_if = "Option::is_none")]
        namespace: Option<&'a str>,
    },
    Reasoning {
        id: &'a str,
        summary: Vec<Part<'a>>,
        encrypted_content: &'a str,
    },
}

/// A part of an item as it is written.
#[derive(Debug, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(super) enum Part<'a> {
    OutputText { annotations: [(); 0], logprobs: [(); 0], text: &'a str },
    Refusal { refusal: &'a str },
    SummaryText { text: &'a str },
}

impl<'a> Part<'a> {
    /// A block as a part, with `text` for what it says. A call is none.
    pub(super) fn of(block: &Said, text: &'a str) -> Option<Self> {
        match block {
            Said::Text(_) => Some(Self::OutputText { annotations: [], logprobs: [], text }),
            Said::Refusal(_) => Some(Self::Refusal { refusal: text }),
            Said::Thinking(_) => Some(Self::SummaryText { text }),
            Said::ToolCall(_) => None,
        }
    }
}

/// What a block says.
pub(super) fn text_of(block: &Said) -> &str {
    match block {
        Said::Text(text) | Said::Refusal(text) => text,
        Said::Thinking(thought) => &thought.text,
        Said::ToolCall(call) => &call.arguments,
    }
}

impl Planned {
    /// The item before anything of it has been said.
    pub(super) fn begun<'a>(&'a self, reply: &'a Reply) -> Item<'a> {
        self.item(reply, "in_progress", false)
    }

    /// The item as it stands in the end. The last one of an answer that was cut off is cut off itself.
    pub(super) fn done<'a>(&'a self, reply: &'a Reply) -> Item<'a> {
        let cut = matches!(reply.finish_reason, FinishReason::Length | FinishReason::ContentFilter);
        let status = if cut && self.blocks.end == reply.blocks.len() { "incomplete" } else { "completed" };
        self.item(reply, status, true)
    }

    fn item<'a>(&'a self, reply: &'a Reply, status: &'static str, full: bool) -> Item<'a> {
        let id = &self.id;
        let parts = || {
            let blocks = reply.blocks[self.blocks.clone()].iter().filter(|_| full);
            blocks.filter_map(|block| Part::of(block, text_of(block))).collect()
        };
        match &reply.blocks[self.blocks.start] {
            Said::Text(_) | Said::Refusal(_) => {
                Item::Message { id, status, role: "assistant", content: parts() }
            }
            Said::ToolCall(call) => Item::FunctionCall {
                id,
                status,
                arguments: if full { &call.arguments } else { "" },
                call_id: &call.id,
                name: &call.name,
                namespace: self.namespace.as_deref(),
            },
            // A thought that says nothing has no summary, as when the API keeps it to itself. What stands
            // for it is complete only in the end.
            Said::Thinking(thought) => Item::Reasoning {
                id,
                summary: if thought.text.is_empty() { Vec::new() } else { parts() },
                encrypted_content: if full { &thought.encrypted } else { "" },
            },
        }
    }
}
