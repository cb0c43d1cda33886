//! The steps of an invocation.

use serde::Serialize;

use super::{
    Event,
    attribution::{Attribution, Place},
    invocation::Invocation,
    label,
};

/// One step in a modal: a label, a path or action, timing, status and tokens.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Step {
    /// The id of the step, or of the event where that names none.
    pub id: String,
    /// `model`, `tool` or `activity`.
    pub kind: &'static str,
    /// The tool, or what the step is.
    pub title: String,
    /// Which tool was asked for, or which path was touched.
    pub summary: Option<String>,
    /// `success` or `error`.
    pub status: &'static str,
    /// When it ended, as RFC 3339.
    pub at: String,
    /// How long it took.
    pub duration_ms: Option<f64>,
    /// Tokens of the request.
    pub input_tokens: Option<u64>,
    /// Tokens of the answer.
    pub output_tokens: Option<u64>,
    /// Tokens that a cache gave.
    pub cache_read_tokens: Option<u64>,
    /// Tokens that a cache took.
    pub cache_write_tokens: Option<u64>,
    /// The events that it shows.
    pub events: Vec<String>,
}

/// The steps of one invocation.
#[derive(Debug, Default)]
pub(super) struct Steps {
    /// Those that are shown, in order.
    pub(super) shown: Vec<Step>,
    /// Events of steps that are the invocation itself, seen from outside.
    pub(super) hidden: Vec<String>,
}

/// The steps of the invocation at `at`: all events of one step id are one step.
pub(super) fn steps(
    events: &[Event],
    attribution: &Attribution,
    at: usize,
    invocation: &Invocation<'_>,
) -> Steps {
    let mut gathered: Vec<(String, Vec<&Event>)> = Vec::new();
    for (event, place) in events.iter().zip(&attribution.places) {
        if *place != Place::Inside(at) {
            continue;
        }
        let id = event.step_id().unwrap_or_else(|| event.id.clone());
        match gathered.iter_mut().find(|(known, _)| *known == id) {
            Some((_, of_step)) => of_step.push(event),
            None => gathered.push((id, vec![event])),
        }
    }
    gathered.sort_by_key(|(id, of_step)| {
        let index = of_step
            .iter()
            .find_map(|event| event.number("stepIndex").or_else(|| event.number("harnessStepIndex")));
        let (at, position, _) = speaker(of_step).order();
        (index.unwrap_or(u64::MAX), at, position, id.clone())
    });
    let mut steps = Steps::default();
    for (id, of_step) in gathered {
        let step = step(id, &of_step);
        if step.title == invocation.key || step.title == invocation.key.replace('_', " ") {
            steps.hidden.extend(step.events);
        } else {
            steps.shown.push(step);
        }
    }
    steps
}

/// The event that speaks for a step: its step event, else the last one.
fn speaker<'e>(of_step: &[&'e Event]) -> &'e Event {
    let is_marker = |event: &&&Event| event.kind == "harness.operation_step";
    of_step.iter().find(is_marker).or(of_step.last()).copied().unwrap_or(of_step[0])
}

fn step(id: String, of_step: &[&Event]) -> Step {
    let speaker = speaker(of_step);
    let number = |name: &str| of_step.iter().find_map(|event| event.number(name));
    Step {
        id,
        kind: label::kind(speaker),
        title: label::title(speaker),
        summary: label::summary(speaker),
        status: label::status(speaker),
        at: speaker.occurred_at.clone(),
        duration_ms: speaker.payload.get("durationMs").and_then(serde_json::Value::as_f64),
        input_tokens: number("inputTokens"),
        output_tokens: number("outputTokens"),
        cache_read_tokens: number("cacheReadTokens"),
        cache_write_tokens: number("cacheWriteTokens"),
        events: of_step.iter().map(|event| event.id.clone()).collect(),
    }
}
