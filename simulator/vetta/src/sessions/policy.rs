//! How sessions come to be, are shown, and take messages.

use std::sync::Arc;

use serde_json::{Value, json};

use super::{Session, SessionRules, SessionStatus};
use crate::{Refusal, admission::Applicant, environment::Row, sandbox::Sandbox, turns::TurnError};

/// A start on its way to a session.
pub struct Opening<'a> {
    /// What asks to be admitted.
    pub applicant: Applicant<'a>,
    /// Judges it.
    pub admit: &'a dyn Fn() -> Result<(), Refusal>,
    /// Makes a session that nobody can see yet. Each call makes another one.
    pub draft: &'a dyn Fn() -> Result<Session, Refusal>,
    /// Makes a session visible.
    pub keep: &'a mut dyn FnMut(Session),
}

/// The policy of sessions.
#[derive(Clone)]
pub struct Sessions {
    /// Limits of the bodies.
    pub rules: SessionRules,
    /// The loop that serves an admitted start: the one that was asked for.
    pub serving: Arc<dyn Fn(&Applicant<'_>) -> Option<Row> + Send + Sync>,
    /// Takes a start to a session, or refuses it and leaves nothing behind.
    pub open: Arc<dyn Fn(&mut Opening<'_>) -> Result<Session, Refusal> + Send + Sync>,
    /// Whether a session takes a message now.
    pub takes_message: Arc<dyn Fn(&Session) -> Result<(), Refusal> + Send + Sync>,
    /// A session as a wire object.
    pub render: Arc<dyn Fn(&Session) -> Value + Send + Sync>,
}

impl Default for Sessions {
    fn default() -> Self {
        Self {
            rules: SessionRules::default(),
            serving: Arc::new(|applicant| applicant.row.cloned()),
            open: Arc::new(open),
            takes_message: Arc::new(takes_message),
            render: Arc::new(render),
        }
    }
}

/// Admission comes first: a refused start has no session (invariants 1 and 7).
pub fn open(opening: &mut Opening<'_>) -> Result<Session, Refusal> {
    (opening.admit)()?;
    let session = (opening.draft)()?;
    (opening.keep)(session.clone());
    Ok(session)
}

fn takes_message(session: &Session) -> Result<(), Refusal> {
    match session.status {
        SessionStatus::Idle | SessionStatus::Parked => Ok(()),
        SessionStatus::Running => {
            Err(Refusal::conflict("turn_running", None, "a turn is on; send the message when it is over"))
        }
        SessionStatus::RequiresAction => Err(Refusal::conflict(
            "decision_pending",
            None,
            "a tool call waits for a decision; answer it first",
        )),
        SessionStatus::Failed | SessionStatus::Ended => {
            Err(Refusal::conflict("session_ended", None, "the session is over; start another one"))
        }
    }
}

fn render(session: &Session) -> Value {
    let last_turn = session.last_turn.as_ref().map(|turn| {
        let mut shown = json!({"id": turn.id, "status": turn.status});
        if let Some(error) = &turn.error {
            shown["error"] = TurnError::to_value(error);
        }
        shown
    });
    json!({
        "id": session.id,
        "object": "session",
        "agent": {
            "id": session.agent.id,
            "version": session.agent.version,
            "harness": session.row.harness.base,
        },
        "title": session.start.title,
        "status": session.status,
        "sandbox": session.sandbox.as_ref().map(Sandbox::to_value),
        "last_turn": last_turn,
        "structured_output": session.structured_output,
        "tool_endpoint": null,
        "created_at": session.created_at,
    })
}
