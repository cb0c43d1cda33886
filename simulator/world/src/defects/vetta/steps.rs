//! Edits of the admission table and of the early guards, for the defects of several topics.

use std::sync::Arc;

use ::vetta::{
    Fault, Parts, Refusal,
    admission::{Applicant, Demand, Judge},
    environment::{Road, Row},
    guards::{Guard, Write},
    harness::{Billing, Capability, Location},
};

/// Puts `wrap` around the step called `name`.
pub(super) fn around_step(
    parts: &mut Parts,
    name: &str,
    wrap: fn(&Judge, &Applicant<'_>) -> Result<(), Refusal>,
) {
    let met =
        parts.admission.steps.decorate(name, |judge| Arc::new(move |applicant| wrap(&judge, applicant)));
    debug_assert!(met, "no step is called `{name}`");
}

/// Adds a step in front of the one called `next`.
pub(super) fn add_step(
    parts: &mut Parts,
    next: &str,
    name: &'static str,
    judge: fn(&Applicant<'_>) -> Result<(), Refusal>,
) {
    let met = parts.admission.steps.insert_before(next, name, Arc::new(judge));
    debug_assert!(met, "no step is called `{next}`");
}

/// Puts `wrap` around the guard called `name`.
pub(super) fn around_guard(parts: &mut Parts, name: &str, wrap: fn(&Guard, &Write<'_>) -> Option<Fault>) {
    let met = parts.guards.table.decorate(name, |guard| Arc::new(move |write| wrap(&guard, write)));
    debug_assert!(met, "no guard is called `{name}`");
}

/// Adds a guard.
pub(super) fn add_guard(parts: &mut Parts, name: &'static str, guard: fn(&Write<'_>) -> Option<Fault>) {
    parts.guards.table.append(name, Arc::new(guard));
}

/// Changes the demands that are found.
pub(super) fn rewrite_demands(parts: &mut Parts, rewrite: fn(&::vetta::sessions::Start, &mut Vec<Demand>)) {
    let demands = parts.admission.demands.clone();
    parts.admission.demands = Arc::new(move |agent, start| {
        let mut found = demands(agent, start);
        rewrite(start, &mut found);
        found
    });
}

/// Whether the start demands `capability`.
pub(super) fn demanded(applicant: &Applicant<'_>, capability: Capability) -> bool {
    applicant.demands.iter().any(|demand| demand.capability == capability)
}

/// Whether the row of the start is one that `wanted` says so of.
pub(super) fn is_on(applicant: &Applicant<'_>, wanted: impl Fn(&Row) -> bool) -> bool {
    applicant.row.is_some_and(wanted)
}

/// Whether contributed tools reach the loop through a session endpoint.
pub(super) fn is_second_road(row: &Row) -> bool {
    row.facts.road == Some(Road::Second)
}

/// Whether the platform operates the loop and a turn costs it nothing. That is one loop of what ships,
/// and it can do what `pi` can do, so what is wrong with it alone spoils little else.
pub(super) fn is_on_account(row: &Row) -> bool {
    row.harness.billing == Billing::Account && row.harness.location == Location::Hosted
}

/// 400 naming `harness`.
pub(super) fn not_declared(message: &str) -> Refusal {
    Refusal::invalid("harness", message)
}
