//! Defects of typed answers.

use ::vetta::{Environment, Parts};

use super::{super::Edit, rows::edit_environments};

pub(super) const DEFECTS: &[Edit<Parts>] = &[
    Edit { id: "gap-hidden-by-flag", edit: |parts| edit_environments(parts, |all| unflag(all, "vetta")) },
    Edit { id: "pi-not-typed", edit: |parts| edit_environments(parts, |all| unflag(all, "pi")) },
];

/// The flag of `base` is turned to false everywhere: in what is published and in what admits.
fn unflag(environment: &mut Environment, base: &str) {
    let rows = environment.rows.iter_mut().filter(|row| row.harness.base == base);
    rows.for_each(|row| row.harness.capabilities.structured_output = false);
}
