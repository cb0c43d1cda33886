//! What the events of a run say of its operations, call by call.

use std::collections::BTreeSet;

use jiff::Timestamp;
use recording::{Bar, ModelTurn, Seen, Timeline, View, Witness};
use serde_json::Value;

/// An event of the feed.
#[derive(Clone, Copy)]
pub(crate) struct Event<'a> {
    pub(crate) seen: Seen<'a>,
    pub(crate) data: &'a Value,
}

impl<'a> Event<'a> {
    /// Its kind: `harness.operation_started`.
    pub(crate) fn kind(&self) -> &'a str {
        self.data["kind"].as_str().unwrap_or_default()
    }

    /// What it says.
    pub(crate) fn payload(&self) -> &'a Value {
        &self.data["publicPayload"]
    }

    /// A member of what it says, where that is a string; empty otherwise.
    pub(crate) fn text(&self, name: &str) -> &'a str {
        self.payload()[name].as_str().unwrap_or_default()
    }

    /// Its place in the project.
    pub(crate) fn position(&self) -> Option<u64> {
        let position = &self.data["projectPosition"];
        position.as_u64().or_else(|| position.as_str()?.parse().ok())
    }

    /// When it happened, in milliseconds since 1970.
    pub(crate) fn occurred_ms(&self) -> Option<i64> {
        let text = self.data["occurredAt"].as_str()?;
        text.parse::<Timestamp>().ok().map(Timestamp::as_millisecond)
    }

    /// Whether it stands before `other` in the project.
    pub(crate) fn is_before(&self, other: &Self) -> bool {
        matches!((self.position(), other.position()), (Some(one), Some(two)) if one < two)
    }
}

/// How an invocation ended, as far as the names of events are promised (W01).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ending {
    Completed,
    Failed,
    /// Called off or timed out.
    Stopped,
}

impl Ending {
    /// What the kind of a terminal event says.
    pub(crate) fn of(event: &Event<'_>) -> Self {
        match event.kind() {
            "harness.operation_completed" => Self::Completed,
            "harness.operation_failed" => Self::Failed,
            _ => Self::Stopped,
        }
    }
}

/// What the events say of one call.
#[derive(Clone)]
pub(crate) struct Lifecycle<'a> {
    pub(crate) call: String,
    pub(crate) started: Vec<Event<'a>>,
    pub(crate) steps: Vec<Event<'a>>,
    pub(crate) ends: Vec<Event<'a>>,
}

impl<'a> Lifecycle<'a> {
    /// The one terminal event; `None` where there is none or there are several.
    pub(crate) fn end(&self) -> Option<Event<'a>> {
        match self.ends.as_slice() {
            [end] => Some(*end),
            _ => None,
        }
    }

    /// All its events earn the pass together.
    pub(crate) fn witness(&self) -> Option<Witness> {
        let all = self.started.iter().chain(&self.steps).chain(&self.ends);
        Witness::all(all.map(|event| event.seen.witness()))
    }

    fn bar(&self, origin_ms: i64) -> Option<Bar> {
        let since = |event: &Event<'_>| {
            Some(u64::try_from(event.occurred_ms()?.saturating_sub(origin_ms)).unwrap_or(0))
        };
        let (first, last) = (self.started.first()?, self.ends.first());
        let outcome = last.map_or("open", |end| end.kind().rsplit("operation_").next().unwrap_or_default());
        Some(Bar {
            name: self.call.clone(),
            from_ms: since(first)?,
            to_ms: last.and_then(since),
            from_position: first.position(),
            to_position: last.and_then(Event::position),
            outcome: outcome.to_owned(),
        })
    }
}

/// The events of the feed, each once: a stream that is opened again may repeat some.
pub(crate) fn feed<'a>(view: &'a impl View) -> Vec<Event<'a>> {
    let mut ids = BTreeSet::new();
    let events = view.events("events").into_iter().map(|(seen, data)| Event { seen, data });
    events
        .filter(|event| ids.insert((event.data["id"].to_string(), event.data["kind"].to_string())))
        .collect()
}

/// Every call that the events speak of, in the order in which they first do.
pub(crate) fn lifecycles<'a>(view: &'a impl View) -> Vec<Lifecycle<'a>> {
    let mut all: Vec<Lifecycle<'a>> = Vec::new();
    for event in feed(view) {
        let is_step = event.kind() == "harness.operation_step";
        let call = event.text(if is_step { "harnessToolCallId" } else { "toolCallId" });
        if call.is_empty() || !event.kind().starts_with("harness.") {
            continue;
        }
        let at = all.iter().position(|each| each.call == call).unwrap_or_else(|| {
            let (started, steps, ends) = (Vec::new(), Vec::new(), Vec::new());
            all.push(Lifecycle { call: call.to_owned(), started, steps, ends });
            all.len() - 1
        });
        match event.kind() {
            "harness.operation_step" => all[at].steps.push(event),
            "harness.operation_started" => all[at].started.push(event),
            _ => all[at].ends.push(event),
        }
    }
    all
}

/// What the events say of `call`; nothing at all where they do not speak of it.
pub(crate) fn lifecycle<'a>(view: &'a impl View, call: &str) -> Lifecycle<'a> {
    let found = lifecycles(view).into_iter().find(|each| each.call == call);
    found.unwrap_or_else(|| Lifecycle {
        call: call.to_owned(),
        started: Vec::new(),
        steps: Vec::new(),
        ends: Vec::new(),
    })
}

/// What became of a request, in the words of the model's journal: `answered`, `dropped` …
pub(crate) fn outcome(turn: &ModelTurn) -> &str {
    turn.journal["outcome"].as_str().unwrap_or("unknown")
}

/// Who was at work when: every operation by its events, and below them the model requests of `turns` by the
/// model's own journal. Each of the two begins at 0, because a target's clock is its own.
pub(crate) fn timeline(view: &impl View, turns: &[&str]) -> Timeline {
    let all = lifecycles(view);
    let starts = all.iter().filter_map(|each| each.started.first()?.occurred_ms());
    let origin_ms = starts.min().unwrap_or(0);
    let mut bars: Vec<Bar> = all.iter().filter_map(|each| each.bar(origin_ms)).collect();
    bars.sort_by_key(|bar| bar.from_ms);
    let asked = view.model_turns().into_iter().map(|(_, asked)| asked);
    let named = |asked: &&ModelTurn| asked.turn.as_deref().is_some_and(|turn| turns.contains(&turn));
    let requests: Vec<&ModelTurn> = asked.filter(named).collect();
    let first_ms = requests.iter().map(|asked| asked.arrived_ms).min().unwrap_or(0);
    bars.extend(requests.into_iter().map(|asked| Bar {
        name: format!("model: {}", asked.turn.as_deref().unwrap_or_default()),
        from_ms: asked.arrived_ms - first_ms,
        to_ms: asked.answered_ms.map(|at| at.saturating_sub(first_ms)),
        from_position: None,
        to_position: None,
        outcome: outcome(asked).to_owned(),
    }));
    Timeline(bars)
}
