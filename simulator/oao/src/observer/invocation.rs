//! Invocations, put together from the events of their lifecycle.

use super::{Event, ObserverParts};

/// When an invocation was under way, in milliseconds since 1970.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Window {
    /// Its beginning.
    pub start_ms: i64,
    /// Its end, never before the beginning; `None` while it lasts.
    pub end_ms: Option<i64>,
}

/// How an invocation stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Phase {
    Started,
    Completed,
    Failed,
    Cancelled,
    TimedOut,
}

impl Phase {
    /// The phase that a kind of event reports; `None` where it belongs to no lifecycle.
    pub(super) fn of(kind: &str) -> Option<Self> {
        Some(match kind {
            "harness.operation_started" => Self::Started,
            "harness.operation_completed" => Self::Completed,
            "harness.operation_failed" => Self::Failed,
            "harness.operation_cancelled" => Self::Cancelled,
            "harness.operation_timed_out" => Self::TimedOut,
            _ => return None,
        })
    }

    /// The status that a modal shows.
    pub(super) fn status(self) -> &'static str {
        match self {
            Self::Started => "running",
            Self::Completed => "completed",
            Self::Failed => "failed",
            Self::Cancelled => "cancelled",
            Self::TimedOut => "timed_out",
        }
    }

    /// The status that a row shows.
    pub(super) fn tone(self) -> &'static str {
        match self {
            Self::Started => "pending",
            Self::Completed => "success",
            Self::Failed | Self::TimedOut => "error",
            Self::Cancelled => "info",
        }
    }

    /// How a row's summary ends.
    pub(super) fn words(self) -> &'static str {
        match self {
            Self::Started => "running",
            Self::Completed => "validated result",
            Self::Failed => "failed",
            Self::Cancelled => "cancelled",
            Self::TimedOut => "timed out",
        }
    }
}

/// One invocation.
#[derive(Clone, Debug)]
pub(super) struct Invocation<'e> {
    /// The id of the call, or of the only event where that names none.
    pub(super) id: String,
    /// The operation.
    pub(super) key: String,
    /// The events of its lifecycle, in order of time.
    pub(super) lifecycle: Vec<&'e Event>,
    /// The event with which it began: the started one, else the earliest.
    pub(super) first: &'e Event,
    /// The terminal event that counts.
    pub(super) terminal: Option<&'e Event>,
    /// When it was under way; `None` where no time can be read.
    pub(super) window: Option<Window>,
}

impl Invocation<'_> {
    /// The id of its row and modal.
    pub(super) fn row_id(&self) -> String {
        format!("harness:{}", self.id)
    }

    pub(super) fn phase(&self) -> Phase {
        self.terminal.and_then(|event| Phase::of(&event.kind)).unwrap_or(Phase::Started)
    }

    /// What its lifecycle says of `name`, the terminal event first.
    pub(super) fn number(&self, name: &str) -> Option<u64> {
        self.terminal.into_iter().chain(self.lifecycle.iter().copied()).find_map(|event| event.number(name))
    }

    /// How long it took: what the terminal event says, else from beginning to end.
    pub(super) fn duration_ms(&self) -> Option<f64> {
        let said = self.terminal?.payload.get("durationMs").and_then(serde_json::Value::as_f64);
        said.or_else(|| Some((self.window?.end_ms? - self.window?.start_ms) as f64))
    }
}

/// The invocations in `events`, which are in order of time, in the order in which they began.
pub(super) fn invocations<'e>(parts: &ObserverParts, events: &'e [Event]) -> Vec<Invocation<'e>> {
    let mut calls: Vec<(&str, Vec<&Event>)> = Vec::new();
    for event in events.iter().filter(|event| Phase::of(&event.kind).is_some()) {
        let id = event.text("toolCallId").unwrap_or(&event.id);
        match calls.iter_mut().find(|(known, _)| *known == id) {
            Some((_, lifecycle)) => lifecycle.push(event),
            None => calls.push((id, vec![event])),
        }
    }
    let mut found: Vec<Invocation<'e>> =
        calls.into_iter().filter_map(|(id, lifecycle)| put_together(parts, id, lifecycle)).collect();
    found.sort_by(|one, other| one.first.order().cmp(&other.first.order()));
    found
}

fn put_together<'e>(parts: &ObserverParts, id: &str, lifecycle: Vec<&'e Event>) -> Option<Invocation<'e>> {
    let started = |event: &&&Event| Phase::of(&event.kind) == Some(Phase::Started);
    let first = lifecycle.iter().find(started).or(lifecycle.first()).copied()?;
    let ends: Vec<&'e Event> = lifecycle.iter().filter(|event| !started(event)).copied().collect();
    let terminal = (parts.terminal)(&ends);
    let window = first.at_ms.map(|start_ms| Window {
        start_ms,
        end_ms: terminal.and_then(|event| event.at_ms).map(|end| end.max(start_ms)),
    });
    let key = lifecycle.iter().find_map(|event| event.text("operationKey")).unwrap_or_default();
    Some(Invocation { id: id.to_owned(), key: key.to_owned(), first, terminal, window, lifecycle })
}
