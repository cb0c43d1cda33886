//! Whether a capability was seen at work.

use recording::{Seen, TargetFacts, Verdict, View};
use serde_json::Value;

use super::{
    super::rows::text,
    probe::{Capability, said, typed},
};

/// The event that tells of a call that waits for a decision.
pub(super) const PENDING: &str = "tool.confirmation_required";
const DELTA: &str = "message.delta";
const COMPLETED: &str = "message.completed";
/// The tool by which a coordinator delegates; the documentation names it.
const TEAM_TOOL: &str = "send_to_agent";

const ENDS: [(&str, &str); 3] = [
    ("completed_events", "turn.completed"),
    ("failed_events", "turn.failed"),
    ("cancelled_events", "turn.cancelled"),
];

fn is_one_of(facts: &TargetFacts, (setting, reference): (&str, &str), event: &Value) -> bool {
    let own = facts.list(setting);
    let kind = text(event, "type");
    if own.is_empty() { kind == reference } else { own.contains(&kind) }
}

/// Whether the event ends a turn.
pub(super) fn is_over(facts: &TargetFacts, event: &Value) -> bool {
    ENDS.into_iter().any(|end| is_one_of(facts, end, event))
}

/// What was seen of a capability.
pub(super) enum Observed<'r> {
    /// It is there.
    Works(Vec<Seen<'r>>),
    /// It is not, and the target says so in the open.
    FailedInTheOpen(Vec<Seen<'r>>, String),
    /// It is not.
    Missing(Vec<Seen<'r>>, String),
}

/// What the talk on `base` showed of `capability`. An error where there was no talk.
pub(super) fn observed<'r>(
    view: &'r impl View,
    capability: Capability,
    base: &str,
) -> Result<Observed<'r>, Verdict> {
    let facts = &view.recording().target;
    let events = view.events(&format!("events: {base}"));
    let said = view.one(&format!("say: {base}"))?;
    let last = events.last().map(|(seen, _)| *seen);
    let seen: Vec<Seen<'r>> = [said].into_iter().chain(last).collect();
    let failed = events.iter().any(|(_, event)| is_one_of(facts, ENDS[1], event));
    let found = match capability {
        Capability::Approvals => held(view, base, &events)?,
        Capability::StructuredOutput => answered(view, base),
        Capability::StreamingDeltas => in_pieces(&events),
        Capability::InjectedTools => offered(view, base),
    };
    Ok(match found {
        // Only what it was seen by speaks for it.
        Ok(more) => Observed::Works([vec![said], more].concat()),
        Err(reason) if failed => Observed::FailedInTheOpen(seen, reason),
        Err(reason) => Observed::Missing(seen, reason),
    })
}

type Found<'r> = Result<Vec<Seen<'r>>, String>;

/// A call waits, and nothing has been done.
fn held<'r>(view: &'r impl View, base: &str, events: &[(Seen<'r>, &Value)]) -> Result<Found<'r>, Verdict> {
    let facts = &view.recording().target;
    let pending = facts.text("pending_event").unwrap_or(PENDING);
    let waits = events.iter().find(|(_, event)| text(event, "type") == pending);
    let Some((waits, _)) = waits else { return Ok(Err("no call waited for a decision".to_owned())) };
    let mut seen = vec![*waits];
    if facts.list("control").contains(&"effects") {
        let effects = view.one(&format!("effects: {base}"))?;
        let done = effects.body().and_then(|body| Some(body.get("effects")?.as_array()?.len()));
        if done != Some(0) {
            return Ok(Err("a tool was at work while its call waited for a decision".to_owned()));
        }
        seen.push(effects);
    }
    Ok(Ok(seen))
}

/// The session has the typed answer.
fn answered<'r>(view: &'r impl View, base: &str) -> Found<'r> {
    let place = view.recording().target.text("typed_answer").unwrap_or("/structured_output");
    let sessions = view.labelled(&format!("session: {base}"));
    let has = |session: &&Seen<'_>| session.body().is_some_and(|body| body.pointer(place) == Some(&typed()));
    let found: Vec<Seen<'r>> = sessions.iter().filter(has).copied().collect();
    if found.is_empty() { Err("the session has no typed answer".to_owned()) } else { Ok(found) }
}

/// A delta comes before the completion.
fn in_pieces<'r>(events: &[(Seen<'r>, &Value)]) -> Found<'r> {
    let first = |kind: &str| events.iter().position(|(_, event)| text(event, "type") == kind);
    match (first(DELTA), first(COMPLETED)) {
        (Some(delta), Some(completed)) if delta < completed => Ok(vec![events[delta].0, events[completed].0]),
        (None, Some(_)) => Err("the answer came whole".to_owned()),
        _ => Err("no answer was completed".to_owned()),
    }
}

/// Whether the answer came, in whatever way.
pub(super) fn came_whole(view: &impl View, base: &str) -> bool {
    view.events(&format!("events: {base}")).iter().any(|(_, event)| text(event, "type") == COMPLETED)
}

/// The model was offered the tool of a coordinator.
fn offered<'r>(view: &'r impl View, base: &str) -> Found<'r> {
    let said = said(base);
    let turns = view.model_turns().into_iter();
    let asked: Vec<_> = turns.filter(|(_, turn)| turn.request.to_string().contains(&said)).collect();
    let Some((seen, turn)) = asked.first() else { return Err("no request reached the model".to_owned()) };
    let tools = turn.request["tools"].as_array().into_iter().flatten();
    let named = |tool: &Value| {
        text(tool, "name") == TEAM_TOOL || tool.pointer("/function/name") == Some(&TEAM_TOOL.into())
    };
    if tools.into_iter().any(named) {
        Ok(vec![*seen])
    } else {
        Err(format!("the model was not offered `{TEAM_TOOL}`"))
    }
}
