//! Asking the model.

use std::time::Duration;

use serde_json::{Value, json};
use wire::{
    Ids, Net,
    http::{Failure, Open, Request, open},
    sse::Parser,
};

use super::{
    Completion, ModelError, ModelUrl,
    chunk::{Gathering, provider_words},
};
use crate::{Message, ToolDefinition};

/// What one model turn may cost.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Until the head of the answer has arrived.
    pub head: Duration,
    /// The largest answer that is read.
    pub body_bytes_max: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { head: Duration::from_secs(300), body_bytes_max: 16 * 1024 * 1024 }
    }
}

/// A model behind a URL.
///
/// Dropping the future of a turn closes its connection, which is how an abort reaches the provider.
#[derive(Clone, Debug)]
pub struct ModelClient {
    net: Net,
    url: ModelUrl,
    model: String,
    limits: Limits,
    ids: Ids,
}

impl ModelClient {
    /// The model called `model` at `url`, reached over `net`. `ids` names tool calls that come without an id.
    pub fn new(net: Net, url: ModelUrl, model: impl Into<String>, ids: Ids) -> Self {
        Self { net, url, model: model.into(), limits: Limits::default(), ids }
    }

    /// The same endpoint under another model name.
    #[must_use]
    pub fn with_model(mut self, model: impl Into<String>) -> Self {
        self.model = model.into();
        self
    }

    /// The same endpoint with other limits.
    #[must_use]
    pub fn with_limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// The name of the model in every request.
    pub fn model(&self) -> &str {
        &self.model
    }

    /// One turn: sends the conversation and reads the streamed answer to its end.
    pub async fn complete(
        &self,
        messages: &[Message],
        tools: &[ToolDefinition],
    ) -> Result<Completion, ModelError> {
        let body = self.body(messages, tools).to_string();
        let request = Request::new("POST", self.url.below("chat/completions"))
            .header("accept", "text/event-stream")
            .json(body.into_bytes());
        let mut answer = open(&self.net, self.url.authority(), &request, self.limits.head).await?;
        if !(200..300).contains(&answer.status) {
            return Err(self.refusal(answer).await);
        }
        let mut parser = Parser::default();
        let mut gathering = Gathering::default();
        let mut read = 0;
        while let Some(piece) = answer.next().await {
            let piece = piece?;
            read += piece.len();
            if read > self.limits.body_bytes_max {
                return Err(Failure::TooLarge(self.limits.body_bytes_max).into());
            }
            for frame in parser.push(&piece) {
                if let Some(data) = frame.data {
                    gathering.take(&data)?;
                }
            }
            if gathering.is_done() {
                break;
            }
        }
        gathering.finish(&self.ids)
    }

    fn body(&self, messages: &[Message], tools: &[ToolDefinition]) -> Value {
        let messages: Vec<Value> = messages.iter().map(Message::to_chat).collect();
        let mut body = json!({
            "model": self.model,
            "messages": messages,
            "stream": true,
            "stream_options": {"include_usage": true},
        });
        if !tools.is_empty() {
            body["tools"] = tools.iter().map(ToolDefinition::to_chat).collect();
        }
        body
    }

    async fn refusal(&self, mut answer: Open) -> ModelError {
        let mut body = Vec::new();
        while let Some(Ok(piece)) = answer.next().await {
            body.extend_from_slice(&piece);
            if body.len() > self.limits.body_bytes_max {
                break;
            }
        }
        let message = serde_json::from_slice::<Value>(&body)
            .map_or_else(|_| String::from_utf8_lossy(&body).into_owned(), |error| provider_words(&error));
        ModelError::Status { status: answer.status, message }
    }
}
