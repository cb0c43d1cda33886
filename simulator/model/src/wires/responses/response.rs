//! The response object, which stands alone or in the events that begin and end a stream.

use serde::{Serialize, Serializer, ser::SerializeMap};
use serde_json::{Map, Value, json};

use super::output::{Item, Planned, plan};
use crate::{
    reply::Reply,
    request::Asked,
    resume::RESPONSE_ID,
    script::{FinishReason, Usage},
};

/// An answer and all that is said about it.
#[derive(Debug)]
pub(super) struct Response {
    /// Its items.
    pub(super) items: Vec<Planned>,
    id: String,
    /// What the request has said, as JSON. It stays the same from the first event to the last, and is
    /// large when there are many tools, so it is written once.
    echo: String,
}

/// What changes from one event to another.
#[derive(Serialize)]
struct Head<'a> {
    id: &'a str,
    object: &'static str,
    created_at: i64,
    status: &'static str,
    completed_at: Option<i64>,
    error: Option<Failure<'a>>,
    incomplete_details: Option<Incomplete>,
    model: &'a str,
    output: Vec<Item<'a>>,
    usage: Option<Tokens>,
}

/// Why a response failed.
#[derive(Clone, Copy, Debug, Serialize)]
pub(super) struct Failure<'a> {
    pub(super) code: &'a str,
    pub(super) message: &'a str,
}

#[derive(Serialize)]
struct Incomplete {
    reason: &'static str,
}

/// Why an answer is no complete one.
fn cut(reply: &Reply) -> Option<&'static str> {
    match reply.finish_reason {
        FinishReason::Length => Some("max_output_tokens"),
        FinishReason::ContentFilter => Some("content_filter"),
        FinishReason::Stop | FinishReason::ToolCalls => None,
    }
}

impl Response {
    pub(super) fn of(reply: &Reply, asked: &Asked) -> Self {
        // Texts, numbers and what came as JSON: nothing in here can fail to be written.
        let echo = serde_json::to_string(&Echo::of(&asked.body)).unwrap_or_default();
        Self { items: plan(reply, asked), id: format!("{RESPONSE_ID}{}", reply.token), echo }
    }

    /// The response before anything is said.
    pub(super) fn begun(&self, reply: &Reply) -> String {
        self.object(self.head(reply, "in_progress"))
    }

    /// The response in the end.
    pub(super) fn ended(&self, reply: &Reply) -> String {
        let cut = cut(reply);
        let head = self.head(reply, if cut.is_some() { "incomplete" } else { "completed" });
        self.object(Head {
            completed_at: cut.is_none().then_some(reply.created),
            incomplete_details: cut.map(|reason| Incomplete { reason }),
            output: self.items.iter().map(|item| item.done(reply)).collect(),
            usage: Some(reply.usage.into()),
            ..head
        })
    }

    /// What the event of the end is called.
    pub(super) fn end(reply: &Reply) -> &'static str {
        if cut(reply).is_some() { "response.incomplete" } else { "response.completed" }
    }

    /// The response when it fails after so many items.
    pub(super) fn failed(&self, reply: &Reply, items: usize, failure: Failure<'_>) -> String {
        let output = self.items.iter().take(items).map(|item| item.done(reply)).collect();
        self.object(Head { error: Some(failure), output, ..self.head(reply, "failed") })
    }

    fn head<'a>(&'a self, reply: &'a Reply, status: &'static str) -> Head<'a> {
        Head {
            id: &self.id,
            object: "response",
            created_at: reply.created,
            status,
            completed_at: None,
            error: None,
            incomplete_details: None,
            model: &reply.model,
            output: Vec::new(),
            usage: None,
        }
    }

    fn object(&self, head: Head<'_>) -> String {
        let mut object = serde_json::to_string(&head).unwrap_or_default();
        // Two objects become one: neither is empty, and they share no name.
        object.pop();
        object.reserve(self.echo.len());
        object.push(',');
        object.push_str(self.echo.get(1..).unwrap_or_default());
        object
    }
}

/// What the request has said, or the API's defaults.
#[derive(Serialize)]
struct Echo<'a> {
    background: Given<'a>,
    instructions: Given<'a>,
    max_output_tokens: Given<'a>,
    max_tool_calls: Given<'a>,
    metadata: Given<'a>,
    parallel_tool_calls: Given<'a>,
    previous_response_id: Given<'a>,
    prompt: Given<'a>,
    prompt_cache_key: Given<'a>,
    prompt_cache_retention: Given<'a>,
    reasoning: Filled<'a>,
    safety_identifier: Given<'a>,
    service_tier: Given<'a>,
    store: Given<'a>,
    temperature: Given<'a>,
    text: Filled<'a>,
    tool_choice: Given<'a>,
    tools: Vec<Filled<'a>>,
    top_logprobs: Given<'a>,
    top_p: Given<'a>,
    truncation: Given<'a>,
    user: Given<'a>,
}

