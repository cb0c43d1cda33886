//! Requests in the words of Chat Completions.

use serde_json::{Map, Value};

use crate::{
    rejection::Rejection,
    request::{CalledTool, Message, ModelRequest, OfferedTool},
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

/// Reads a request, or says why the API would not.
pub(super) fn request(body: &Value) -> Result<ModelRequest, Rejection> {
    let Some(fields) = body.as_object() else {
        return Err(Rejection::invalid("body", None, "the request body is no JSON object"));
    };
    let Some(model) = fields.get("model").and_then(Value::as_str).filter(|model| !model.is_empty()) else {
        return Err(Rejection::invalid("model", Some("missing_required_parameter"), "a `model` is required"));
    };
    let messages = match fields.get("messages") {
        Some(Value::Array(messages)) if messages.is_empty() => {
            return Err(Rejection::invalid(
                "messages",
                Some("empty_array"),
                "`messages` is empty; give at least one",
            ));
        }
        Some(Value::Array(messages)) => messages,
        Some(_) => {
            return Err(Rejection::invalid("messages", Some("invalid_type"), "`messages` is no array"));
        }
        None => {
            let message = "`messages` is required";
            return Err(Rejection::invalid("messages", Some("missing_required_parameter"), message));
        }
    };
    let mut request = ModelRequest {
        wire: "chat".into(),
        model: model.to_owned(),
        stream: fields.get("stream") == Some(&Value::Bool(true)),
        tools: offered(fields.get("tools")),
        unknown_fields: unknown(fields, REQUEST_FIELDS, ""),
        ..ModelRequest::default()
    };
    let mut system = Vec::new();
    let mut calls = Calls::default();
    for (index, entry) in messages.iter().enumerate() {
        let at = format!("messages.[{index}]");
        let (role, fields) = said_by(entry, &at)?;
        request.unknown_fields.extend(unknown(fields, MESSAGE_FIELDS, &format!("/messages/{index}")));
        let message = message(role, fields);
        calls.follow(&message, &at)?;
        if matches!(role, "system" | "developer") {
            system.push(message.text);
        } else {
            request.messages.push(message);
        }
    }
    calls.end("messages")?;
    request.system = system.join("\n\n");
    Ok(request)
}

fn said_by<'a>(entry: &'a Value, at: &str) -> Result<(&'a str, &'a Map<String, Value>), Rejection> {
    let fields = entry
        .as_object()
        .ok_or_else(|| Rejection::invalid(at, Some("invalid_type"), format!("`{at}` is no object")))?;
    match fields.get("role").and_then(Value::as_str) {
        Some(role) if ROLES.contains(&role) => Ok((role, fields)),
        Some(role) => {
            let message = format!("`{role}` is no role; there is {}", ROLES.join(", "));
            Err(Rejection::invalid(format!("{at}.role"), Some("invalid_value"), message))
        }
        None => {
            let message = format!("`{at}` needs a `role`");
            Err(Rejection::invalid(format!("{at}.role"), Some("missing_required_parameter"), message))
        }
    }
}

