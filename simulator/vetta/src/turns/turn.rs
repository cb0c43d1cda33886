//! The loop behind a turn, as this room sees it.

use std::{future::Future, pin::Pin, sync::Arc};

use agent::{Cancel, Message, Tool};
use serde_json::{Value, json};

use super::{Conforms, Stage};
use crate::agents::AgentConfig;

/// What answers messages: [`super::Looped`] asks a model, [`super::Scripted`] answers without one.
pub trait Turns: Send + Sync {
    /// Runs one turn and tells `stage` what happens in it. Dropping the future ends the turn at once.
    fn answer(&self, request: TurnRequest, stage: Stage) -> Answering;
}

/// A turn under way.
pub type Answering = Pin<Box<dyn Future<Output = Result<Answer, TurnError>> + Send>>;

/// What a turn is asked for.
#[derive(Clone)]
pub struct TurnRequest {
    /// `sess_…`
    pub session_id: String,
    /// `turn_…`
    pub turn_id: String,
    /// The loop that serves the session: a `base` of the catalogue.
    pub harness: String,
    /// The agent's configuration when the session was started.
    pub agent: AgentConfig,
    /// What has been said so far, the new message last; the system text is not among it.
    pub conversation: Vec<Message>,
    /// What the loop may call, behind the agent's policy.
    pub tools: Vec<Arc<dyn Tool>>,
    /// Calls the turn off.
    pub cancel: Cancel,
    /// The offer to hand in a typed answer; `None` when none is wanted, or the loop has no way to do it.
    pub submit: Option<Submit>,
    /// Whether the turn fails without a typed answer, offer or not.
    pub typed_answer_required: bool,
    /// Whether a typed answer keeps the schema of the offer.
    pub conforms: Conforms,
}

impl TurnRequest {
    /// The message that is to be answered.
    pub fn message(&self) -> &str {
        match self.conversation.last() {
            Some(Message::User(text)) => text,
            _ => "",
        }
    }
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
    /// What the loop said and has not told its stage; empty when there is nothing of the kind.
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
