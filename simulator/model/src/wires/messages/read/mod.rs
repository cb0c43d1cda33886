//! Requests in the words of Messages.

mod block;
mod history;
mod settings;
mod tools;

use serde_json::{Map, Value};

use self::block::{Block, blocks};
use crate::{
    rejection::Rejection,
    request::{CalledTool, Message, ModelRequest, ThoughtBefore, Understood},
    script::WireName,
};

/// The fields of a request that the API documents, those of betas included.
#[rustfmt::skip]
const REQUEST_FIELDS: &[&str] = &[
    "billing_policy", "cache_control", "compaction", "container", "context_management", "diagnostics",
    "fallback_credit_token", "fallbacks", "inference_geo", "max_tokens", "mcp_servers", "messages", "metadata",
    "model", "output_config", "output_format", "service_tier", "speed", "stop_sequences", "stream", "system",
    "temperature", "thinking", "thread", "tool_choice", "tools", "top_k", "top_p",
];
/// The fields of a message that the API documents.
const MESSAGE_FIELDS: &[&str] = &["content", "role"];
/// Those of a system message among the others.
const SYSTEM_FIELDS: &[&str] = &["clear_at", "content", "output_config", "role"];
/// Who may have said a message.
const ROLES: &[&str] = &["user", "assistant", "system"];

/// One message as it was sent.
struct Said<'a> {
    index: usize,
    role: &'a str,
    blocks: Vec<Block<'a>>,
}

/// Reads a request. What the API refuses about the shape of something comes first among the complaints,
/// what it refuses about the conversation as a whole comes last.
pub(super) fn request(body: &Value) -> Result<Understood, Rejection> {
    let Some(fields) = body.as_object() else {
        return Err(Rejection::invalid("body", None, "the request body is no JSON object"));
    };
    let mut complaints = Vec::new();
    let model = fields.get("model").and_then(Value::as_str).unwrap_or_default();
    if model.is_empty() {
        complaints.push(refused("model", "a model is required"));
    }
    complaints.extend(tokens_wrong(fields.get("max_tokens")));
    complaints.extend(settings::wrong(fields));
    let thread = continued(fields);
    complaints.extend(thread.and_then(|_| kept_by_thread(fields)));
    let mut unknown_fields = unknown(fields, |name| REQUEST_FIELDS.contains(&name), format_args!(""));
    let tools = tools::offered(fields, &mut unknown_fields, &mut complaints);
    let mut said = Vec::new();
    for (index, entry) in listed(fields, &mut complaints).iter().enumerate() {
        said.extend(message(entry, index, &mut unknown_fields, &mut complaints));
    }
    history::judge(&said, thread.is_some(), thinks_always(fields), &mut complaints);

    let mut request = ModelRequest {
        wire: WireName::Messages.word().to_owned(),
        model: model.to_owned(),
        stream: fields.get("stream") == Some(&Value::Bool(true)),
        tools,
        tool_choice: tools::choice(fields.get("tool_choice")),
        output_schema: tools::output_schema(fields),
        previous_response_id: thread.map(str::to_owned),
        unknown_fields,
        ..ModelRequest::default()
    };
    let mut system: Vec<String> = system(fields.get("system"), &mut complaints).into_iter().collect();
    for said in &said {
        if said.role == "system" {
            system.extend(joined(&said.blocks).filter(|text| !text.is_empty()));
        } else {
            request.messages.extend(messages(said));
        }
    }
    request.system = system.join("\n\n");
    Ok(Understood { request, complaints })
}

/// A complaint about the value at a place. The envelope of this wire names no field, so the message does.
fn refused(at: impl Into<String>, why: impl std::fmt::Display) -> Rejection {
    let at = at.into();
    let message = format!("{at}: {why}");
    Rejection::invalid(at, None, message)
}

/// What is wrong with the output limit. The API takes 0 to fill its cache without an answer; there is no
/// cache here, and answering would use up a turn that nobody reads.
fn tokens_wrong(limit: Option<&Value>) -> Option<Rejection> {
    let why = match limit {
        None => "an output limit is required",
        Some(limit) if limit.as_u64().is_some_and(|limit| limit > 0) => return None,
        Some(limit) if limit.as_u64() == Some(0) => {
            "0 asks to fill a cache, and this server has none; give 1 or more"
        }
        Some(_) => "the output limit is a whole number of 1 or more",
    };
    Some(refused("max_tokens", why))
}

/// Whether every round of tools begins with a thought. With adaptive thinking the model decides.
fn thinks_always(fields: &Map<String, Value>) -> bool {
    fields.get("thinking").is_some_and(|thinking| thinking["type"] == "enabled")
}

/// The answer that the request goes on from: the server keeps what was said up to there.
fn continued(fields: &Map<String, Value>) -> Option<&str> {
    let thread = fields.get("thread").filter(|thread| thread["type"] == "continue")?;
    thread["previous_message_id"].as_str()
}

/// A field that a thread keeps as it was begun with, and that those who go on may not give again.
fn kept_by_thread(fields: &Map<String, Value>) -> Option<Rejection> {
    let again = ["system", "tools"].into_iter().find(|name| fields.contains_key(*name))?;
    Some(refused(again, "the thread keeps what it was begun with, so this may not be given again"))
}

