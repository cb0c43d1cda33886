//! Anthropic Messages.

mod events;
mod message;
mod read;

use std::sync::Arc;

use serde_json::{Value, json};

use super::{Event, Events, Wire};
use crate::{
    rejection::Rejection,
    reply::Reply,
    request::{Asked, Understood},
    script::{ErrorEvent, WireName},
};

/// The wire of `POST /v1/messages`.
pub(crate) static MESSAGES: Messages = Messages;

/// See [`MESSAGES`].
#[derive(Debug)]
pub(crate) struct Messages;

/// Headers of the wire. The quota never shrinks: it is there for clients that read it.
#[rustfmt::skip]
const HEADERS: &[(&str, &str)] = &[
    ("anthropic-organization-id", "proofhouse"),
    ("anthropic-ratelimit-requests-limit", "4000"),
    ("anthropic-ratelimit-requests-remaining", "3999"),
    ("anthropic-ratelimit-requests-reset", RESET),
    ("anthropic-ratelimit-tokens-limit", "2400000"),
    ("anthropic-ratelimit-tokens-remaining", "2399000"),
    ("anthropic-ratelimit-tokens-reset", RESET),
    ("anthropic-ratelimit-input-tokens-limit", "2000000"),
    ("anthropic-ratelimit-input-tokens-remaining", "1999000"),
    ("anthropic-ratelimit-input-tokens-reset", RESET),
    ("anthropic-ratelimit-output-tokens-limit", "400000"),
    ("anthropic-ratelimit-output-tokens-remaining", "400000"),
    ("anthropic-ratelimit-output-tokens-reset", RESET),
];
/// When the quota is full again: always the same instant, so that answers repeat to the byte.
const RESET: &str = "2026-01-05T09:00:00Z";

impl Wire for Messages {
    fn name(&self) -> WireName {
        WireName::Messages
    }

    fn request_id_header(&self) -> &'static str {
        "request-id"
    }

    fn headers(&self) -> &'static [(&'static str, &'static str)] {
        HEADERS
    }

    fn read(&self, body: &Value) -> Result<Understood, Rejection> {
        read::request(body)
    }

    fn whole(&self, reply: &Reply, asked: &Asked) -> String {
        message::whole(reply, manages_context(asked))
    }

    fn events(&self, reply: &Arc<Reply>, asked: &Asked) -> Events {
        events::of(reply.clone(), manages_context(asked))
    }

    fn error(&self, rejection: &Rejection, request_id: &str) -> Value {
        let code = rejection.code.as_deref();
        envelope(rejection.kind_on(self.name()), &rejection.message, code, request_id)
    }

    fn error_event(&self, error: &ErrorEvent, reply: &Reply, _: &Asked) -> Event {
        let kind = error.kind.as_deref().unwrap_or("overloaded_error");
        let message = error.message.as_deref().unwrap_or("the script breaks this stream");
        let request_id = format!("req_{}", reply.token);
        let data = envelope(kind, message, error.code.as_deref(), &request_id).to_string();
        Event { name: "error", told: true, data }
    }
}

/// An error. Its code, when it has one, stands among the details.
fn envelope(kind: &str, message: &str, code: Option<&str>, request_id: &str) -> Value {
    let mut error = json!({"type": kind, "message": message});
    if let Some(code) = code {
        error["details"] = json!({"error_code": code});
    }
    json!({"type": "error", "error": error, "request_id": request_id})
}

/// Whether the request wants to be told which parts of the conversation were cleared.
fn manages_context(asked: &Asked) -> bool {
    asked.body["context_management"].is_object()
}
