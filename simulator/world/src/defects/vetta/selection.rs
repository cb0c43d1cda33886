//! Defects of the choice of a loop.

use std::sync::Arc;

use ::vetta::{Fault, Parts, agents::Verb};

use super::{
    super::Edit,
    steps::{add_guard, is_on_account},
};

pub(super) const DEFECTS: &[Edit<Parts>] = &[
    Edit { id: "harness-field-dropped", edit: drop_harness_of_small_bodies },
    Edit { id: "label-accepted-as-base", edit: look_up_labels_too },
    Edit {
        id: "harness-specific-required-field",
        edit: |parts| {
            add_guard(parts, "system text", |write| {
                let insists = write.verb == Verb::Post && is_on_account(write.row);
                (insists && write.merged.system.is_none()).then(|| Fault::at("system", "is missing"))
            });
        },
    },
    Edit { id: "patch-harness-resets-config", edit: reset_tools_with_the_loop },
];

/// The short way for an agent that has nothing but the three members takes `name` and `model`.
fn drop_harness_of_small_bodies(parts: &mut Parts) {
    let normalise = parts.agents.normalise.clone();
    parts.agents.normalise = Arc::new(move |rules, members| {
        let mut members = members.clone();
        if members.keys().eq(["harness", "model", "name"]) {
            members.remove("harness");
        }
        normalise(rules, &members)
    });
}

fn look_up_labels_too(parts: &mut Parts) {
    parts.agents.resolve = Arc::new(|environment, name| {
        let spells = |word: &str| word.eq_ignore_ascii_case(name);
        let mut rows = environment.rows.iter();
        rows.find(|row| spells(&row.harness.base) || spells(&row.harness.label)).cloned()
    });
}

fn reset_tools_with_the_loop(parts: &mut Parts) {
    let merge = parts.agents.merge.clone();
    parts.agents.merge = Arc::new(move |stored, patch| {
        let mut whole = merge(stored, patch);
        if patch.contains_key("harness") && !patch.contains_key("tools") {
            whole.remove("tools");
        }
        whole
    });
}
