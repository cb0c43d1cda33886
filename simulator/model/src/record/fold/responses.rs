//! OpenAI Responses.

use std::collections::BTreeMap;

use serde_json::Value;

use super::{
    Fold, Folded, count, error_of,
    part::{Call, Part},
    text,
};
use crate::script::{ErrorEvent, FinishReason, ReasoningField, Usage};

/// Calls that a client answers and that no script can make.
const OTHER_CALLS: [&str; 6] = [
    "custom_tool_call",
    "local_shell_call",
    "shell_call",
    "apply_patch_call",
    "computer_call",
    "mcp_approval_request",
];
/// The type of the event that ends a response that failed.
const FAILED: &str = "response.failed";

/// Reads events. An item that is told whole counts more than its fragments.
#[derive(Debug, Default)]
pub(super) struct Responses {
    id: Option<String>,
    items: BTreeMap<u64, Item>,
    end: Option<End>,
    error: Option<ErrorEvent>,
    left_out: Vec<String>,
    held: usize,
}

/// An item of the output.
#[derive(Debug, Default)]
struct Item {
    /// What came in fragments, by the place of its part.
    parts: BTreeMap<u64, Part>,
    whole: Option<Vec<Part>>,
}

#[derive(Clone, Copy, Debug)]
struct End {
    finish: Option<FinishReason>,
    usage: Option<Usage>,
}

impl Fold for Responses {
    fn take(&mut self, event: &Value) -> Result<(), String> {
        let kind = event["type"].as_str().unwrap_or_default();
        let output = event["output_index"].as_u64();
        match kind {
            "response.output_item.added" => self.begin(output, &event["item"]),
            "response.output_item.done" => {
                let parts = parts(&event["item"], &mut self.left_out)?;
                self.held += event["item"].to_string().len();
                let output = output.unwrap_or_else(|| self.next());
                self.items.entry(output).or_default().whole = Some(parts);
            }
            "response.completed" | "response.incomplete" => self.end(&event["response"])?,
            FAILED => {
                let told = error_of(&event["response"]);
                self.error = Some(ErrorEvent { kind: Some(FAILED.to_owned()), ..told });
            }
            "error" => self.error = Some(error_of(event)),
            "response.created" | "response.in_progress" => {
                if let Some(id) = text(&event["response"], "id") {
                    self.id = Some(id.to_owned());
                }
            }
            _ => self.fragment(kind, event),
        }
        Ok(())
    }

    fn is_whole(&self) -> bool {
        self.end.is_some() || self.error.is_some()
    }

    fn is_over(&self) -> bool {
        self.is_whole()
    }

    fn held(&self) -> usize {
        self.held
    }

    fn folded(&mut self) -> Folded {
        let items = std::mem::take(&mut self.items).into_values();
        let parts = items.flat_map(|item| item.whole.unwrap_or_else(|| item.parts.into_values().collect()));
        Folded {
            id: self.id.take(),
            blocks: parts.map(Part::block).collect(),
            finish: self.end.and_then(|end| end.finish),
            usage: self.end.and_then(|end| end.usage),
            error: self.error.take(),
            reasoning_field: ReasoningField::default(),
            left_out: std::mem::take(&mut self.left_out),
        }
    }
}

impl Responses {
    fn next(&self) -> u64 {
        self.items.last_key_value().map_or(0, |(last, _)| last.saturating_add(1))
    }

    fn begin(&mut self, output: Option<u64>, item: &Value) {
        let output = output.unwrap_or_else(|| self.next());
        let begun = self.items.entry(output).or_default();
        if item["type"] == "function_call" {
            begun.parts.insert(0, call(item));
        }
    }

