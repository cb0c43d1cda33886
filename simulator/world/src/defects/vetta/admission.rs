//! Defects of admission as a whole.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::{Arc, Mutex, PoisonError},
};

use ::vetta::{
    Parts, Refusal,
    admission::Applicant,
    agents::Tools,
    harness::{Capability, Execution},
};

use super::{
    super::Edit,
    steps::{add_step, around_step, demanded, is_on, is_on_account, not_declared, rewrite_demands},
};

pub(super) const DEFECTS: &[Edit<Parts>] = &[
    Edit { id: "names-the-demand-only", edit: name_the_demand },
    Edit {
        id: "admission-truth-table-hole",
        edit: |parts| {
            add_step(parts, "structured_output", "typed answers on account", |applicant| {
                if is_on(applicant, is_on_account) && demanded(applicant, Capability::StructuredOutput) {
                    return Err(not_declared("no typed answers on a loop that bills the account"));
                }
                Ok(())
            });
        },
    },
    Edit {
        id: "second-demand-ignored",
        edit: |parts| {
            rewrite_demands(parts, |_, demands| {
                let first = demands.first().map(|demand| demand.capability);
                demands.retain(|demand| Some(demand.capability) == first);
            });
        },
    },
    Edit { id: "silent-harness-fallback", edit: fall_back_to_the_default },
    Edit { id: "sticky-refusal", edit: remember_refusals },
    Edit { id: "stale-admission-cache", edit: remember_admissions },
    Edit {
        id: "admission-keyed-on-execution",
        edit: |parts| {
            around_step(parts, "approvals", |judge, applicant| {
                let sandbox = is_on(applicant, |row| row.harness.execution == Execution::Sandbox);
                if sandbox && demanded(applicant, Capability::Approvals) {
                    return Err(not_declared("a loop in a sandbox cannot hold a call"));
                }
                judge(applicant)
            });
        },
    },
    Edit {
        id: "implicit-demand",
        edit: |parts| {
            add_step(parts, "runnable", "deltas", |applicant| {
                let streams = is_on(applicant, |row| row.harness.capabilities.streaming_deltas);
                if says_nothing_of_its_own(applicant) && !streams {
                    return Err(not_declared("the loop does not stream"));
                }
                Ok(())
            });
        },
    },
];

/// How many of the demanded capabilities the loop does not declare.
fn undeclared(applicant: &Applicant<'_>) -> usize {
    let Some(row) = applicant.row else { return 0 };
    let capabilities: BTreeSet<Capability> =
        applicant.demands.iter().map(|demand| demand.capability).collect();
    capabilities.into_iter().filter(|capability| !row.harness.capabilities.has(*capability)).count()
}

fn name_the_demand(parts: &mut Parts) {
    let decide = parts.admission.decide.clone();
    parts.admission.decide = Arc::new(move |steps, applicant| {
        decide(steps, applicant).map_err(|mut refusal| {
            if refusal.status == 400 && undeclared(applicant) > 1 {
                refusal.param = Some("tools".to_owned());
            }
            refusal
        })
    });
}

/// A loop on somebody's account counts as not available.
fn fall_back_to_the_default(parts: &mut Parts) {
    let default = parts.agents.rules.default_harness.clone();
    let serving = parts.sessions.serving.clone();
    parts.sessions.serving = Arc::new(move |applicant| {
        let fallback = applicant.caller.environment.row(&default).filter(|_| is_on(applicant, is_on_account));
        fallback.cloned().or_else(|| serving(applicant))
    });
}

fn remember_refusals(parts: &mut Parts) {
    let decide = parts.admission.decide.clone();
    let refused: Mutex<BTreeMap<String, Refusal>> = Mutex::default();
    parts.admission.decide = Arc::new(move |steps, applicant| {
        let mut refused = refused.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(refusal) = refused.get(&applicant.agent.id) {
            return Err(refusal.clone());
        }
        decide(steps, applicant).inspect_err(|refusal| {
            refused.insert(applicant.agent.id.clone(), refusal.clone());
        })
    });
}

fn remember_admissions(parts: &mut Parts) {
    let decide = parts.admission.decide.clone();
    let admitted: Mutex<BTreeSet<String>> = Mutex::default();
    parts.admission.decide = Arc::new(move |steps, applicant| {
        let mut admitted = admitted.lock().unwrap_or_else(PoisonError::into_inner);
        if !admitted.contains(&applicant.agent.id) {
            decide(steps, applicant)?;
            admitted.insert(applicant.agent.id.clone());
        }
        Ok(())
    });
}

/// Whether the agent has a name, a model and a loop, and all else by default.
fn says_nothing_of_its_own(applicant: &Applicant<'_>) -> bool {
    let config = &applicant.agent.config;
    config.system.is_none() && config.tools == Tools::default() && applicant.demands.is_empty()
}