impl<'a> Echo<'a> {
    fn of(body: &'a Value) -> Self {
        let given = |name: &str, default: Value| match &body[name] {
            Value::Null => Given::Default(default),
            value => Given::Said(value),
        };
        let tier = match body["service_tier"].as_str() {
            None | Some("auto") => Given::Default("default".into()),
            Some("fast") => Given::Default("priority".into()),
            Some(_) => given("service_tier", Value::Null),
        };
        let text = [("format", json!({"type": "text"})), ("verbosity", "medium".into())];
        Self {
            background: given("background", false.into()),
            instructions: given("instructions", Value::Null),
            max_output_tokens: given("max_output_tokens", Value::Null),
            max_tool_calls: given("max_tool_calls", Value::Null),
            metadata: given("metadata", json!({})),
            parallel_tool_calls: given("parallel_tool_calls", true.into()),
            previous_response_id: given("previous_response_id", Value::Null),
            prompt: given("prompt", Value::Null),
            prompt_cache_key: given("prompt_cache_key", Value::Null),
            prompt_cache_retention: given("prompt_cache_retention", Value::Null),
            reasoning: Filled::of(&body["reasoning"], [("effort", Value::Null), ("summary", Value::Null)]),
            safety_identifier: given("safety_identifier", Value::Null),
            service_tier: tier,
            store: given("store", true.into()),
            temperature: given("temperature", json!(1.0)),
            text: Filled::of(&body["text"], text),
            tool_choice: given("tool_choice", "auto".into()),
            tools: body["tools"].as_array().into_iter().flatten().map(tool).collect(),
            top_logprobs: given("top_logprobs", 0.into()),
            top_p: given("top_p", json!(1.0)),
            truncation: given("truncation", "disabled".into()),
            user: given("user", Value::Null),
        }
    }
}

/// A tool as the API tells it back: a function is strict unless the request says otherwise.
fn tool(tool: &Value) -> Filled<'_> {
    if tool["type"] != "function" {
        return Filled::of(tool, []);
    }
    Filled::of(tool, [("description", Value::Null), ("parameters", Value::Null), ("strict", true.into())])
}

/// A field of the request, or its default.
#[derive(Serialize)]
#[serde(untagged)]
enum Given<'a> {
    Said(&'a Value),
    Default(Value),
}

/// An object of the request, with the fields that it leaves out.
struct Filled<'a> {
    said: Option<&'a Map<String, Value>>,
    left_out: Vec<(&'static str, Value)>,
}

impl<'a> Filled<'a> {
    fn of(object: &'a Value, defaults: impl IntoIterator<Item = (&'static str, Value)>) -> Self {
        let said = object.as_object();
        let is_left_out = |name: &str| said.and_then(|fields| fields.get(name)).is_none_or(Value::is_null);
        let left_out = defaults.into_iter().filter(|(name, _)| is_left_out(name)).collect();
        Self { said, left_out }
    }
}

impl Serialize for Filled<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        let is_left_out = |name: &str| self.left_out.iter().any(|(left_out, _)| *left_out == name);
        for (name, value) in self.said.into_iter().flatten().filter(|(name, _)| !is_left_out(name)) {
            map.serialize_entry(name, value)?;
        }
        for (name, value) in &self.left_out {
            map.serialize_entry(name, value)?;
        }
        map.end()
    }
}

/// Token counts in this wire's words.
#[derive(Serialize)]
struct Tokens {
    input_tokens: u64,
    input_tokens_details: InputTokens,
    output_tokens: u64,
    output_tokens_details: OutputTokens,
    total_tokens: u64,
}

#[derive(Serialize)]
struct InputTokens {
    cached_tokens: u64,
    cache_write_tokens: u64,
}

#[derive(Serialize)]
struct OutputTokens {
    reasoning_tokens: u64,
}

impl From<Usage> for Tokens {
    fn from(usage: Usage) -> Self {
        let Usage { input_tokens, output_tokens, cached_tokens, cache_write_tokens, reasoning_tokens } =
            usage;
        Self {
            input_tokens,
            input_tokens_details: InputTokens { cached_tokens, cache_write_tokens },
            output_tokens,
            output_tokens_details: OutputTokens { reasoning_tokens },
            total_tokens: input_tokens.saturating_add(output_tokens),
        }
    }
}
