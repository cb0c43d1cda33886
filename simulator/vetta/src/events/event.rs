//! One event.

use serde_json::{Map, Value, json};

/// Something that happened in a session (the vocabulary of the contract's events).
#[derive(Clone, Debug, PartialEq)]
pub struct Event {
    /// `evt_…`; ids of one session increase.
    pub id: String,
    /// The member `type`: `turn.started`, …
    pub kind: &'static str,
    /// `sess_…`
    pub session_id: String,
    /// The turn in which it happened.
    pub turn_id: Option<String>,
    /// RFC 3339.
    pub created_at: String,
    /// Members beyond those.
    pub members: Map<String, Value>,
}

impl Event {
    /// The wire object.
    pub fn to_value(&self) -> Value {
        let mut shown = json!({
            "id": self.id,
            "type": self.kind,
            "session_id": self.session_id,
            "turn_id": self.turn_id,
            "created_at": self.created_at,
        });
        for (name, value) in &self.members {
            shown[name] = value.clone();
        }
        shown
    }
}
