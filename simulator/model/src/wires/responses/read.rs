//! Requests in the words of Responses.

use serde_json::{Map, Value};

use super::{
    complaint::{missing, wrong_word},
    input::{self, Conversation},
    tools,
};
use crate::{
    rejection::Rejection,
    request::{ModelRequest, Understood},
    script::WireName,
    wires::fields::{Kind, Range, judge, speaks_of_json},
};

/// The fields of a request that the API documents.
#[rustfmt::skip]
const REQUEST_FIELDS: &[&str] = &[
    "access_programs", "background", "background_options", "context_management", "conversation", "image",
    "include", "input", "instructions", "max_output_tokens", "max_tool_calls", "metadata", "model",
    "moderation", "parallel_tool_calls", "previous_response_id", "prompt", "prompt_cache_key",
    "prompt_cache_options", "prompt_cache_retention", "reasoning", "safety_identifier", "service_tier",
    "store", "stream", "stream_options", "temperature", "text", "tool_choice", "tools", "top_logprobs",
    "top_p", "truncation", "user",
];

#[rustfmt::skip]
const KINDS: &[(&str, Kind)] = &[
    ("model", Kind::Text), ("input", Kind::TextOrList), ("instructions", Kind::Text), ("stream", Kind::Flag),
    ("previous_response_id", Kind::Text), ("conversation", Kind::TextOrObject), ("tools", Kind::List),
    ("tool_choice", Kind::TextOrObject), ("parallel_tool_calls", Kind::Flag), ("text", Kind::Object),
    ("reasoning", Kind::Object), ("include", Kind::List), ("store", Kind::Flag), ("background", Kind::Flag),
    ("max_output_tokens", Kind::Whole), ("max_tool_calls", Kind::Whole), ("metadata", Kind::Object),
    ("temperature", Kind::Number), ("top_p", Kind::Number), ("top_logprobs", Kind::Whole),
    ("truncation", Kind::Text), ("service_tier", Kind::Text), ("user", Kind::Text), ("prompt", Kind::Object),
    ("prompt_cache_key", Kind::Text), ("safety_identifier", Kind::Text), ("stream_options", Kind::Object),
];

/// The least and the most of numbers.
const RANGES: &[Range] = &[
    ("max_output_tokens", 16.0, f64::INFINITY),
    ("temperature", 0.0, 2.0),
    ("top_p", 0.0, 1.0),
    ("top_logprobs", 0.0, 20.0),
];

/// What stands in for an input: with one of these there may be none.
const INSTEAD_OF_INPUT: [&str; 3] = ["previous_response_id", "prompt", "conversation"];

/// Reads a request.
pub(super) fn request(body: &Value) -> Result<Understood, Rejection> {
    let Some(fields) = body.as_object() else {
        return Err(Rejection::invalid("body", None, "the request body is no JSON object"));
    };
    let given = |name: &str| fields.get(name).filter(|value| !value.is_null());
    let mut complaints = Vec::new();
    if given("model").is_none_or(|model| model == "") {
        complaints.push(missing("model"));
    }
    if given("input").is_none_or(input::is_empty) && INSTEAD_OF_INPUT.iter().all(|name| given(name).is_none())
    {
        complaints.push(missing("input"));
    }
    judge(fields, KINDS, RANGES, &mut complaints);
    if let Some(conversation) = given("conversation") {
        complaints.push(no_conversation(conversation));
    }
    let goes_on = given("previous_response_id").and_then(Value::as_str);
    complaints.extend(json_unsaid(fields, goes_on.is_some()));
    let Conversation { mut system, messages, more_tools, unknown_fields: unknown_in_items, .. } =
        Conversation::of(given("input"), goes_on.is_some(), &mut complaints);
    if let Some(instructions) = given("instructions").and_then(Value::as_str) {
        system.insert(0, instructions.to_owned());
    }
    let mut offered = tools::offered(given("tools"));
    offered.extend(more_tools);
    tools::complain(fields, &offered, &mut complaints);
    let mut unknown_fields = unknown(fields, REQUEST_FIELDS, "");
    unknown_fields.extend(unknown_in_items);
    let request = ModelRequest {
        wire: WireName::Responses.word().to_owned(),
        model: given("model").and_then(Value::as_str).unwrap_or_default().to_owned(),
        stream: given("stream") == Some(&Value::Bool(true)),
        system: system.join("\n\n"),
        messages,
        tools: offered,
        tool_choice: tools::choice(given("tool_choice")),
        output_schema: output_schema(given("text"), &mut complaints),
        previous_response_id: goes_on.map(str::to_owned),
        unknown_fields,
    };
    Ok(Understood { request, complaints })
}

/// A JSON object is given only to those who speak of JSON. What was said before is not looked at.
fn json_unsaid(fields: &Map<String, Value>, goes_on: bool) -> Option<Rejection> {
    let wants_one = fields.get("text").is_some_and(|text| text["format"]["type"] == "json_object");
    let said = ["input", "instructions"].iter().filter_map(|name| fields.get(*name));
    let message = "Response input messages must contain the word 'json' in some form to use 'text.format' of the \
                   type 'json_object'";
    (wants_one && !goes_on && !said.into_iter().any(speaks_of_json))
        .then(|| Rejection::invalid("input", None, message))
}

/// Conversations are kept by the API, and nobody has put any here.
fn no_conversation(conversation: &Value) -> Rejection {
    let id = conversation.as_str().or_else(|| conversation["id"].as_str()).unwrap_or_default();
    let message =
        format!("there is no conversation `{id}`; this server keeps none, send the items as `input`");
    Rejection::not_found("conversation", "conversation_not_found", 404, message)
}

const FORMATS: &[&str] = &["text", "json_object", "json_schema"];

/// The schema that a text answer is to keep.
fn output_schema(text: Option<&Value>, complaints: &mut Vec<Rejection>) -> Option<Value> {
    let format = text?.get("format").filter(|format| !format.is_null())?;
    let Some(kind) = format["type"].as_str() else {
        complaints.push(missing("text.format.type"));
        return None;
    };
    match kind {
        "json_object" => Some(Value::Bool(true)),
        "json_schema" => {
            for name in ["name", "schema"] {
                if format[name].is_null() {
                    complaints.push(missing(&format!("text.format.{name}")));
                }
            }
            Some(format["schema"].clone())
        }
        kind => {
            if !FORMATS.contains(&kind) {
                complaints.push(wrong_word("text.format.type", kind, FORMATS));
            }
            None
        }
    }
}

/// JSON Pointers to the fields of the object at `at` that are not known.
pub(super) fn unknown(fields: &Map<String, Value>, known: &[&str], at: &str) -> Vec<String> {
    let names = fields.keys().filter(|name| !known.contains(&name.as_str()));
    names.map(|name| format!("{at}/{}", name.replace('~', "~0").replace('/', "~1"))).collect()
}
