//! OpenAI Responses. Nothing is stored at the provider: every request carries the whole conversation, and
//! the items of earlier answers go back as they came, encrypted reasoning included.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::{Value, json};
use wire::Ids;

use super::{
    Completion, Dialect, ModelError, Usage,
    dialect::{self, Gathering, provider_words, system_text},
};
use crate::{Message, ToolCall, ToolDefinition, message::Verbatim};

/// The request.
pub(super) fn body(model: &str, messages: &[Message], tools: &[ToolDefinition]) -> Value {
    let mut body = json!({
        "model": model,
        "input": messages.iter().flat_map(items).collect::<Vec<_>>(),
        "stream": true,
        "store": false,
        "include": ["reasoning.encrypted_content"],
    });
    if let Some(system) = system_text(messages) {
        body["instructions"] = system.into();
    }
    if !tools.is_empty() {
        body["tools"] = tools.iter().map(tool).collect();
    }
    body
}

fn items(message: &Message) -> Vec<Value> {
    match message {
        // Stands in `instructions`.
        Message::System(_) => Vec::new(),
        Message::User(text) => {
            vec![
                json!({"type": "message", "role": "user", "content": [{"type": "input_text", "text": text}]}),
            ]
        }
        Message::Assistant { verbatim: Some(said), .. } if said.dialect == Dialect::Responses => {
            said.items.clone()
        }
        Message::Assistant { text, calls, .. } => {
            let content = json!([{"type": "output_text", "text": text}]);
            let said = json!({"type": "message", "role": "assistant", "content": content});
            let said = (!text.is_empty()).then_some(said);
            said.into_iter().chain(calls.iter().map(call)).collect()
        }
        Message::Tool { call_id, content, .. } => {
            vec![json!({"type": "function_call_output", "call_id": call_id, "output": content})]
        }
    }
}

fn call(call: &ToolCall) -> Value {
    json!({"type": "function_call", "call_id": call.id, "name": call.name, "arguments": call.arguments})
}

fn tool(tool: &ToolDefinition) -> Value {
    json!({
        "type": "function",
        "name": tool.name,
        "description": tool.description,
        "parameters": tool.parameters,
        "strict": false,
    })
}

/// An answer that is still arriving.
#[derive(Debug, Default)]
pub(super) struct Answer {
    /// Items that are complete, by their place.
    items: BTreeMap<u64, Value>,
    end: Option<Response>,
}

#[derive(Deserialize)]
struct Event {
    #[serde(rename = "type", default)]
    kind: String,
    #[serde(default)]
    output_index: u64,
    item: Option<Value>,
    delta: Option<Value>,
    response: Option<Response>,
}

#[derive(Debug, Deserialize)]
struct Response {
    #[serde(default)]
    status: String,
    error: Option<Value>,
    incomplete_details: Option<Incomplete>,
    #[serde(default)]
    output: Vec<Value>,
    usage: Option<Tokens>,
}

#[derive(Debug, Deserialize)]
struct Incomplete {
    #[serde(default)]
    reason: String,
}

#[derive(Debug, Deserialize)]
struct Tokens {
    #[serde(default)]
    input_tokens: u64,
    #[serde(default)]
    output_tokens: u64,
    input_tokens_details: Option<InputTokens>,
}

#[derive(Debug, Deserialize)]
struct InputTokens {
    #[serde(default)]
    cached_tokens: u64,
    #[serde(default)]
    cache_write_tokens: u64,
}

impl Gathering for Answer {
    fn take(&mut self, data: &str) -> Result<String, ModelError> {
        let event: Event = dialect::json(data)?;
        match event.kind.as_str() {
            "error" => return Err(ModelError::Provider { message: provider_words(&dialect::json(data)?) }),
            "response.output_text.delta" | "response.refusal.delta" => {
                let piece = event.delta.as_ref().and_then(Value::as_str);
                return Ok(piece.unwrap_or_default().to_owned());
            }
            "response.output_item.done" => {
                let item =
                    event.item.ok_or_else(|| ModelError::Malformed("an item is missing".to_owned()))?;
                self.items.insert(event.output_index, item);
            }
            "response.completed" | "response.incomplete" | "response.failed" => self.end = event.response,
            _ => {}
        }
        Ok(String::new())
    }

    fn is_done(&self) -> bool {
        self.end.is_some()
    }

    fn finish(self: Box<Self>, ids: &Ids) -> Result<Completion, ModelError> {
        let Response { status, error, incomplete_details, output, usage } =
            self.end.ok_or(ModelError::Truncated)?;
        if let Some(error) = error.filter(|error| !error.is_null()) {
            return Err(ModelError::Provider { message: provider_words(&error) });
        }
        match (status.as_str(), incomplete_details) {
            ("completed", _) => {}
            (_, Some(why)) if why.reason == "content_filter" => return Err(ModelError::Filtered),
            (_, Some(why)) => return Err(ModelError::CutOff { finish: why.reason }),
            _ => return Err(ModelError::Malformed(format!("a response ended as `{status}`"))),
        }
        // Items were told one by one; some servers repeat them in the end, and some only there.
        let mut items: Vec<Value> = self.items.into_values().collect();
        if items.is_empty() {
            items = output;
        }
        let calls = items.iter_mut().filter(|item| item["type"] == "function_call");
        let calls = calls.map(|item| call_of(item, ids)).collect();
        Ok(Completion {
            text: items.iter().map(text_of).collect(),
            calls,
            verbatim: Some(Verbatim { dialect: Dialect::Responses, items }),
            finish: status,
            usage: usage.map(Usage::from).unwrap_or_default(),
        })
    }
}

impl From<Tokens> for Usage {
    fn from(tokens: Tokens) -> Self {
        let (cached, written) = tokens
            .input_tokens_details
            .map_or((0, 0), |details| (details.cached_tokens, details.cache_write_tokens));
        Self {
            input: tokens.input_tokens.saturating_sub(cached).saturating_sub(written),
            output: tokens.output_tokens,
            cache_read: cached,
            cache_write: written,
        }
    }
}

/// A call, which gets an id if it has none: its result has to name it.
fn call_of(item: &mut Value, ids: &Ids) -> ToolCall {
    if item["call_id"].as_str().is_none_or(str::is_empty) {
        item["call_id"] = ids.prefixed("call_").into();
    }
    let word = |name: &str| item[name].as_str().unwrap_or_default().to_owned();
    ToolCall { id: word("call_id"), name: word("name"), arguments: word("arguments") }
}

/// What an item says to the user: its texts, and its refusals.
fn text_of(item: &Value) -> String {
    let parts = item["content"].as_array().filter(|_| item["type"] == "message");
    let texts = parts.into_iter().flatten().filter_map(|part| {
        part["text"].as_str().filter(|_| part["type"] == "output_text").or_else(|| part["refusal"].as_str())
    });
    texts.collect()
}
