//! The loop behind a turn, as this room sees it.

use std::{future::Future, pin::Pin, sync::Arc};

use serde_json::{Value, json};

use crate::{agents::AgentConfig, sessions::Line};

/// What answers messages. A world plugs a real agent loop in; [`super::Scripted`] answers without a model.
pub trait Turns: Send + Sync {
    /// Runs one turn. Pieces of the answer go to `deltas` as they are written; put together they are the
    /// text of the answer. Dropping the future cancels the turn.
    fn answer(&self, request: TurnRequest, deltas: Deltas) -> Answering;
}

/// A turn under way.
pub type Answering = Pin<Box<dyn Future<Output = Result<Answer, TurnError>> + Send>>;

/// What a turn is asked for.
#[derive(Clone, Debug, PartialEq)]
pub struct TurnRequest {
    /// `sess_…`
    pub session_id: String,
    /// `turn_…`
    pub turn_id: String,
    /// The loop that serves the session: a `base` of the catalogue.
    pub harness: String,
    /// The agent's configuration when the session was started.
    pub agent: AgentConfig,
    /// What has been said so far, the new message last.
    pub transcript: Vec<Line>,
    /// Whether anybody listens to deltas.
    pub streaming: bool,
    /// The offer to hand in a typed answer; `None` when none is wanted, or the loop has no way to do it.
    pub submit: Option<Submit>,
}

/// The offer to hand in a typed answer.
#[derive(Clone, Debug, PartialEq)]
pub struct Submit {
    /// Its JSON Schema; `None` takes any JSON value.
    pub schema: Option<Value>,
    /// Whether a turn without one has failed.
    pub required: bool,
}

/// The answer of a turn.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Answer {
    /// What the loop said; empty when it said nothing.
    pub text: String,
    /// The typed answer that it handed in, valid against the schema of the offer.
    pub structured: Option<Value>,
}

/// Why a turn failed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{code}: {message}")]
pub struct TurnError {
    /// `structured_output_missing`, …
    pub code: String,
    /// A lower-case fragment.
    pub message: String,
}

impl TurnError {
    /// A failure with a code and a message.
    pub fn new(code: impl Into<String>, message: impl Into<String>) -> Self {
        Self { code: code.into(), message: message.into() }
    }

    /// The wire object: `{"code","message"}`.
    pub fn to_value(&self) -> Value {
        json!({"code": self.code, "message": self.message})
    }
}

/// Where the pieces of an answer go.
#[derive(Clone)]
pub struct Deltas(Arc<dyn Fn(&str) + Send + Sync>);

impl Deltas {
    /// Hands each piece to `hear`.
    pub fn new(hear: impl Fn(&str) + Send + Sync + 'static) -> Self {
        Self(Arc::new(hear))
    }

    /// Says the next piece.
    pub fn say(&self, piece: &str) {
        (self.0)(piece);
    }
}
