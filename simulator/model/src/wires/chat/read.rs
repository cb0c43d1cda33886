//! Requests in the words of Chat Completions.

mod message;
#[cfg(test)]
mod tests;
mod tools;

use std::fmt;

use serde_json::{Map, Value};

use crate::{
    rejection::Rejection,
    request::{Message, ModelRequest, Understood},
    script::WireName,
    wires::{
        fields::{Kind, Range, judge, speaks_of_json},
        history::Calls,
    },
};

/// The fields of a request that the API documents.
#[rustfmt::skip]
const REQUEST_FIELDS: &[&str] = &[
    "audio", "frequency_penalty", "function_call", "functions", "logit_bias", "logprobs",
    "max_completion_tokens", "max_tokens", "messages", "metadata", "modalities", "model", "moderation", "n",
    "parallel_tool_calls", "prediction", "presence_penalty", "prompt_cache_key", "prompt_cache_options",
    "prompt_cache_retention", "reasoning_effort", "response_format", "safety_identifier", "seed",
    "service_tier", "stop", "store", "stream", "stream_options", "temperature", "tool_choice", "tools",
    "top_logprobs", "top_p", "user", "verbosity", "web_search_options",
];
/// The fields of a message that the API documents.
const MESSAGE_FIELDS: &[&str] =
    &["audio", "content", "function_call", "name", "refusal", "role", "tool_call_id", "tool_calls"];
/// Who may have said a message.
const ROLES: &[&str] = &["system", "developer", "user", "assistant", "tool", "function"];

#[rustfmt::skip]
const KINDS: &[(&str, Kind)] = &[
    ("stream", Kind::Flag), ("stream_options", Kind::Object), ("temperature", Kind::Number),
    ("top_p", Kind::Number), ("n", Kind::Whole), ("max_tokens", Kind::Whole),
    ("max_completion_tokens", Kind::Whole), ("presence_penalty", Kind::Number),
    ("frequency_penalty", Kind::Number), ("seed", Kind::Whole), ("stop", Kind::TextOrList),
    ("logprobs", Kind::Flag), ("top_logprobs", Kind::Whole), ("logit_bias", Kind::Object),
    ("metadata", Kind::Object), ("modalities", Kind::List), ("parallel_tool_calls", Kind::Flag),
    ("prediction", Kind::Object), ("prompt_cache_key", Kind::Text), ("reasoning_effort", Kind::Text),
    ("response_format", Kind::Object), ("safety_identifier", Kind::Text), ("service_tier", Kind::Text),
    ("store", Kind::Flag), ("tools", Kind::List), ("tool_choice", Kind::TextOrObject), ("user", Kind::Text),
    ("verbosity", Kind::Text),
];
/// The least and the most of numbers.
const RANGES: &[Range] = &[
    ("n", 1.0, 128.0),
    ("max_tokens", 1.0, f64::INFINITY),
    ("max_completion_tokens", 1.0, f64::INFINITY),
    ("temperature", 0.0, 2.0),
    ("top_p", 0.0, 1.0),
    ("top_logprobs", 0.0, 20.0),
    ("presence_penalty", -2.0, 2.0),
    ("frequency_penalty", -2.0, 2.0),
];

/// A place among the messages, which is put into words when there is something to say of it.
#[derive(Clone, Copy, Debug)]
struct At(usize);

impl fmt::Display for At {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "messages.[{}]", self.0)
    }
}

/// Reads a request.
pub(super) fn request(body: &Value) -> Result<Understood, Rejection> {
    let Some(fields) = body.as_object() else {
        return Err(Rejection::invalid("body", None, "the request body is no JSON object"));
    };
    let mut complaints = Vec::new();
    let model = fields.get("model").and_then(Value::as_str).unwrap_or_default();
    if model.is_empty() {
        complaints.push(Rejection::invalid("model", MISSING, "a `model` is required"));
    }
    judge(fields, KINDS, RANGES, &mut complaints);
    complaints.extend(options_without_stream(fields));
    complaints.extend(json_unsaid(fields));
    tools::complain(fields, &mut complaints);
    let mut request = ModelRequest {
        wire: WireName::Chat.word().to_owned(),
        model: model.to_owned(),
        stream: fields.get("stream") == Some(&Value::Bool(true)),
        tools: tools::offered(fields.get("tools")),
        tool_choice: tools::choice(fields.get("tool_choice")),
        output_schema: output_schema(fields.get("response_format")),
        unknown_fields: unknown(fields, REQUEST_FIELDS, String::new),
        ..ModelRequest::default()
    };
    let mut system = Vec::new();
    let mut calls = Calls::default();
    for (index, entry) in messages(fields, &mut complaints).iter().enumerate() {
        let at = At(index);
        let Some((role, fields)) = said_by(entry, at, &mut complaints) else { continue };
        request.unknown_fields.extend(unknown(fields, MESSAGE_FIELDS, || format!("/messages/{index}")));
        message::complain(role, fields, at, &mut complaints);
        let message = message::message(role, fields);
        follow(&mut calls, &message, at, &mut complaints);
        if matches!(role, "system" | "developer") {
            system.push(message.text);
        } else {
            request.messages.push(message);
        }
    }
    end(&mut calls, || "messages".to_owned(), &mut complaints);
    request.system = system.join("\n\n");
    Ok(Understood { request, complaints })
}