    fn fragment(&mut self, kind: &str, event: &Value) {
        let Some(piece) = text(event, "delta") else { return };
        let empty = match kind {
            "response.output_text.delta" => Part::Text(String::new()),
            "response.refusal.delta" => Part::Refusal(String::new()),
            "response.reasoning_summary_text.delta" | "response.reasoning_text.delta" => Part::thought(""),
            "response.function_call_arguments.delta" => Part::Call(Call::default()),
            _ => return,
        };
        let output = event["output_index"].as_u64().unwrap_or_else(|| self.next().saturating_sub(1));
        let place = event["content_index"].as_u64().unwrap_or(0);
        let part = self.items.entry(output).or_default().parts.entry(place).or_insert(empty);
        let whole = match part {
            Part::Text(text) | Part::Refusal(text) | Part::Thinking { text, .. } => text,
            Part::Call(call) => &mut call.arguments,
        };
        whole.push_str(piece);
        self.held += piece.len();
    }

    /// The end, and the output again. What was told before counts, since some servers leave it out here.
    fn end(&mut self, response: &Value) -> Result<(), String> {
        if let Some(id) = text(response, "id") {
            self.id = Some(id.to_owned());
        }
        if self.items.is_empty() {
            self.output(response)?;
        }
        let is_incomplete = response["status"] == "incomplete";
        let reason = response["incomplete_details"]["reason"].as_str();
        let finish = match reason {
            Some("content_filter") => Some(FinishReason::ContentFilter),
            _ if is_incomplete => Some(FinishReason::Length),
            _ => None,
        };
        self.end =
            Some(End { finish, usage: response.get("usage").filter(|usage| usage.is_object()).map(tokens) });
        Ok(())
    }

    fn output(&mut self, response: &Value) -> Result<(), String> {
        for (place, item) in (0..).zip(response["output"].as_array().into_iter().flatten()) {
            let whole = Some(parts(item, &mut self.left_out)?);
            self.items.insert(place, Item { whole, ..Item::default() });
        }
        Ok(())
    }
}

/// An answer in one piece.
pub(super) fn whole(body: &Value) -> Result<Folded, String> {
    if !body["output"].is_array() {
        return Err("the answer has no `output`".to_owned());
    }
    let status = body["status"].as_str().unwrap_or("completed");
    if !matches!(status, "completed" | "incomplete") {
        return Err(format!("the answer has the status `{status}`"));
    }
    let mut responses = Responses::default();
    responses.end(body)?;
    Ok(responses.folded())
}

/// What an item says. `Err` when a client has to answer it in a way that a script does not know.
fn parts(item: &Value, left_out: &mut Vec<String>) -> Result<Vec<Part>, String> {
    Ok(match item["type"].as_str().unwrap_or_default() {
        "message" => {
            let content = item["content"].as_array().into_iter().flatten();
            let part = |part: &Value| match part["type"].as_str()? {
                "refusal" => Some(Part::Refusal(part["refusal"].as_str()?.to_owned())),
                _ => Some(Part::Text(part["text"].as_str()?.to_owned())),
            };
            content.filter_map(part).collect()
        }
        "function_call" => vec![call(item)],
        "reasoning" => thought(item).into_iter().collect(),
        other if OTHER_CALLS.contains(&other) => {
            return Err(format!("the answer makes a call of type `{other}`, which no script can"));
        }
        other => {
            let what = format!("an item of type `{other}`");
            if !left_out.contains(&what) {
                left_out.push(what);
            }
            Vec::new()
        }
    })
}

fn call(item: &Value) -> Part {
    let said = |field: &str| text(item, field).unwrap_or_default().to_owned();
    let arguments = match &item["arguments"] {
        Value::String(text) => text.clone(),
        Value::Null => String::new(),
        value => value.to_string(),
    };
    Part::Call(Call { id: said("call_id"), name: said("name"), arguments })
}

/// A thought; `None` when nothing stands for it.
fn thought(item: &Value) -> Option<Part> {
    let texts = |field: &str| {
        let parts = item[field].as_array().into_iter().flatten();
        parts.filter_map(|part| text(part, "text")).collect::<Vec<_>>().join("\n\n")
    };
    let said = Some(texts("summary")).filter(|said| !said.is_empty()).unwrap_or_else(|| texts("content"));
    let encrypted = text(item, "encrypted_content").unwrap_or_default().to_owned();
    let says = !said.is_empty() || !encrypted.is_empty();
    says.then_some(Part::Thinking { text: said, signature: String::new(), encrypted })
}

