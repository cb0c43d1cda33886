//! Events as an observer reads them.

use jiff::Timestamp;
use serde_json::Value;

/// A product event, in the shape of the stream or of a session's details.
#[derive(Clone, Debug, PartialEq)]
pub struct Event {
    /// Its id.
    pub id: String,
    /// Its kind.
    pub kind: String,
    /// What it says.
    pub payload: Value,
    /// What it is about: the id of a run or session.
    pub about: String,
    /// When it happened, as it was written.
    pub occurred_at: String,
    /// The same in milliseconds since 1970; `None` where it cannot be read.
    pub at_ms: Option<i64>,
    /// Its place in the project.
    pub position: u64,
}

impl Event {
    /// Reads an event; `None` where it has no id or no kind.
    pub fn read(row: &Value) -> Option<Self> {
        let text = |name: &str| row.get(name).and_then(Value::as_str);
        let occurred_at = text("occurredAt").unwrap_or_default().to_owned();
        let position = &row["projectPosition"];
        let position = position.as_u64().or_else(|| position.as_str()?.parse().ok());
        Some(Self {
            id: text("id")?.to_owned(),
            kind: text("kind").or_else(|| text("eventKind"))?.to_owned(),
            payload: row["publicPayload"].clone(),
            about: text("aggregateId").unwrap_or_default().to_owned(),
            at_ms: occurred_at.parse::<Timestamp>().ok().map(Timestamp::as_millisecond),
            occurred_at,
            position: position.unwrap_or(u64::MAX),
        })
    }

    /// A member of the payload that is text.
    pub fn text(&self, name: &str) -> Option<&str> {
        self.payload.get(name)?.as_str()
    }

    /// A member of the payload that is a whole number.
    pub fn number(&self, name: &str) -> Option<u64> {
        self.payload.get(name)?.as_u64()
    }

    /// The invocation that it says it belongs to.
    pub fn owner(&self) -> Option<&str> {
        self.text("harnessToolCallId")
    }

    /// The step of a scratch loop that it says it is, or is part of.
    pub(super) fn step_id(&self) -> Option<String> {
        let named = self.text("stepId").or_else(|| self.text("harnessStepId")).map(str::to_owned);
        let begins = || {
            let turn = self.text("turnId").filter(|_| self.kind == "model.invocation_started")?;
            Some(format!("turn:{turn}"))
        };
        named.or_else(begins)
    }

    /// The order in which events are looked at, whatever the order in which they came.
    pub(super) fn order(&self) -> (i64, u64, &str) {
        (self.at_ms.unwrap_or(i64::MAX), self.position, &self.id)
    }
}

/// Reads the events of a session's details, in the order in which they happened.
pub(super) fn of_detail(detail: &Value) -> Vec<Event> {
    let rows = detail.pointer("/debug/productEvents").and_then(Value::as_array);
    let mut events: Vec<Event> = rows.into_iter().flatten().filter_map(Event::read).collect();
    events.sort_by(|one, other| one.order().cmp(&other.order()));
    events.dedup_by(|one, other| one.id == other.id);
    events
}
