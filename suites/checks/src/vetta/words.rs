//! What a target calls the things of a turn, where the documents leave it open. Its description maps what it
//! calls otherwise; what it does not mention has the reference's name.

use recording::TargetFacts;
use serde_json::Value;

/// Settings that are one text, and the reference's.
const TEXTS: [(&str, &str); 16] = [
    ("confirmation_path", "/v1/sessions/{session}/tool_confirmations"),
    ("confirmation_body", r#"{"tool_call_id": "{call}", "decision": "{decision}"}"#),
    ("pending_event", "tool.confirmation_required"),
    ("pending_call", "/tool_call_id"),
    ("delta_text", "/delta/text"),
    ("message_text", "/message/text"),
    ("message_id", "/message_id"),
    ("turn_status", "/last_turn/status"),
    ("typed_answer", "/structured_output"),
    ("submit_tool", "submit"),
    ("submit_argument", "value"),
    ("write_tool", "write"),
    ("read_tool", "read"),
    ("sandbox", "/sandbox"),
    ("balance_path", "/v1/balance"),
    ("balance", "/credits"),
];

/// Settings that are lists, and the reference's.
const LISTS: [(&str, &[&str]); 6] = [
    ("decisions", &["allow", "deny"]),
    ("completed_events", &["turn.completed"]),
    ("failed_events", &["turn.failed"]),
    ("cancelled_events", &["turn.cancelled"]),
    ("write_arguments", &["path", "content"]),
    ("read_arguments", &["path"]),
];

/// The words of a target.
#[derive(Clone, Copy)]
pub(crate) struct Words<'f>(pub(crate) &'f TargetFacts);

/// What somebody decides about a held call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Decision {
    Allow,
    Deny,
}

impl<'f> Words<'f> {
    /// The setting called `name`, or the reference's.
    pub(crate) fn text(self, name: &str) -> &'f str {
        let reference = || TEXTS.iter().find(|(known, _)| *known == name).map_or("", |(_, text)| text);
        self.0.text(name).unwrap_or_else(reference)
    }

    /// The list called `name`, or the reference's.
    pub(crate) fn list(self, name: &str) -> Vec<&'f str> {
        let own = self.0.list(name);
        if !own.is_empty() {
            return own;
        }
        LISTS.iter().find(|(known, _)| *known == name).map_or_else(Vec::new, |(_, list)| list.to_vec())
    }

    fn at<'v>(self, pointer: &str, value: &'v Value) -> Option<&'v str> {
        value.pointer(self.text(pointer))?.as_str()
    }

    /// The text of a delta; `None` where the event is none.
    pub(crate) fn delta(self, event: &Value) -> Option<&str> {
        (kind(event) == "message.delta").then(|| self.at("delta_text", event).unwrap_or_default())
    }

    /// The text of a completed message; `None` where the event is none.
    pub(crate) fn completed(self, event: &Value) -> Option<&str> {
        (kind(event) == "message.completed").then(|| self.at("message_text", event).unwrap_or_default())
    }

    /// The message that an event is about; the same for all where the target names none.
    pub(crate) fn message_id(self, event: &Value) -> &str {
        self.at("message_id", event).unwrap_or_default()
    }

    /// The call that waits for a decision; `None` where the event says nothing of the kind.
    pub(crate) fn pending(self, event: &Value) -> Option<&str> {
        (kind(event) == self.text("pending_event")).then(|| self.at("pending_call", event)).flatten()
    }

    /// Whether the event ends a turn in one of these ways: `completed_events`, `failed_events`,
    /// `cancelled_events`.
    pub(crate) fn ends(self, event: &Value, ways: &[&str]) -> bool {
        ways.iter().any(|way| self.list(way).contains(&kind(event)))
    }

    /// Whether the event ends a turn.
    pub(crate) fn is_over(self, event: &Value) -> bool {
        self.ends(event, &["completed_events", "failed_events", "cancelled_events"])
    }

    /// What a session says of its last turn.
    pub(crate) fn turn_status(self, session: &Value) -> Option<&str> {
        self.at("turn_status", session)
    }

    /// The typed answer that a session shows.
    pub(crate) fn typed_answer(self, session: &Value) -> Option<&Value> {
        session.pointer(self.text("typed_answer")).filter(|value| !value.is_null())
    }

    /// The arguments of a call of a tool by the settings `list`: the members are named there, in order.
    pub(crate) fn arguments(self, list: &str, values: &[&str]) -> Value {
        let named = self.list(list).into_iter().zip(values);
        named.map(|(name, value)| (name.to_owned(), Value::from(*value))).collect()
    }

    /// The arguments with which a loop hands `value` in.
    pub(crate) fn submitted(self, value: &Value) -> Value {
        match self.text("submit_argument") {
            "" => value.clone(),
            name => Value::Object([(name.to_owned(), value.clone())].into_iter().collect()),
        }
    }

    /// Path and body of an answer to the held `call` of `session`; `None` where the mapping gives no JSON.
    pub(crate) fn confirmation(
        self,
        session: &str,
        call: &str,
        decision: Decision,
    ) -> Option<(String, Value)> {
        let word = self.list("decisions").get(decision as usize).copied().unwrap_or_default();
        let fill = |text: &str| {
            text.replace("{session}", session).replace("{call}", call).replace("{decision}", word)
        };
        let body = serde_json::from_str(&fill(self.text("confirmation_body"))).ok()?;
        Some((fill(self.text("confirmation_path")), body))
    }
}

/// The type of an event.
pub(crate) fn kind(event: &Value) -> &str {
    event.get("type").and_then(Value::as_str).unwrap_or_default()
}
