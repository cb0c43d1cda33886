//! Messages as requests tell them.

use serde_json::{Map, Value};

use super::{At, text};
use crate::{
    rejection::Rejection,
    request::{CalledTool, Message},
    wires::complaint::{missing, wrong_type, wrong_word},
};

/// The types of parts that a content may have, whoever says it.
const PARTS: &[&str] = &["text", "image_url", "input_audio", "file", "refusal", "audio"];
/// What an assistant may say instead of a content. An empty one of these says nothing.
const INSTEAD_OF_CONTENT: [&str; 4] = ["tool_calls", "function_call", "refusal", "audio"];

/// The message in the common form.
pub(super) fn message(role: &str, fields: &Map<String, Value>) -> Message {
    let calls = fields.get("tool_calls").and_then(Value::as_array);
    let tool_calls = calls.into_iter().flatten().map(|call| CalledTool {
        id: text(&call["id"]),
        name: text(&call["function"]["name"]),
        arguments: text(&call["function"]["arguments"]),
    });
    Message {
        role: role.to_owned(),
        text: content(fields.get("content")),
        tool_calls: tool_calls.collect(),
        tool_call_id: fields.get("tool_call_id").and_then(Value::as_str).map(str::to_owned),
        ..Message::default()
    }
}

/// The text of a content that is a string, or of the text parts of one that is a list.
fn content(content: Option<&Value>) -> String {
    match content {
        Some(Value::String(text)) => text.clone(),
        Some(Value::Array(parts)) => {
            let texts =
                parts.iter().filter_map(|part| part["text"].as_str().or_else(|| part["refusal"].as_str()));
            texts.collect::<Vec<_>>().join("\n")
        }
        _ => String::new(),
    }
}

/// Complains about a content that is none. What somebody unknown says is not looked into.
pub(super) fn complain(role: &str, fields: &Map<String, Value>, at: At, complaints: &mut Vec<Rejection>) {
    let at = || format!("{at}.content");
    let may_be_none = match role {
        "system" | "developer" | "user" | "tool" => false,
        "assistant" => INSTEAD_OF_CONTENT.iter().any(|name| fields.get(*name).is_some_and(says_something)),
        _ => true,
    };
    match fields.get("content") {
        None | Some(Value::Null) if may_be_none => {}
        None => complaints.push(missing(&at())),
        Some(Value::String(_)) => {}
        Some(Value::Array(parts)) => {
            for (index, part) in parts.iter().enumerate() {
                complaints.extend(wrong_part(part, &format!("{}.[{index}]", at())));
            }
        }
        Some(value) => complaints.push(wrong_type(&at(), "a string or an array of objects", value)),
    }
}

fn says_something(value: &Value) -> bool {
    match value {
        Value::Null => false,
        Value::Array(calls) => !calls.is_empty(),
        _ => true,
    }
}

fn wrong_part(part: &Value, at: &str) -> Option<Rejection> {
    if !part.is_object() {
        return Some(wrong_type(at, "an object", part));
    }
    let kind_at = format!("{at}.type");
    match &part["type"] {
        Value::Null => Some(missing(&kind_at)),
        Value::String(kind) if !PARTS.contains(&kind.as_str()) => Some(wrong_word(&kind_at, kind, PARTS)),
        Value::String(kind) if kind == "text" && part["text"].is_null() => {
            Some(missing(&format!("{at}.text")))
        }
        Value::String(kind) if kind == "text" && !part["text"].is_string() => {
            Some(wrong_type(&format!("{at}.text"), "a string", &part["text"]))
        }
        Value::String(_) => None,
        kind => Some(wrong_type(&kind_at, "a string", kind)),
    }
}
