//! Anthropic Messages.

use std::collections::BTreeMap;

use serde_json::Value;

use super::{
    Fold, Folded, count, error_of,
    part::{Call, Part},
    text,
};
use crate::script::{ErrorEvent, FinishReason, ReasoningField, Usage};

/// The key under which arguments stand that are no JSON.
const NO_JSON: &str = "INVALID_JSON";

/// Reads events.
#[derive(Debug, Default)]
pub(super) struct Messages {
    id: Option<String>,
    parts: BTreeMap<u64, Part>,
    finish: Option<FinishReason>,
    counts: Counts,
    error: Option<ErrorEvent>,
    is_over: bool,
    left_out: Vec<String>,
    held: usize,
}

impl Fold for Messages {
    fn take(&mut self, event: &Value) -> Result<(), String> {
        let index = event["index"].as_u64();
        match event["type"].as_str().unwrap_or_default() {
            "message_start" => {
                self.id = text(&event["message"], "id").map(str::to_owned);
                self.counts.take(&event["message"]["usage"]);
            }
            "content_block_start" => {
                let index = index.unwrap_or(self.parts.len() as u64);
                if let Some(part) = block(&event["content_block"], &mut self.left_out) {
                    self.parts.insert(index, part);
                }
            }
            "content_block_delta" => {
                let last = self.parts.last_key_value().map(|(index, _)| *index);
                let part = index.or(last).and_then(|index| self.parts.get_mut(&index));
                if let Some(part) = part {
                    self.held += add(part, &event["delta"]);
                }
            }
            "message_delta" => {
                self.counts.take(&event["usage"]);
                if let Some(reason) = event["delta"]["stop_reason"].as_str() {
                    self.finish = Some(finish(reason, &mut self.left_out));
                }
            }
            "message_stop" => self.is_over = true,
            "error" => {
                self.error = Some(error_of(event));
                self.is_over = true;
            }
            _ => {}
        }
        Ok(())
    }

    fn is_whole(&self) -> bool {
        self.finish.is_some() || self.error.is_some()
    }

    fn is_over(&self) -> bool {
        self.is_over
    }

    fn held(&self) -> usize {
        self.held
    }

    fn folded(&mut self) -> Folded {
        Folded {
            id: self.id.take(),
            blocks: std::mem::take(&mut self.parts).into_values().map(ended).map(Part::block).collect(),
            finish: self.finish,
            usage: self.counts.usage(),
            error: self.error.take(),
            reasoning_field: ReasoningField::default(),
            left_out: std::mem::take(&mut self.left_out),
        }
    }
}

/// An answer in one piece.
pub(super) fn whole(body: &Value) -> Result<Folded, String> {
    let content = body.get("content").and_then(Value::as_array).ok_or("the answer has no `content`")?;
    let mut messages = Messages { id: text(body, "id").map(str::to_owned), ..Messages::default() };
    let parts = content.iter().filter_map(|one| block(one, &mut messages.left_out));
    messages.parts = (0..).zip(parts.collect::<Vec<_>>()).collect();
    messages.finish = body["stop_reason"].as_str().map(|reason| finish(reason, &mut messages.left_out));
    messages.counts.take(&body["usage"]);
    Ok(messages.folded())
}

/// A block in the end: arguments of which nothing was told are an empty object.
fn ended(mut part: Part) -> Part {
    if let Part::Call(call) = &mut part
        && call.arguments.is_empty()
    {
        call.arguments.push_str("{}");
    }
    part
}

/// A block as it begins, or all of it.
fn block(block: &Value, left_out: &mut Vec<String>) -> Option<Part> {
    let said = |field: &str| text(block, field).unwrap_or_default().to_owned();
    match block["type"].as_str().unwrap_or_default() {
        "text" => Some(Part::Text(said("text"))),
        "thinking" => Some(Part::Thinking {
            text: said("thinking"),
            signature: said("signature"),
            encrypted: String::new(),
        }),
        "tool_use" => {
            let input = &block["input"];
            let arguments = match input.as_object() {
                // What is to come in fragments begins as an empty object.
                None => String::new(),
                Some(fields) if fields.is_empty() => String::new(),
                Some(fields) => {
                    match fields.get(NO_JSON).and_then(Value::as_str).filter(|_| fields.len() == 1) {
                        Some(text) => text.to_owned(),
                        None => input.to_string(),
                    }
                }
            };
            Some(Part::Call(Call { id: said("id"), name: said("name"), arguments }))
        }
        other => {
            let what = format!("a block of type `{other}`");
            if !left_out.contains(&what) {
                left_out.push(what);
            }
            None
        }
    }
}

