//! Defects of two environments of one release.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, PoisonError},
};

use ::vetta::{Environment, Parts, Refusal, harness::Execution};

use super::{
    super::Edit,
    rows::{edit_environments, rewrite_list},
};

pub(super) const DEFECTS: &[Edit<Parts>] = &[
    Edit { id: "runnable-hardcoded", edit: compile_it_in },
    Edit {
        id: "isolate-needs-image",
        edit: |parts| {
            edit_environments(parts, |environment| {
                // The image of this loop is not installed there.
                let looked_up = environment.name == STAGING;
                let isolates = environment.rows.iter_mut().map(|row| &mut row.harness);
                let missing = |base: &str| looked_up && base == "sim-iso-noask";
                isolates
                    .filter(|harness| harness.execution == Execution::Isolate && missing(&harness.base))
                    .for_each(|harness| harness.runnable = false);
            });
        },
    },
    Edit { id: "runnable-answers-for-other-env", edit: share_a_cache },
];

/// The environment that is of the release of `default` and has other images installed.
const STAGING: &str = "staging";

/// The list shows what the table of the release says, wherever it is asked for.
fn compile_it_in(parts: &mut Parts) {
    rewrite_list(parts, |_, _, rows| {
        let Some(compiled) = Environment::shipped().ok().and_then(|shipped| shipped.into_iter().next())
        else {
            return;
        };
        for row in rows {
            if let Some(known) = compiled.row(&row.harness.base) {
                row.harness.runnable = known.harness.runnable;
            }
        }
    });
}

/// Whether an image is installed is asked once per base, and the answer is kept for all environments.
fn share_a_cache(parts: &mut Parts) {
    let met = parts.admission.steps.decorate("runnable", |judge| {
        let cache: Mutex<BTreeMap<String, Result<(), Refusal>>> = Mutex::default();
        Arc::new(move |applicant| {
            let mut cache = cache.lock().unwrap_or_else(PoisonError::into_inner);
            let base = applicant.agent.config.harness.clone();
            cache.entry(base).or_insert_with(|| judge(applicant)).clone()
        })
    });
    debug_assert!(met, "no step is called `runnable`");
}