fn message(role: &str, fields: &Map<String, Value>) -> Message {
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

fn offered(tools: Option<&Value>) -> Vec<OfferedTool> {
    let tools = tools.and_then(Value::as_array);
    let functions =
        tools.into_iter().flatten().map(|tool| &tool["function"]).filter(|function| function.is_object());
    functions
        .map(|function| OfferedTool {
            name: text(&function["name"]),
            description: text(&function["description"]),
            parameters: function["parameters"].clone(),
        })
        .collect()
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

fn unknown(fields: &Map<String, Value>, known: &[&str], at: &str) -> Vec<String> {
    let names = fields.keys().filter(|name| !known.contains(&name.as_str()));
    names.map(|name| format!("{at}/{}", name.replace('~', "~0").replace('/', "~1"))).collect()
}

/// Tool calls and their results, as a history must pair them: each result follows its call, and each
/// call has its result before anybody else speaks.
#[derive(Default)]
struct Calls {
    seen: Vec<String>,
    unanswered: Vec<String>,
}

impl Calls {
    fn follow(&mut self, message: &Message, at: &str) -> Result<(), Rejection> {
        if message.role != "tool" {
            self.end(at)?;
            let ids = message.tool_calls.iter().map(|call| call.id.clone());
            self.unanswered = ids.clone().collect();
            self.seen.extend(ids);
            return Ok(());
        }
        let param = format!("{at}.tool_call_id");
        let Some(id) = &message.tool_call_id else {
            let message = format!("`{at}` has the role `tool` and needs a `tool_call_id`");
            return Err(Rejection::invalid(param, Some("missing_required_parameter"), message));
        };
        if !self.seen.contains(id) {
            let message =
                format!("`{at}` is the result of the call `{id}`, which no message before it makes");
            return Err(Rejection::invalid(param, None, message));
        }
        self.unanswered.retain(|unanswered| unanswered != id);
        Ok(())
    }

    fn end(&self, at: &str) -> Result<(), Rejection> {
        if self.unanswered.is_empty() {
            return Ok(());
        }
        let list = self.unanswered.join(", ");
        let message = format!("tool calls must be followed by a tool message each; there is none for {list}");
        Err(Rejection::invalid(at, None, message))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_request_is_read_into_the_common_form() {
        let body = json!({
            "model": "gpt-x",
            "stream": true,
            "x/y": 1,
            "tools": [
                {"type": "function", "function": {"name": "read", "description": "d", "parameters": {"type": "object"}}},
                {"type": "custom", "custom": {"name": "free"}},
            ],
            "messages": [
                {"role": "system", "content": "be kind"},
                {"role": "user", "content": [{"type": "text", "text": "a"}, {"type": "image_url"}, {"type": "text", "text": "b"}]},
                {"role": "developer", "content": "be brief"},
                {"role": "assistant", "content": null, "parsed": null, "tool_calls": [
                    {"id": "c1", "type": "function", "function": {"name": "read", "arguments": "{}"}},
                ]},
                {"role": "tool", "tool_call_id": "c1", "content": "done"},
            ],
        });
        let read = request(&body).unwrap();
        assert_eq!((read.model.as_str(), read.stream), ("gpt-x", true));
        assert_eq!(read.system, "be kind\n\nbe brief");
        assert_eq!(read.unknown_fields, ["/x~1y", "/messages/3/parsed"]);
        assert_eq!(read.tools.iter().map(|tool| tool.name.as_str()).collect::<Vec<_>>(), ["read"]);
        assert_eq!(
            read.messages.iter().map(|message| message.text.as_str()).collect::<Vec<_>>(),
            ["a\nb", "", "done"]
        );
        let call = CalledTool { id: "c1".into(), name: "read".into(), arguments: "{}".into() };
        assert_eq!(read.messages[1].tool_calls, [call]);
        assert_eq!(read.messages[2].tool_call_id.as_deref(), Some("c1"));
        assert_eq!(read.news(), &read.messages[2..]);
    }

    #[test]
    fn what_the_api_refuses_is_refused_with_the_place() {
        let user = json!({"role": "user", "content": "hi"});
        let calls = json!({"role": "assistant", "tool_calls": [{"id": "c1"}, {"id": "c2"}]});
        let result = |id: &str| json!({"role": "tool", "tool_call_id": id, "content": "x"});
        let with = |messages: Value| json!({"model": "m", "messages": messages});
        let cases = [
            (json!([]), "body", "is no JSON object"),
            (json!({"messages": [user]}), "model", "`model` is required"),
            (json!({"model": "m"}), "messages", "`messages` is required"),
            (with(json!("hi")), "messages", "no array"),
            (with(json!([])), "messages", "empty"),
            (with(json!(["hi"])), "messages.[0]", "no object"),
            (with(json!([{"content": "hi"}])), "messages.[0].role", "needs a `role`"),
            (with(json!([user, {"role": "bot"}])), "messages.[1].role", "`bot` is no role"),
            (
                with(json!([user, {"role": "tool", "content": "x"}])),
                "messages.[1].tool_call_id",
                "needs a `tool_call_id`",
            ),
            (with(json!([user, result("c1")])), "messages.[1].tool_call_id", "no message before it makes"),
            (with(json!([user, calls, result("c1"), user])), "messages.[3]", "none for c2"),
            (with(json!([user, calls, result("c2")])), "messages", "none for c1"),
        ];
        for (body, param, message) in cases {
            let rejection = request(&body).unwrap_err();
            assert_eq!((rejection.status, rejection.param.as_deref()), (400, Some(param)), "{body}");
            assert!(rejection.message.contains(message), "{body}: {}", rejection.message);
        }
        assert!(request(&with(json!([user, calls, result("c2"), result("c1")]))).is_ok());
    }
}
