//! How a turn is asked for and how it ends.

use std::sync::Arc;

use serde_json::Value;

use super::{Answer, Conforms, Submit, TurnError, Turns, conforms};
use crate::{
    agents::{Agent, AgentConfig},
    environment::{Environment, Row},
    sessions::{Session, SessionStatus},
};

/// A decorator around what answers messages.
pub type Wrap = Arc<dyn Fn(Arc<dyn Turns>) -> Arc<dyn Turns> + Send + Sync>;

/// The end of a turn.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Settled {
    /// A last message that nobody has been told yet.
    pub text: Option<String>,
    /// The typed answer.
    pub structured: Option<Value>,
    /// Why the turn failed; completed otherwise.
    pub failure: Option<TurnError>,
}

/// A turn that is about to begin.
#[derive(Clone, Copy)]
pub struct Going<'a> {
    /// The session, with its snapshot of the agent and of the loop.
    pub session: &'a Session,
    /// The agent as it is stored now; `None` once it is deleted.
    pub stored: Option<&'a Agent>,
    /// The environment of the session.
    pub environment: &'a Environment,
}

/// The policy of turns.
#[derive(Clone)]
pub struct TurnRules {
    /// Put around what the service was given, in order, when it is made.
    pub wraps: Vec<Wrap>,
    /// By which configuration and on which loop a turn goes: those that the session was started with (open
    /// point U52).
    pub goes_by: Arc<dyn Fn(&Going<'_>) -> (AgentConfig, Row) + Send + Sync>,
    /// Whether the pieces of an answer become `message.delta` events.
    pub streams: Arc<dyn Fn(&Session) -> bool + Send + Sync>,
    /// The offer of a typed answer that a loop gets.
    pub submit: Arc<dyn Fn(&Session) -> Option<Submit> + Send + Sync>,
    /// Whether a typed answer keeps its schema.
    pub conforms: Conforms,
    /// From what the loop did to the end of the turn.
    pub settle: Arc<dyn Fn(&Session, Result<Answer, TurnError>) -> Settled + Send + Sync>,
    /// Where a session stands when its turn is over (open point U48).
    pub resting: Arc<dyn Fn(&Session) -> SessionStatus + Send + Sync>,
}

impl Default for TurnRules {
    fn default() -> Self {
        Self {
            wraps: Vec::new(),
            goes_by: Arc::new(|going| (going.session.agent.config.clone(), going.session.row.clone())),
            streams: Arc::new(|session| session.row.harness.capabilities.streaming_deltas),
            submit: Arc::new(submit),
            conforms: Arc::new(conforms),
            settle: Arc::new(settle),
            resting: Arc::new(resting),
        }
    }
}

/// A loop without a submit path gets no offer, whatever its flag says: that is the known gap.
pub fn submit(session: &Session) -> Option<Submit> {
    let start = &session.start;
    let wanted = start.structured_output_required || start.structured_output_schema.is_some();
    (wanted && session.row.facts.can_submit).then(|| Submit {
        schema: start.structured_output_schema.clone(),
        required: start.structured_output_required,
    })
}

/// A turn that had to give a typed answer and did not has failed in the open, even if it said something
/// (invariant 2).
pub fn settle(session: &Session, outcome: Result<Answer, TurnError>) -> Settled {
    match outcome {
        Err(failure) => Settled { failure: Some(failure), ..Settled::default() },
        Ok(answer) => {
            let structured = answer.structured.filter(|_| session.row.facts.can_submit);
            let missing = session.start.structured_output_required && structured.is_none();
            let failure = missing.then(|| {
                let message = "the turn ended and no typed answer had been handed in";
                TurnError::new("structured_output_missing", message)
            });
            Settled { text: (!answer.text.is_empty()).then_some(answer.text), structured, failure }
        }
    }
}

/// A coordinator whose threads are open is parked; everybody else is idle.
pub fn resting(session: &Session) -> SessionStatus {
    if session.open_threads.is_empty() { SessionStatus::Idle } else { SessionStatus::Parked }
}
