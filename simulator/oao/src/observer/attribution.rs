//! Which event belongs to which invocation.

use std::collections::BTreeSet;

use super::{
    Event, ObserverParts, Window,
    invocation::{Invocation, Phase},
};

/// Where an event belongs. The numbers are places in the list of invocations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    /// To the lifecycle of an invocation.
    Lifecycle(usize),
    /// To the activity of an invocation.
    Inside(usize),
    /// To the parent.
    Parent,
}

/// Where everything belongs.
#[derive(Debug, Default)]
pub(super) struct Attribution {
    /// A place for each event.
    pub(super) places: Vec<Place>,
    /// The invocations to which something may belong that stayed with the parent.
    pub(super) partial: BTreeSet<usize>,
}

/// Gives each event its place. What names its owner belongs there; what does not and happened while exactly one
/// invocation was under way belongs to that one; everything else is the parent's.
pub(super) fn attribute(
    parts: &ObserverParts,
    events: &[Event],
    invocations: &[Invocation<'_>],
) -> Attribution {
    let known = Known::of(events);
    let mut found = Attribution::default();
    for event in events {
        let place = lifecycle(event, invocations).or_else(|| exact(parts, &known, event, invocations));
        let place = place.unwrap_or_else(|| {
            if known.is_activity(event) {
                by_time(parts, event, invocations, &mut found.partial)
            } else {
                Place::Parent
            }
        });
        found.places.push(place);
    }
    found
}

fn lifecycle(event: &Event, invocations: &[Invocation<'_>]) -> Option<Place> {
    Phase::of(&event.kind)?;
    let id = event.text("toolCallId").unwrap_or(&event.id);
    invocations.iter().position(|invocation| invocation.id == id).map(Place::Lifecycle)
}

/// By the owner that the event names, else by a step that one invocation alone has.
fn exact(
    parts: &ObserverParts,
    known: &Known<'_>,
    event: &Event,
    invocations: &[Invocation<'_>],
) -> Option<Place> {
    let step = event.step_id();
    let owner = event.owner().or_else(|| known.owner_of(step.as_deref()?))?;
    let at = invocations.iter().position(|invocation| invocation.id == owner)?;
    (parts.believes)(event, invocations[at].window).then_some(Place::Inside(at))
}

fn by_time(
    parts: &ObserverParts,
    event: &Event,
    invocations: &[Invocation<'_>],
    partial: &mut BTreeSet<usize>,
) -> Place {
    let Some(at_ms) = event.at_ms else { return Place::Parent };
    let windows = invocations.iter().enumerate().filter_map(|(at, each)| Some((at, each.window?)));
    let around: Vec<(usize, Window)> = windows.filter(|(_, window)| (parts.holds)(*window, at_ms)).collect();
    match around.as_slice() {
        [] => Place::Parent,
        [(only, _)] => Place::Inside(*only),
        several => match (parts.among)(at_ms, several) {
            Some(chosen) => Place::Inside(chosen),
            None => {
                partial.extend(several.iter().map(|(at, _)| *at));
                Place::Parent
            }
        },
    }
}

/// What the events of a session say about owners.
struct Known<'e> {
    /// Steps and their owners, without those that two invocations have.
    steps: Vec<(String, Option<&'e str>)>,
    /// The runs in which model turns name their owners, so that those without one are the parent's.
    telling: BTreeSet<&'e str>,
}

impl<'e> Known<'e> {
    fn of(events: &'e [Event]) -> Self {
        let mut known = Self { steps: Vec::new(), telling: BTreeSet::new() };
        for event in events {
            let Some(owner) = event.owner() else { continue };
            known.telling.insert(event.about.as_str());
            let Some(step) = event.step_id() else { continue };
            match known.steps.iter_mut().find(|(id, _)| *id == step) {
                Some((_, before)) if *before != Some(owner) => *before = None,
                Some(_) => {}
                None => known.steps.push((step, Some(owner))),
            }
        }
        known
    }

    fn owner_of(&self, step: &str) -> Option<&'e str> {
        self.steps.iter().find(|(id, _)| id == step).and_then(|(_, owner)| *owner)
    }

    /// Whether an event that names no owner reports work that a scratch loop may have done.
    fn is_activity(&self, event: &Event) -> bool {
        match event.kind.as_str() {
            "harness.operation_step" => true,
            "model.invocation_completed" | "model.invocation_failed" => {
                !self.telling.contains(event.about.as_str())
            }
            kind => ["skill.", "sandbox.", "tool_call.", "approval."].iter().any(|of| kind.starts_with(of)),
        }
    }
}