const MISSING: Option<&str> = Some("missing_required_parameter");

fn messages<'a>(fields: &'a Map<String, Value>, complaints: &mut Vec<Rejection>) -> &'a [Value] {
    let (code, message) = match fields.get("messages") {
        Some(Value::Array(messages)) if !messages.is_empty() => return messages,
        Some(Value::Array(_)) => (Some("empty_array"), "`messages` is empty; give at least one"),
        Some(_) => (Some("invalid_type"), "`messages` is no array"),
        None => (MISSING, "`messages` is required"),
    };
    complaints.push(Rejection::invalid("messages", code, message));
    &[]
}

fn said_by<'a>(
    entry: &'a Value,
    at: At,
    complaints: &mut Vec<Rejection>,
) -> Option<(&'a str, &'a Map<String, Value>)> {
    let Some(fields) = entry.as_object() else {
        complaints.push(Rejection::invalid(
            at.to_string(),
            Some("invalid_type"),
            format!("`{at}` is no object"),
        ));
        return None;
    };
    let role = fields.get("role").and_then(Value::as_str);
    let (code, message) = match role {
        Some(role) if ROLES.contains(&role) => return Some((role, fields)),
        Some(role) => (Some("invalid_value"), format!("`{role}` is no role; there is {}", ROLES.join(", "))),
        None => (MISSING, format!("`{at}` needs a `role`")),
    };
    complaints.push(Rejection::invalid(format!("{at}.role"), code, message));
    // A message of nobody known is at least a message.
    role.map(|role| (role, fields))
}

/// Options of a stream are refused where there is none.
fn options_without_stream(fields: &Map<String, Value>) -> Option<Rejection> {
    let is_given = fields.get("stream_options").is_some_and(Value::is_object);
    let message = "the `stream_options` parameter is only allowed when `stream` is enabled";
    (is_given && fields.get("stream") != Some(&Value::Bool(true)))
        .then(|| Rejection::invalid("stream_options", None, message))
}

/// A JSON object is given only to those who speak of JSON.
fn json_unsaid(fields: &Map<String, Value>) -> Option<Rejection> {
    let wants_one = fields.get("response_format").is_some_and(|format| format["type"] == "json_object");
    let messages = fields.get("messages").filter(|_| wants_one)?;
    let message = "'messages' must contain the word 'json' in some form, to use 'response_format' of the type \
                   'json_object'";
    (!speaks_of_json(messages)).then(|| Rejection::invalid("messages", None, message))
}

/// The schema that a text answer is to keep.
fn output_schema(format: Option<&Value>) -> Option<Value> {
    let format = format?;
    match format["type"].as_str() {
        Some("json_schema") => Some(format["json_schema"]["schema"].clone()),
        Some("json_object") => Some(Value::Bool(true)),
        _ => None,
    }
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

fn unknown(fields: &Map<String, Value>, known: &[&str], at: impl Fn() -> String) -> Vec<String> {
    let names = fields.keys().filter(|name| !known.contains(&name.as_str()));
    names.map(|name| format!("{}/{}", at(), name.replace('~', "~0").replace('/', "~1"))).collect()
}

/// Each result follows its call, and each call has its result before anybody else speaks.
fn follow(calls: &mut Calls, message: &Message, at: At, complaints: &mut Vec<Rejection>) {
    if message.role != "tool" {
        end(calls, || at.to_string(), complaints);
        calls.made(message.tool_calls.iter().map(|call| call.id.clone()));
        return;
    }
    let param = format!("{at}.tool_call_id");
    let Some(id) = &message.tool_call_id else {
        let message = format!("`{at}` has the role `tool` and needs a `tool_call_id`");
        complaints.push(Rejection::invalid(param, MISSING, message));
        return;
    };
    if !calls.answered(id) {
        let message = format!("`{at}` is the result of the call `{id}`, which no message before it makes");
        complaints.push(Rejection::invalid(param, None, message));
    }
}

fn end(calls: &mut Calls, at: impl Fn() -> String, complaints: &mut Vec<Rejection>) {
    let left = calls.left();
    if !left.is_empty() {
        let list = left.join(", ");
        let message = format!("tool calls must be followed by a tool message each; there is none for {list}");
        complaints.push(Rejection::invalid(at(), None, message));
    }
}
