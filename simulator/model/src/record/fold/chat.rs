//! Chat Completions.

use serde_json::Value;

use super::{
    Fold, Folded, count, error_of,
    part::{Call, Part},
    text,
};
use crate::script::{ErrorEvent, FinishReason, ReasoningField, Usage};

/// The fields that carry reasoning; of two in one delta, the first counts.
const REASONING: [ReasoningField; 3] =
    [ReasoningField::ReasoningContent, ReasoningField::Reasoning, ReasoningField::ReasoningText];

/// Reads chunks. Of several choices the first is read.
#[derive(Debug, Default)]
pub(super) struct Chat {
    id: Option<String>,
    parts: Vec<Part>,
    /// For each call its index on the wire and its place among the parts.
    calls: Vec<(u64, usize)>,
    /// Whether an empty content was told.
    speaks: bool,
    finish: Option<FinishReason>,
    usage: Option<Usage>,
    error: Option<ErrorEvent>,
    reasoning_field: ReasoningField,
    left_out: Vec<String>,
    held: usize,
}

impl Fold for Chat {
    fn take(&mut self, chunk: &Value) -> Result<(), String> {
        if chunk.get("error").is_some_and(|error| !error.is_null()) {
            self.error = Some(error_of(chunk));
            return Ok(());
        }
        if let Some(id) = text(chunk, "id") {
            self.id = Some(id.to_owned());
        }
        if let Some(usage) = chunk.get("usage").filter(|usage| usage.is_object()) {
            self.usage = Some(tokens(usage));
        }
        let choices = chunk.get("choices").and_then(Value::as_array);
        for choice in choices.into_iter().flatten() {
            if choice["index"].as_u64().unwrap_or(0) != 0 {
                self.leave_out("choices besides the first");
                continue;
            }
            self.message(&choice["delta"]);
            if let Some(reason) = choice["finish_reason"].as_str() {
                self.finish = Some(finish(reason));
            }
        }
        Ok(())
    }

    fn is_whole(&self) -> bool {
        self.finish.is_some() || self.error.is_some()
    }

    fn is_over(&self) -> bool {
        // Usage may follow the reason for the end; what follows is told by `[DONE]`.
        self.error.is_some()
    }

    fn held(&self) -> usize {
        self.held
    }

    fn folded(&mut self) -> Folded {
        let has_text = self.parts.iter().any(|part| matches!(part, Part::Text(_)));
        if self.speaks && !has_text {
            self.parts.insert(0, Part::Text(String::new()));
        }
        Folded {
            id: self.id.take(),
            blocks: std::mem::take(&mut self.parts).into_iter().map(Part::block).collect(),
            finish: self.finish,
            usage: self.usage,
            error: self.error.take(),
            reasoning_field: self.reasoning_field,
            left_out: std::mem::take(&mut self.left_out),
        }
    }
}

impl Chat {
    /// A delta, or a message that is whole.
    fn message(&mut self, message: &Value) {
        for field in REASONING {
            if let Some(piece) = text(message, field.word()) {
                self.reasoning_field = field;
                self.think(piece);
                break;
            }
        }
        match &message["content"] {
            Value::String(piece) => self.say(piece),
            Value::Array(parts) => {
                for part in parts {
                    match (text(part, "text"), text(part, "refusal")) {
                        (Some(piece), _) => self.say(piece),
                        (None, Some(piece)) => self.refuse(piece),
                        (None, None) => {}
                    }
                }
            }
            _ => {}
        }
        if let Some(piece) = text(message, "refusal") {
            self.refuse(piece);
        }
        for call in message["tool_calls"].as_array().into_iter().flatten() {
            self.call(call);
        }
        let function = &message["function_call"];
        if function.is_object() {
            self.call(&serde_json::json!({"index": 0, "function": function}));
        }
        if message.get("audio").is_some_and(Value::is_object) {
            self.leave_out("audio");
        }
    }

    fn say(&mut self, piece: &str) {
        self.speaks = true;
        self.held += piece.len();
        match self.parts.last_mut() {
            Some(Part::Text(text)) => text.push_str(piece),
            _ if piece.is_empty() => {}
            _ => self.parts.push(Part::Text(piece.to_owned())),
        }
    }

    fn refuse(&mut self, piece: &str) {
        self.held += piece.len();
        match self.parts.last_mut() {
            Some(Part::Refusal(text)) => text.push_str(piece),
            _ => self.parts.push(Part::Refusal(piece.to_owned())),
        }
    }

