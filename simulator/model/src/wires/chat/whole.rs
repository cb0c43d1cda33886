//! A chat completion in one piece.

use serde::Serialize;
use serde_json::{Map, Value};

use super::Tokens;
use crate::reply::{Reply, SentCall};

#[derive(Serialize)]
struct Completion<'a> {
    id: String,
    object: &'static str,
    created: i64,
    model: &'a str,
    choices: Vec<Choice<'a>>,
    usage: Tokens,
    service_tier: &'static str,
    system_fingerprint: Option<&'static str>,
}

#[derive(Serialize)]
struct Choice<'a> {
    index: u64,
    message: Message<'a>,
    logprobs: Option<()>,
    finish_reason: &'static str,
}

#[derive(Serialize)]
struct Message<'a> {
    role: &'static str,
    content: Option<&'a str>,
    refusal: Option<&'a str>,
    #[serde(flatten, skip_serializing_if = "Map::is_empty")]
    reasoning: Map<String, Value>,
    annotations: [(); 0],
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tool_calls: Vec<Call<'a>>,
}

#[derive(Serialize)]
struct Call<'a> {
    id: &'a str,
    r#type: &'static str,
    function: Function<'a>,
}

#[derive(Serialize)]
struct Function<'a> {
    name: &'a str,
    arguments: &'a str,
}

/// The answer, said `choices` times.
pub(super) fn completion(reply: &Reply, choices: u64) -> String {
    let (text, refusal) = (reply.text(), reply.refusal());
    let field = reply.stream.reasoning_field.word().to_owned();
    let reasoning: Map<String, Value> =
        reply.thinking().map(|thought| (field, Value::String(thought))).into_iter().collect();
    let choice = |index| Choice {
        index,
        message: Message {
            role: "assistant",
            content: text.as_deref(),
            refusal: refusal.as_deref(),
            reasoning: reasoning.clone(),
            annotations: [],
            tool_calls: reply.tool_calls().map(call).collect(),
        },
        logprobs: None,
        finish_reason: reply.finish_reason.word(),
    };
    let completion = Completion {
        id: format!("chatcmpl-{}", reply.token),
        object: "chat.completion",
        created: reply.created,
        model: &reply.model,
        choices: (0..choices).map(choice).collect(),
        usage: reply.usage.into(),
        service_tier: "default",
        system_fingerprint: None,
    };
    // Texts and numbers only: nothing in here can fail to be written.
    serde_json::to_string(&completion).unwrap_or_default()
}

fn call(call: &SentCall) -> Call<'_> {
    let SentCall { id, name, arguments } = call;
    Call { id, r#type: "function", function: Function { name, arguments } }
}
