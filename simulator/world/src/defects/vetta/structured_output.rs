//! Defects of typed answers.

use ::vetta::{
    Environment, Parts,
    admission::{Demand, Source},
    harness::Capability,
};

use super::{
    super::Edit,
    rows::edit_environments,
    steps::{add_step, demanded, is_on, not_declared, rewrite_demands},
};

pub(super) const DEFECTS: &[Edit<Parts>] = &[
    Edit {
        id: "structured-required-ignored",
        edit: |parts| {
            rewrite_demands(parts, |_, demands| {
                demands.retain(|demand| demand.capability != Capability::StructuredOutput);
            });
        },
    },
    Edit {
        id: "over-refusal-optional-schema",
        edit: |parts| {
            rewrite_demands(parts, |start, demands| {
                if start.structured_output_schema.is_some() {
                    let capability = Capability::StructuredOutput;
                    demands.push(Demand { capability, source: Source::TypedAnswer });
                }
            });
        },
    },
    Edit {
        id: "gap-special-cased-at-gate",
        edit: |parts| {
            add_step(parts, "runnable", "gap", |applicant| {
                let gap = is_on(applicant, |row| row.harness.base == "vetta");
                if gap && demanded(applicant, Capability::StructuredOutput) {
                    return Err(not_declared("`vetta` has no way to hand in a typed answer"));
                }
                Ok(())
            });
        },
    },
    Edit { id: "gap-hidden-by-flag", edit: |parts| edit_environments(parts, |all| unflag(all, "vetta")) },
    Edit { id: "pi-not-typed", edit: |parts| edit_environments(parts, |all| unflag(all, "pi")) },
];

/// The flag of `base` is turned to false everywhere: in what is published and in what admits.
fn unflag(environment: &mut Environment, base: &str) {
    let rows = environment.rows.iter_mut().filter(|row| row.harness.base == base);
    rows.for_each(|row| row.harness.capabilities.structured_output = false);
}