    fn think(&mut self, piece: &str) {
        self.held += piece.len();
        match self.parts.last_mut() {
            Some(Part::Thinking { text, .. }) => text.push_str(piece),
            _ => self.parts.push(Part::thought(piece)),
        }
    }

    /// A fragment of a call. Some servers leave the index out, and some repeat id and name every time.
    fn call(&mut self, fragment: &Value) {
        let id = text(fragment, "id").unwrap_or_default();
        let place = self.place_of(fragment["index"].as_u64(), id);
        let Some(Part::Call(call)) = self.parts.get_mut(place) else { return };
        let function = &fragment["function"];
        if call.id.is_empty() {
            call.id.push_str(id);
        }
        if call.name.is_empty() {
            call.name.push_str(text(function, "name").unwrap_or_default());
        }
        match &function["arguments"] {
            Value::String(piece) => call.arguments.push_str(piece),
            Value::Null => {}
            // Some servers send the value itself.
            value => call.arguments.push_str(&value.to_string()),
        }
        self.held += fragment["function"]["arguments"].as_str().map_or(16, str::len) + id.len();
    }

    /// Where the call of a fragment stands among the parts; it is put there when it is new.
    fn place_of(&mut self, index: Option<u64>, id: &str) -> usize {
        let known = match index {
            Some(index) => self.calls.iter().find(|(known, _)| *known == index).map(|(_, place)| *place),
            None if id.is_empty() => self.calls.last().map(|(_, place)| *place),
            None => {
                let has_id = |place: usize| matches!(&self.parts[place], Part::Call(call) if call.id == id);
                self.calls.iter().map(|(_, place)| *place).find(|place| has_id(*place))
            }
        };
        known.unwrap_or_else(|| {
            let place = self.parts.len();
            self.parts.push(Part::Call(Call::default()));
            let next = self.calls.iter().map(|(index, _)| index.saturating_add(1)).max().unwrap_or(0);
            self.calls.push((index.unwrap_or(next), place));
            place
        })
    }

    fn leave_out(&mut self, what: &str) {
        if !self.left_out.iter().any(|known| known == what) {
            self.left_out.push(what.to_owned());
        }
    }
}

/// An answer in one piece.
pub(super) fn whole(body: &Value) -> Result<Folded, String> {
    let choices = body.get("choices").and_then(Value::as_array);
    let choice = choices.and_then(|choices| choices.first()).ok_or("the answer has no `choices`")?;
    if !choice["message"].is_object() {
        return Err("the first of the `choices` has no `message`".to_owned());
    }
    let mut chat = Chat { id: text(body, "id").map(str::to_owned), ..Chat::default() };
    chat.message(&choice["message"]);
    chat.finish = choice["finish_reason"].as_str().map(finish);
    chat.usage = body.get("usage").filter(|usage| usage.is_object()).map(tokens);
    if choices.is_some_and(|choices| choices.len() > 1) {
        chat.leave_out("choices besides the first");
    }
    Ok(chat.folded())
}

/// Reasons that only some servers know are an ordinary end.
fn finish(reason: &str) -> FinishReason {
    match reason {
        "tool_calls" | "function_call" | "tool_use" => FinishReason::ToolCalls,
        "length" | "max_tokens" => FinishReason::Length,
        "content_filter" => FinishReason::ContentFilter,
        _ => FinishReason::Stop,
    }
}

