//! Asking the model.

use std::time::Duration;

use serde_json::Value;
use wire::{
    Ids, Net,
    http::{Failure, Open, Request, open},
    sse::Parser,
};

use super::{Completion, Dialect, ModelError, ModelUrl, dialect::provider_words};
use crate::{Message, ToolDefinition};

/// What one model turn may cost.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Until the head of the answer has arrived.
    pub head: Duration,
    /// Until the answer has ended.
    pub whole: Duration,
    /// The largest answer that is read.
    pub body_bytes_max: usize,
}

impl Default for Limits {
    fn default() -> Self {
        let turn = Duration::from_secs(300);
        Self { head: turn, whole: turn, body_bytes_max: 16 * 1024 * 1024 }
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
    dialect: Dialect,
    limits: Limits,
    ids: Ids,
}

impl ModelClient {
    /// The model called `model` at `url`, reached over `net` and spoken to in Chat Completions. `ids` names
    /// tool calls that come without an id.
    pub fn new(net: Net, url: ModelUrl, model: impl Into<String>, ids: Ids) -> Self {
        Self { net, url, model: model.into(), dialect: Dialect::default(), limits: Limits::default(), ids }
    }

    /// The same endpoint under another model name.
    #[must_use]
    pub fn with_model(mut self, model: impl Into<String>) -> Self {
        self.model = model.into();
        self
    }

    /// The same endpoint on another wire.
    #[must_use]
    pub fn with_dialect(mut self, dialect: Dialect) -> Self {
        self.dialect = dialect;
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

    /// The wire on which it is spoken to.
    pub fn dialect(&self) -> Dialect {
        self.dialect
    }

    /// One turn: sends the conversation and reads the streamed answer to its end.
    pub async fn complete(
        &self,
        messages: &[Message],
        tools: &[ToolDefinition],
    ) -> Result<Completion, ModelError> {
        self.complete_heard(messages, tools, &|_| {}).await
    }

    /// As [`ModelClient::complete`]; `hear` gets the pieces of the text as they arrive, none of them empty.
    /// Put together they are the text of the answer, unless the answer breaks off.
    pub async fn complete_heard(
        &self,
        messages: &[Message],
        tools: &[ToolDefinition],
        hear: &(dyn Fn(&str) + Send + Sync),
    ) -> Result<Completion, ModelError> {
        let whole = self.limits.whole;
        let turn = self.exchange(messages, tools, hear);
        tokio::time::timeout(whole, turn).await.unwrap_or_else(|_| Err(Failure::NoEnd(whole).into()))
    }

    async fn exchange(
        &self,
        messages: &[Message],
        tools: &[ToolDefinition],
        hear: &(dyn Fn(&str) + Send + Sync),
    ) -> Result<Completion, ModelError> {
        let body = self.dialect.body(&self.model, messages, tools).to_string();
        let request = Request::new("POST", self.url.below(self.dialect.endpoint()))
            .header("accept", "text/event-stream")
            .json(body.into_bytes());
        let request = self
            .dialect
            .headers()
            .iter()
            .fold(request, |request, (name, value)| request.header(name, *value));
        let net = self.url.net(&self.net)?;
        let mut answer = open(&net, self.url.authority(), &request, self.limits.head).await?;
        if !(200..300).contains(&answer.status) {
            return Err(self.refusal(answer).await);
        }
        let mut parser = Parser::default();
        let mut gathering = self.dialect.gathering();
        let mut read = 0;
        while let Some(piece) = answer.next().await {
            let piece = piece?;
            read += piece.len();
            if read > self.limits.body_bytes_max {
                return Err(Failure::TooLarge(self.limits.body_bytes_max).into());
            }
            for frame in parser.push(&piece) {
                if let Some(data) = frame.data {
                    let heard = gathering.take(&data)?;
                    if !heard.is_empty() {
                        hear(&heard);
                    }
                }
            }
            if gathering.is_done() {
                break;
            }
        }
        gathering.finish(&self.ids)
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