fn listed<'a>(fields: &'a Map<String, Value>, complaints: &mut Vec<Rejection>) -> &'a [Value] {
    let why = match fields.get("messages") {
        Some(Value::Array(messages)) if !messages.is_empty() || continued(fields).is_some() => {
            return messages;
        }
        Some(Value::Array(_)) => "at least one message is required",
        Some(_) => "this is a list of messages",
        None => "a list of messages is required",
    };
    complaints.push(refused("messages", why));
    &[]
}

fn system(system: Option<&Value>, complaints: &mut Vec<Rejection>) -> Option<String> {
    match system? {
        Value::Null => None,
        Value::String(text) => Some(text.clone()).filter(|text| !text.is_empty()),
        Value::Array(parts) => {
            for (place, part) in parts.iter().enumerate() {
                complaints.extend(no_text_block(part, &format!("system.{place}")));
            }
            let texts: Vec<&str> = parts.iter().filter_map(|part| part["text"].as_str()).collect();
            Some(texts.join("\n")).filter(|text| !text.is_empty())
        }
        _ => {
            complaints.push(refused("system", "the system prompt is a text or a list of text blocks"));
            None
        }
    }
}

/// What is wrong with a part of the system prompt.
fn no_text_block(part: &Value, at: &str) -> Option<Rejection> {
    if !part.is_object() {
        return Some(refused(at, "a block is an object"));
    }
    match part["type"].as_str() {
        None => Some(refused(format!("{at}.type"), "a type is required")),
        Some("text") if part["text"].is_string() => None,
        Some("text") => Some(refused(format!("{at}.text"), "a text is required")),
        Some(kind) => Some(refused(
            format!("{at}.type"),
            format!("`{kind}` may not stand here; the system prompt has `text` only"),
        )),
    }
}

fn message<'a>(
    entry: &'a Value,
    index: usize,
    unknown_fields: &mut Vec<String>,
    complaints: &mut Vec<Rejection>,
) -> Option<Said<'a>> {
    let at = format!("messages.{index}");
    let Some(fields) = entry.as_object() else {
        complaints.push(refused(at, "a message is an object"));
        return None;
    };
    let role = fields.get("role").and_then(Value::as_str);
    match role {
        Some(role) if ROLES.contains(&role) => {}
        Some(role) => {
            let why = format!("`{role}` is no role; there is {}", ROLES.join(", "));
            complaints.push(refused(format!("{at}.role"), why));
        }
        None => complaints.push(refused(format!("{at}.role"), "a role is required")),
    }
    // A message of nobody known is at least a message.
    let role = role?;
    let known = if role == "system" { SYSTEM_FIELDS } else { MESSAGE_FIELDS };
    unknown_fields.extend(unknown(fields, |name| known.contains(&name), format_args!("/messages/{index}")));
    let content = fields.get("content").filter(|content| !content.is_null());
    if content.is_none() && !fields.contains_key("output_config") {
        complaints.push(refused(format!("{at}.content"), "a content is required"));
    }
    Some(Said { index, role, blocks: blocks(index, role, content, unknown_fields, complaints) })
}

/// The messages of the common form: each tool result is one of its own, before the rest of the message.
fn messages(said: &Said<'_>) -> Vec<Message> {
    let of = |kind: &'static str| said.blocks.iter().filter(move |block| block.kind == kind);
    let results = of("tool_result").map(|block| Message {
        role: "tool".to_owned(),
        text: block.result_text(),
        tool_call_id: Some(block.text("tool_use_id").to_owned()),
        is_error: block.field("is_error") == Some(&Value::Bool(true)),
        ..Message::default()
    });
    let calls = of("tool_use").map(|block| CalledTool {
        id: block.text("id").to_owned(),
        name: block.text("name").to_owned(),
        arguments: block.field("input").map(Value::to_string).unwrap_or_default(),
    });
    let thoughts = said.blocks.iter().filter_map(|block| {
        let (text, proof) = match block.kind {
            "thinking" => (block.text("thinking"), block.text("signature")),
            "redacted_thinking" => ("", block.text("data")),
            _ => return None,
        };
        Some(ThoughtBefore { text: text.to_owned(), proof: proof.to_owned() })
    });
    let mut messages: Vec<Message> = results.collect();
    let rest = said.blocks.iter().any(|block| block.kind != "tool_result");
    if rest || messages.is_empty() {
        messages.push(Message {
            role: said.role.to_owned(),
            text: joined(&said.blocks).unwrap_or_default(),
            thinking: thoughts.collect(),
            tool_calls: calls.collect(),
            ..Message::default()
        });
    }
    messages
}

/// The texts of text blocks, joined by line feeds; `None` when there is no such block.
fn joined(blocks: &[Block<'_>]) -> Option<String> {
    let texts: Vec<&str> =
        blocks.iter().filter(|block| block.kind == "text").map(|block| block.text("text")).collect();
    (!texts.is_empty()).then(|| texts.join("\n"))
}

/// The fields of the object at `at` that are not known, as JSON Pointers.
fn unknown(
    fields: &Map<String, Value>,
    is_known: impl Fn(&str) -> bool,
    at: std::fmt::Arguments<'_>,
) -> Vec<String> {
    let names = fields.keys().filter(|name| !is_known(name));
    names.map(|name| format!("{at}/{}", name.replace('~', "~0").replace('/', "~1"))).collect()
}
