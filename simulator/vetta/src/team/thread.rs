//! A thread, and what it reports.

use agent::Message;
use serde_json::{Value, json};

use crate::sessions::{Session, TurnStatus};

/// What a thread that is over has to say.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Report {
    /// `thr_…`
    pub thread_id: String,
    /// `agent_…`
    pub agent_id: String,
    /// `completed` or `failed`.
    pub status: &'static str,
    /// The last words of its agent, or why it failed.
    pub text: String,
}

impl Report {
    /// The report of a thread whose turn is over.
    pub(super) fn of(thread: &Session) -> Self {
        let failure = thread.last_turn.as_ref().and_then(|turn| turn.error.as_ref());
        let text = failure.map_or_else(|| last_words(thread), |error| error.message.clone());
        let (thread_id, agent_id) = (thread.id.clone(), thread.agent.id.clone());
        Self { thread_id, agent_id, status: status(thread), text }
    }

    /// The report as a model is given it.
    pub fn to_value(&self) -> Value {
        json!({
            "thread_id": self.thread_id,
            "agent_id": self.agent_id,
            "status": self.status,
            "text": self.text,
        })
    }
}

fn last_words(thread: &Session) -> String {
    let said = thread.conversation.iter().rev().find_map(|message| match message {
        Message::Assistant { text, .. } => Some(text.clone()),
        _ => None,
    });
    said.unwrap_or_default()
}

/// `running`, `idle`, `completed` or `failed`.
fn status(thread: &Session) -> &'static str {
    match thread.last_turn.as_ref().map(|turn| turn.status) {
        None => "idle",
        Some(TurnStatus::Running) => "running",
        Some(TurnStatus::Completed) => "completed",
        Some(TurnStatus::Failed | TurnStatus::Cancelled) => "failed",
    }
}

/// A thread as a wire object.
pub(crate) fn render(thread: &Session) -> Value {
    json!({
        "id": thread.id,
        "object": "thread",
        "session_id": thread.coordinator,
        "agent_id": thread.agent.id,
        "status": status(thread),
        "created_at": thread.created_at,
    })
}