fn tokens(usage: &Value) -> Usage {
    let count = |pointer| count(usage, pointer).unwrap_or(0);
    Usage {
        input_tokens: count("/prompt_tokens"),
        output_tokens: count("/completion_tokens"),
        cached_tokens: count("/prompt_tokens_details/cached_tokens"),
        cache_write_tokens: count("/prompt_tokens_details/cache_write_tokens"),
        reasoning_tokens: count("/completion_tokens_details/reasoning_tokens"),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::script::{Block, Thinking, ToolCall};

    fn folded(chunks: &[Value]) -> Folded {
        let mut chat = Chat::default();
        for chunk in chunks {
            chat.take(chunk).unwrap();
        }
        assert!(chat.is_whole());
        chat.folded()
    }

    fn delta(delta: Value) -> Value {
        json!({"id": "chatcmpl-1", "choices": [{"index": 0, "delta": delta, "finish_reason": null}], "usage": null})
    }

    fn end(reason: &str) -> Value {
        json!({"choices": [{"index": 0, "delta": {}, "finish_reason": reason}]})
    }

    #[test]
    fn fragments_are_joined_and_interleaved_calls_kept_apart() {
        let folded = folded(&[
            delta(json!({"role": "assistant", "content": null})),
            delta(json!({"reasoning": "Let "})),
            delta(json!({"reasoning": "me."})),
            delta(json!({"content": "On "})),
            delta(json!({"content": "it."})),
            delta(
                json!({"tool_calls": [{"index": 0, "id": "a", "type": "function", "function": {"name": "read", "arguments": ""}}]}),
            ),
            delta(
                json!({"tool_calls": [{"index": 1, "id": "b", "function": {"name": "read", "arguments": "{\"n\""}}]}),
            ),
            delta(
                json!({"tool_calls": [{"index": 0, "function": {"arguments": "{}"}}, {"index": 1, "function": {"arguments": ": 1}"}}]}),
            ),
            end("tool_calls"),
            json!({"choices": [], "usage": {"prompt_tokens": 9, "completion_tokens": 4, "prompt_tokens_details": {"cached_tokens": 3}}}),
        ]);
        let call = |id: &str| ToolCall::with_text(id, "read", "{\"n\": 1}");
        assert_eq!(
            folded.blocks,
            [
                Block::Thinking("Let me.".into()),
                Block::Text("On it.".into()),
                Block::ToolCall(ToolCall::new("a", "read", json!({}))),
                Block::ToolCall(call("b")),
            ]
        );
        assert_eq!(
            (folded.id.as_deref(), folded.finish),
            (Some("chatcmpl-1"), Some(FinishReason::ToolCalls))
        );
        assert_eq!(folded.reasoning_field, ReasoningField::Reasoning);
        assert_eq!(
            folded.usage,
            Some(Usage { input_tokens: 9, output_tokens: 4, cached_tokens: 3, ..tokens(&json!({})) })
        );
    }

    #[test]
    fn servers_that_bend_the_rules_are_understood() {
        // No index, and id and name in every fragment.
        let bent = |arguments: &str| {
            delta(json!({"tool_calls": [{"id": "a", "function": {"name": "read", "arguments": arguments}}]}))
        };
        let read = folded(&[bent("{"), bent("}"), end("function_call")]);
        assert_eq!(read.blocks, [Block::ToolCall(ToolCall::new("a", "read", json!({})))]);
        // Neither index nor id after the first fragment, and no id at all.
        let nameless = delta(json!({"tool_calls": [{"function": {"arguments": "{}"}}]}));
        let named = delta(json!({"tool_calls": [{"function": {"name": "read"}}]}));
        let read = folded(&[named, nameless, end("eos")]);
        let call = ToolCall { id: None, ..ToolCall::new("", "read", json!({})) };
        assert_eq!((read.blocks, read.finish), (vec![Block::ToolCall(call)], Some(FinishReason::Stop)));
        // Arguments as a value, contents as parts, the old form of a call.
        let whole = whole(&json!({"choices": [{"message": {
            "content": [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}],
            "tool_calls": [{"id": "a", "function": {"name": "read", "arguments": {"n": 1}}}],
        }, "finish_reason": "stop"}]}));
        let call = ToolCall::new("a", "read", json!({"n": 1}));
        assert_eq!(whole.unwrap().blocks, [Block::Text("ab".into()), Block::ToolCall(call)]);
    }

    #[test]
    fn an_empty_content_is_told_from_none() {
        let spoken = folded(&[delta(json!({"content": ""})), end("stop")]);
        assert_eq!(spoken.blocks, [Block::Text(String::new())]);
        let silent = folded(&[delta(json!({"content": null, "reasoning_content": "hm"})), end("stop")]);
        assert_eq!(silent.blocks, [Block::Thinking(Thinking::from("hm"))]);
    }

    #[test]
    fn an_error_ends_an_answer() {
        let mut chat = Chat::default();
        chat.take(&delta(json!({"content": "a"}))).unwrap();
        assert!(!chat.is_whole());
        chat.take(&json!({"error": {"message": "no", "type": "overloaded", "code": 529}})).unwrap();
        assert!(chat.is_whole() && chat.is_over());
        let error = chat.folded().error.unwrap();
        assert_eq!(
            (error.message.as_deref(), error.kind.as_deref(), error.code.as_deref()),
            (Some("no"), Some("overloaded"), Some("529"))
        );
    }
}
