//! Answers of a real model, read back from what they looked like on a wire.
//!
//! The readers take what clients take: fields that are missing or of another kind say nothing, unless the answer
//! cannot be told without them.

mod chat;
mod messages;
mod part;
mod responses;

use std::fmt::Debug;

use serde_json::Value;

use crate::script::{Block, ErrorEvent, FinishReason, ReasoningField, Usage, WireName};

/// An answer, read back.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Folded {
    /// Its id, by which a later request may go on from it.
    pub(super) id: Option<String>,
    pub(super) blocks: Vec<Block>,
    pub(super) finish: Option<FinishReason>,
    pub(super) usage: Option<Usage>,
    /// The error that came inside the stream. After how many events is not known yet.
    pub(super) error: Option<ErrorEvent>,
    /// The field that carries reasoning on the Chat Completions wire.
    pub(super) reasoning_field: ReasoningField,
    /// What a script cannot say.
    pub(super) left_out: Vec<String>,
}

/// Reads the events of one answer.
pub(super) trait Fold: Debug + Send {
    /// Takes the data of the next event. `Err` says why the answer cannot be read.
    fn take(&mut self, event: &Value) -> Result<(), String>;

    /// Whether the answer is whole: why it ends was told, or an error came.
    fn is_whole(&self) -> bool;

    /// Whether nothing can follow.
    fn is_over(&self) -> bool;

    /// Bytes that are held.
    fn held(&self) -> usize;

    /// The answer as far as it came.
    fn folded(&mut self) -> Folded;
}

/// A reader of events on a wire.
pub(super) fn events_on(wire: WireName) -> Box<dyn Fold> {
    match wire {
        WireName::Chat => Box::<chat::Chat>::default(),
        WireName::Responses => Box::<responses::Responses>::default(),
        WireName::Messages => Box::<messages::Messages>::default(),
    }
}

/// Reads an answer in one piece.
pub(super) fn whole_on(wire: WireName, body: &Value) -> Result<Folded, String> {
    match wire {
        WireName::Chat => chat::whole(body),
        WireName::Responses => responses::whole(body),
        WireName::Messages => messages::whole(body),
    }
}

/// What an error says, in any wire's envelope and in those that only look like one.
pub(super) fn error_of(body: &Value) -> ErrorEvent {
    let inner = body.get("error").filter(|error| !error.is_null()).unwrap_or(body);
    let text = |value: Option<&Value>| match value? {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    };
    let message =
        text(inner.get("message")).or_else(|| text(Some(inner))).or_else(|| text(body.get("detail")));
    ErrorEvent {
        events: 0,
        kind: text(inner.get("type")).filter(|kind| kind != "error"),
        message,
        code: text(inner.get("code")),
    }
}

/// A count below `value`.
fn count(value: &Value, pointer: &str) -> Option<u64> {
    value.pointer(pointer)?.as_u64()
}

/// A text that says something.
fn text<'a>(value: &'a Value, field: &str) -> Option<&'a str> {
    value.get(field)?.as_str().filter(|text| !text.is_empty())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// Every place of a value.
    fn places(value: &Value, at: &str, found: &mut Vec<String>) {
        found.push(at.to_owned());
        match value {
            Value::Array(items) => {
                items
                    .iter()
                    .enumerate()
                    .for_each(|(index, item)| places(item, &format!("{at}/{index}"), found));
            }
            Value::Object(fields) => {
                fields.iter().for_each(|(name, field)| places(field, &format!("{at}/{name}"), found));
            }
            _ => {}
        }
    }

    /// Events of each wire, each of which says much.
    fn samples(wire: WireName) -> Vec<Value> {
        let call =
            json!({"type": "function_call", "id": "fc", "call_id": "c", "name": "f", "arguments": "{}"});
        match wire {
            WireName::Chat => {
                let delta = json!({
                    "content": [{"text": "a"}], "refusal": "b", "reasoning": "c", "function_call": {"name": "f"},
                    "tool_calls": [{"index": 0, "id": "d", "function": {"name": "f", "arguments": "{"}}],
                });
                let choice = json!({"index": 0, "delta": delta, "finish_reason": "stop"});
                vec![
                    json!({"id": "x", "choices": [choice], "usage": {"prompt_tokens": 1}}),
                    json!({"error": {"message": "m", "type": "t", "code": 1}}),
                ]
            }
            WireName::Responses => vec![
                json!({"type": "response.output_item.added", "output_index": 0, "item": call}),
                json!({"type": "response.output_text.delta", "output_index": 1, "content_index": 0, "delta": "a"}),
                json!({"type": "response.output_item.done", "output_index": 2, "item": {
                    "type": "message", "content": [{"type": "output_text", "text": "a"}]}}),
                json!({"type": "response.output_item.done", "item": {"type": "reasoning", "summary": [{"text": "a"}]}}),
                json!({"type": "response.completed", "response": {"id": "r", "output": [call], "usage": {"input_tokens": 1},
                    "incomplete_details": {"reason": "x"}}}),
                json!({"type": "response.failed", "response": {"error": {"code": "c", "message": "m"}}}),
            ],
            WireName::Messages => vec![
                json!({"type": "message_start", "message": {"id": "m", "usage": {"input_tokens": 1}}}),
                json!({"type": "content_block_start", "index": 0, "content_block": {
                    "type": "tool_use", "id": "c", "name": "f", "input": {"a": 1}}}),
                json!({"type": "content_block_delta", "index": 0, "delta": {
                    "type": "input_json_delta", "partial_json": "{"}}),
                json!({"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": {"output_tokens": 1}}),
                json!({"type": "error", "error": {"type": "t", "message": "m"}}),
            ],
        }
    }

    /// Whatever stands where something else belongs is at worst a reason not to record.
    #[test]
    fn no_event_of_any_shape_is_too_much() {
        let odd = [
            json!(null),
            json!(-1),
            json!(u64::MAX),
            json!(1.5),
            json!("x"),
            json!([]),
            json!([1]),
            json!({"a": 1}),
        ];
        for wire in [WireName::Chat, WireName::Responses, WireName::Messages] {
            let samples = samples(wire);
            for (number, sample) in samples.iter().enumerate() {
                let mut found = Vec::new();
                places(sample, "", &mut found);
                for (place, odd) in found.iter().flat_map(|place| odd.iter().map(move |odd| (place, odd))) {
                    let mut events = samples.clone();
                    *events[number].pointer_mut(place).unwrap() = odd.clone();
                    let mut fold = events_on(wire);
                    for event in events.iter().chain(&events) {
                        let _ = fold.take(event);
                    }
                    let _ = (fold.is_over(), fold.is_whole(), fold.held(), fold.folded());
                    let _ = (whole_on(wire, &events[number]), error_of(&events[number]));
                }
            }
        }
    }
}