/// Adds a fragment to its block, and says how long it is.
fn add(part: &mut Part, delta: &Value) -> usize {
    let piece = |field: &str| text(delta, field).unwrap_or_default();
    let (whole, piece) = match (part, delta["type"].as_str().unwrap_or_default()) {
        (Part::Text(text), "text_delta") => (text, piece("text")),
        (Part::Thinking { text, .. }, "thinking_delta") => (text, piece("thinking")),
        (Part::Thinking { signature, .. }, "signature_delta") => (signature, piece("signature")),
        (Part::Call(call), "input_json_delta") => (&mut call.arguments, piece("partial_json")),
        _ => return 0,
    };
    whole.push_str(piece);
    piece.len()
}

fn finish(reason: &str, left_out: &mut Vec<String>) -> FinishReason {
    match reason {
        "tool_use" => FinishReason::ToolCalls,
        "max_tokens" | "model_context_window_exceeded" => FinishReason::Length,
        "refusal" => FinishReason::ContentFilter,
        "pause_turn" => {
            left_out.push("the stop reason `pause_turn`".to_owned());
            FinishReason::Stop
        }
        _ => FinishReason::Stop,
    }
}

/// Token counts, of which later ones replace earlier ones and those that are left out stay.
#[derive(Clone, Copy, Debug, Default)]
struct Counts {
    input: Option<u64>,
    output: Option<u64>,
    read: Option<u64>,
    written: Option<u64>,
    thinking: Option<u64>,
}

impl Counts {
    fn take(&mut self, usage: &Value) {
        let told = |before: Option<u64>, pointer: &str| count(usage, pointer).or(before);
        *self = Self {
            input: told(self.input, "/input_tokens"),
            output: told(self.output, "/output_tokens"),
            read: told(self.read, "/cache_read_input_tokens"),
            written: told(self.written, "/cache_creation_input_tokens"),
            thinking: told(self.thinking, "/output_tokens_details/thinking_tokens"),
        };
    }

    fn usage(&self) -> Option<Usage> {
        let (read, written) = (self.read.unwrap_or(0), self.written.unwrap_or(0));
        Some(Usage {
            // On this wire what the cache read or wrote is counted apart.
            input_tokens: self.input?.saturating_add(read).saturating_add(written),
            output_tokens: self.output.unwrap_or(0),
            cached_tokens: read,
            cache_write_tokens: written,
            reasoning_tokens: self.thinking.unwrap_or(0),
        })
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::script::{Block, Thinking, ToolCall};

    #[test]
    fn fragments_go_to_their_blocks() {
        let mut messages = Messages::default();
        let start = |index: u64, block: Value| json!({"type": "content_block_start", "index": index, "content_block": block});
        let delta = |index: u64, kind: &str, field: &str, piece: &str| json!({"type": "content_block_delta", "index": index, "delta": {"type": kind, field: piece}});
        for event in [
            json!({"type": "message_start", "message": {"id": "msg_1", "usage": {"input_tokens": 5, "cache_read_input_tokens": 7, "output_tokens": 1}}}),
            json!({"type": "ping"}),
            start(0, json!({"type": "thinking", "thinking": ""})),
            delta(0, "thinking_delta", "thinking", "Let me."),
            delta(0, "signature_delta", "signature", "c2ln"),
            json!({"type": "content_block_stop", "index": 0}),
            start(1, json!({"type": "redacted_thinking", "data": "x"})),
            start(2, json!({"type": "text", "text": ""})),
            start(3, json!({"type": "tool_use", "id": "toolu_1", "name": "read", "input": {}})),
            delta(2, "text_delta", "text", "On it."),
            delta(3, "input_json_delta", "partial_json", ""),
            delta(3, "input_json_delta", "partial_json", "{\"n\":1}"),
            delta(9, "text_delta", "text", "to nobody"),
            json!({"type": "message_delta", "delta": {"stop_reason": "tool_use"}, "usage": {"output_tokens": 20}}),
        ] {
            messages.take(&event).unwrap();
        }
        assert!(messages.is_whole() && !messages.is_over());
        messages.take(&json!({"type": "message_stop"})).unwrap();
        assert!(messages.is_over());
        let folded = messages.folded();
        let thought = Thinking { signature: Some("c2ln".into()), ..Thinking::from("Let me.") };
        assert_eq!(
            folded.blocks,
            [
                Block::Thinking(thought),
                Block::Text("On it.".into()),
                Block::ToolCall(ToolCall::new("toolu_1", "read", json!({"n": 1}))),
            ]
        );
        assert_eq!(folded.left_out, ["a block of type `redacted_thinking`"]);
        let usage = folded.usage.unwrap();
        assert_eq!((usage.input_tokens, usage.cached_tokens, usage.output_tokens), (12, 7, 20));
    }

    #[test]
    fn an_error_inside_a_stream_is_kept() {
        let mut messages = Messages::default();
        let error = json!({"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}});
        messages.take(&error).unwrap();
        let error = messages.folded().error.unwrap();
        assert_eq!(
            (error.kind.as_deref(), error.message.as_deref()),
            (Some("overloaded_error"), Some("Overloaded"))
        );
    }
}
