//! Defects of the two early guards.

use std::sync::Arc;

use ::vetta::{Fault, Parts, Refusal, agents::Verb, guards::Guard, guards::Write};

use super::{super::Edit, steps::around_guard};

const TEAM: &str = "multiagent";
const SERVERS: &str = "mcp_servers";

pub(super) const DEFECTS: &[Edit<Parts>] = &[
    Edit { id: "team-guard-missing", edit: |parts| around_guard(parts, TEAM, not_on_create) },
    Edit { id: "team-guard-post-only", edit: |parts| around_guard(parts, TEAM, not_on_update) },
    Edit {
        id: "guard-checks-patch-body-only",
        edit: |parts| {
            around_guard(parts, TEAM, |guard, write| {
                let is_seen = write.verb == Verb::Post || write.body.contains_key(TEAM);
                is_seen.then(|| guard(write)).flatten()
            });
        },
    },
    Edit { id: "mcp-guard-missing", edit: |parts| around_guard(parts, SERVERS, not_on_create) },
    Edit { id: "mcp-guard-post-only", edit: |parts| around_guard(parts, SERVERS, not_on_update) },
    Edit {
        id: "empty-list-refused",
        edit: |parts| {
            around_guard(parts, SERVERS, |guard, write| {
                let mute = !write.row.harness.capabilities.injected_tools;
                let is_there = mute && write.body.contains_key(SERVERS);
                guard(write).or_else(|| is_there.then(|| Fault::at(SERVERS, "is not for this loop")))
            });
        },
    },
    Edit { id: "guard-names-nothing", edit: name_nothing },
    Edit { id: "guard-500-on-two-faults", edit: expect_a_single_fault },
    Edit { id: "partial-patch", edit: apply_before_judging },
];

fn not_on_create(guard: &Guard, write: &Write<'_>) -> Option<Fault> {
    (write.verb != Verb::Post).then(|| guard(write)).flatten()
}

fn not_on_update(guard: &Guard, write: &Write<'_>) -> Option<Fault> {
    (write.verb != Verb::Patch).then(|| guard(write)).flatten()
}

fn name_nothing(parts: &mut Parts) {
    let refuse = parts.guards.refuse.clone();
    parts.guards.refuse = Arc::new(move |faults| {
        let mut refusal = refuse(faults);
        if faults.len() == 1 {
            refusal.param = None;
            refusal.message = "the agent cannot be saved".to_owned();
        }
        refusal
    });
}

fn expect_a_single_fault(parts: &mut Parts) {
    let refuse = parts.guards.refuse.clone();
    parts.guards.refuse = Arc::new(move |faults| match faults {
        [_] => refuse(faults),
        _ => Refusal::internal("one fault was expected"),
    });
}

fn apply_before_judging(parts: &mut Parts) {
    let apply = parts.agents.apply.clone();
    parts.agents.apply = Arc::new(move |writing, stored| {
        let agents = &writing.parts.agents;
        let mut judged = stored.clone();
        let verdict = apply(writing, &mut judged);
        if let Ok(config) = (agents.normalise)(&agents.rules, &(agents.merge)(&stored.config, writing.body))
            && config != stored.config
        {
            stored.config = config;
            stored.version += 1;
            stored.updated_at = writing.now.to_owned();
        }
        verdict
    });
}
