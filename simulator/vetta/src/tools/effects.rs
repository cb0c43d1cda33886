//! What tools have done: the log that a tool keeps of itself.

use std::sync::{Arc, Mutex, PoisonError};

use serde_json::Value;

/// One time that a tool did its work.
#[derive(Clone, Debug, PartialEq)]
pub struct Effect {
    /// `sess_…`
    pub session_id: String,
    /// The tool.
    pub name: String,
    /// `call_…`
    pub tool_call_id: String,
    /// What it was called with.
    pub arguments: Value,
    /// RFC 3339.
    pub at: String,
}

/// The log of all tools of a service, oldest first. An entry is made when the work begins, by the tool
/// itself and not by what decides whether it may.
#[derive(Clone, Debug, Default)]
pub struct Effects(Arc<Mutex<Vec<Effect>>>);

impl Effects {
    /// Writes one down.
    pub fn add(&self, effect: Effect) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(effect);
    }

    /// Those of one session.
    pub fn of_session(&self, session_id: &str) -> Vec<Effect> {
        let all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        all.iter().filter(|effect| effect.session_id == session_id).cloned().collect()
    }
}