fn tokens(usage: &Value) -> Usage {
    let count = |pointer| count(usage, pointer).unwrap_or(0);
    Usage {
        input_tokens: count("/input_tokens"),
        output_tokens: count("/output_tokens"),
        cached_tokens: count("/input_tokens_details/cached_tokens"),
        cache_write_tokens: count("/input_tokens_details/cache_write_tokens"),
        reasoning_tokens: count("/output_tokens_details/reasoning_tokens"),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::script::{Block, Thinking, ToolCall};

    fn folded(events: &[Value]) -> Folded {
        let mut responses = Responses::default();
        for event in events {
            responses.take(event).unwrap();
        }
        assert!(responses.is_over());
        responses.folded()
    }

    fn item(output: u64, item: Value) -> Value {
        json!({"type": "response.output_item.done", "output_index": output, "item": item})
    }

    #[test]
    fn whole_items_count_and_fragments_where_there_is_none() {
        let text = |piece: &str| json!({"type": "response.output_text.delta", "output_index": 1, "content_index": 0, "delta": piece});
        let arguments = |piece: &str| json!({"type": "response.function_call_arguments.delta", "output_index": 2, "delta": piece});
        let read = folded(&[
            json!({"type": "response.created", "response": {"id": "resp_1"}}),
            item(
                0,
                json!({"type": "reasoning", "summary": [{"text": "a"}, {"text": "b"}], "encrypted_content": "x"}),
            ),
            text("On "),
            text("it."),
            json!({"type": "response.output_item.added", "output_index": 2, "item": {"type": "function_call", "call_id": "c", "name": "read", "arguments": ""}}),
            arguments("{"),
            arguments("}"),
            item(3, json!({"type": "web_search_call"})),
            json!({"type": "response.completed", "response": {"id": "resp_1", "status": "completed", "output": [], "usage": {"input_tokens": 3, "output_tokens": 2}}}),
        ]);
        let thought = Thinking { encrypted: Some("x".into()), ..Thinking::from("a\n\nb") };
        assert_eq!(
            read.blocks,
            [
                Block::Thinking(thought),
                Block::Text("On it.".into()),
                Block::ToolCall(ToolCall::new("c", "read", json!({}))),
            ]
        );
        assert_eq!(
            (read.id.as_deref(), read.left_out),
            (Some("resp_1"), vec!["an item of type `web_search_call`".to_owned()])
        );
    }

    #[test]
    fn an_answer_that_only_its_end_tells_is_read() {
        let response = json!({"status": "incomplete", "incomplete_details": {"reason": "max_output_tokens"}, "output": [
            {"type": "message", "content": [{"type": "output_text", "text": "cut"}]},
        ]});
        let read = folded(&[json!({"type": "response.incomplete", "response": response})]);
        assert_eq!((read.blocks, read.finish), (vec![Block::Text("cut".into())], Some(FinishReason::Length)));
    }

    #[test]
    fn failures_are_errors_and_other_calls_cannot_be_told() {
        let failed = json!({"type": FAILED, "response": {"error": {"code": "rate_limit_exceeded", "message": "slow down"}}});
        let error = folded(&[failed]).error.unwrap();
        assert_eq!(
            (error.kind.as_deref(), error.code.as_deref()),
            (Some(FAILED), Some("rate_limit_exceeded"))
        );
        let bare =
            folded(&[json!({"type": "error", "code": "server_error", "message": "no"})]).error.unwrap();
        assert_eq!((bare.kind, bare.message.as_deref()), (None, Some("no")));
        let patch =
            item(0, json!({"type": "custom_tool_call", "call_id": "c", "name": "apply_patch", "input": "*"}));
        let why = Responses::default().take(&patch).unwrap_err();
        assert!(why.contains("custom_tool_call"), "{why}");
    }
}
