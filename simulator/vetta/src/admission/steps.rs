//! The steps of the admission table.

use serde_json::json;

use super::{Applicant, Demand, Source};
use crate::{
    Refusal,
    environment::{Road, Row},
    harness::{Capability, Location},
};

/// The loop is published. An agent may hold one that a release has taken away (open point U31).
pub fn published(applicant: &Applicant<'_>) -> Result<(), Refusal> {
    match applicant.row {
        Some(_) => Ok(()),
        None => {
            let base = &applicant.agent.config.harness;
            let message = format!("no harness is published as `{base}`; choose another on the agent");
            Err(Refusal::invalid("harness", message).details(json!({ "base": base })))
        }
    }
}

/// R7: a loop on the caller's own machine cannot back a hosted session (open point U28).
pub fn location(applicant: &Applicant<'_>) -> Result<(), Refusal> {
    let local = |row: &&Row| row.harness.location == Location::Local;
    match applicant.row.filter(local) {
        Some(row) => {
            let base = &row.harness.base;
            Err(Refusal::not_runnable(format!(
                "`{base}` runs on the caller's machine, not in a hosted session"
            )))
        }
        None => Ok(()),
    }
}

/// R3: something is on `ask`, and the loop cannot hold a call.
pub fn approvals(applicant: &Applicant<'_>) -> Result<(), Refusal> {
    let left_out = |demand: &Demand| match &demand.source {
        Source::Tool(name) => {
            let second = applicant.row.is_some_and(|row| row.facts.road == Some(Road::Second));
            second && !applicant.native_tools.contains(name)
        }
        _ => false,
    };
    lacking(applicant, Capability::Approvals, left_out)
}

/// R4: a typed answer is required, and the loop does not declare that it enforces one.
pub fn structured_output(applicant: &Applicant<'_>) -> Result<(), Refusal> {
    lacking(applicant, Capability::StructuredOutput, |_| false)
}

/// R5: contributed tools are demanded, and they do not reach the loop's model.
pub fn injected_tools(applicant: &Applicant<'_>) -> Result<(), Refusal> {
    lacking(applicant, Capability::InjectedTools, |_| false)
}

/// R6: the loop does not run in this environment.
pub fn runnable(applicant: &Applicant<'_>) -> Result<(), Refusal> {
    match applicant.row.filter(|row| !row.harness.runnable) {
        Some(row) => {
            let (base, environment) = (&row.harness.base, &applicant.caller.environment.name);
            Err(Refusal::not_runnable(format!("`{base}` does not run in the environment `{environment}`")))
        }
        None => Ok(()),
    }
}

/// Refuses the first demand for `capability` that the loop does not declare, those `left_out` aside.
fn lacking(
    applicant: &Applicant<'_>,
    capability: Capability,
    left_out: impl Fn(&Demand) -> bool,
) -> Result<(), Refusal> {
    let Some(row) = applicant.row.filter(|row| !row.harness.capabilities.has(capability)) else {
        return Ok(());
    };
    let demanded = |demand: &&Demand| demand.capability == capability && !left_out(demand);
    match applicant.demands.iter().find(demanded) {
        None => Ok(()),
        Some(demand) => {
            let (base, name) = (&row.harness.base, capability.name());
            let message =
                format!("the agent {}, and `{base}` does not declare `{name}`", demand.source.words());
            Err(Refusal::invalid("harness", message).details(json!({ "capability": name, "base": base })))
        }
    }
}
