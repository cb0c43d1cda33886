//! OpenAI Chat Completions.

mod events;
mod read;
mod whole;

use std::sync::Arc;

use serde::Serialize;
use serde_json::{Value, json};

use super::{Event, Events, Wire};
use crate::{
    rejection::Rejection,
    reply::Reply,
    request::{Asked, Understood},
    script::{ErrorEvent, Usage, WireName},
};

/// The wire of `POST /v1/chat/completions`.
pub(crate) static CHAT: Chat = Chat;

/// See [`CHAT`].
#[derive(Debug)]
pub(crate) struct Chat;

/// Headers of the OpenAI wires. The quota never shrinks: it is there for clients that read it.
pub(super) const OPENAI_HEADERS: &[(&str, &str)] = &[
    ("openai-version", "2020-10-01"),
    ("openai-organization", "proofhouse"),
    ("openai-processing-ms", "1"),
    ("x-ratelimit-limit-requests", "10000"),
    ("x-ratelimit-limit-tokens", "2000000"),
    ("x-ratelimit-remaining-requests", "9999"),
    ("x-ratelimit-remaining-tokens", "1999000"),
    ("x-ratelimit-reset-requests", "6ms"),
    ("x-ratelimit-reset-tokens", "30ms"),
];

impl Wire for Chat {
    fn name(&self) -> WireName {
        WireName::Chat
    }

    fn request_id_header(&self) -> &'static str {
        "x-request-id"
    }

    fn headers(&self) -> &'static [(&'static str, &'static str)] {
        OPENAI_HEADERS
    }

    fn read(&self, body: &Value) -> Result<Understood, Rejection> {
        read::request(body)
    }

    fn whole(&self, reply: &Reply, asked: &Asked) -> String {
        whole::completion(reply, choices(asked))
    }

    fn events(&self, reply: &Arc<Reply>, asked: &Asked) -> Events {
        let usage = asked.body["stream_options"]["include_usage"] == Value::Bool(true);
        events::of(reply.clone(), choices(asked), usage)
    }

    fn error(&self, rejection: &Rejection, _: &str) -> Value {
        let Rejection { message, param, code, .. } = rejection;
        let kind = rejection.kind_on(self.name());
        json!({"error": {"message": message, "type": kind, "param": param, "code": code}})
    }

    fn error_event(&self, error: &ErrorEvent, _: &Reply, _: &Asked) -> Event {
        let ErrorEvent { kind, message, code, .. } = error;
        let error = json!({
            "message": message.as_deref().unwrap_or("the script breaks this stream"),
            "type": kind.as_deref().unwrap_or("server_error"),
            "param": null,
            "code": code,
        });
        Event { name: "error", told: false, data: json!({"error": error}).to_string() }
    }
}

/// The most choices that are given, as in the API.
const CHOICES_MAX: u64 = 128;

/// How many choices a request asks for.
fn choices(asked: &Asked) -> u64 {
    asked.body["n"].as_u64().unwrap_or(1).clamp(1, CHOICES_MAX)
}

/// Token counts in this wire's words.
#[derive(Serialize)]
struct Tokens {
    prompt_tokens: u64,
    completion_tokens: u64,
    total_tokens: u64,
    prompt_tokens_details: PromptTokens,
    completion_tokens_details: CompletionTokens,
}

#[derive(Serialize)]
struct PromptTokens {
    cached_tokens: u64,
    audio_tokens: u64,
}

#[derive(Serialize)]
struct CompletionTokens {
    reasoning_tokens: u64,
    audio_tokens: u64,
    accepted_prediction_tokens: u64,
    rejected_prediction_tokens: u64,
}

impl From<Usage> for Tokens {
    fn from(usage: Usage) -> Self {
        let Usage { input_tokens, output_tokens, cached_tokens, reasoning_tokens, .. } = usage;
        Self {
            prompt_tokens: input_tokens,
            completion_tokens: output_tokens,
            total_tokens: input_tokens.saturating_add(output_tokens),
            prompt_tokens_details: PromptTokens { cached_tokens, audio_tokens: 0 },
            completion_tokens_details: CompletionTokens {
                reasoning_tokens,
                audio_tokens: 0,
                accepted_prediction_tokens: 0,
                rejected_prediction_tokens: 0,
            },
        }
    }
}
