//! Defects that show on generated catalogues and on sequences of changes only.

use std::sync::Arc;

use ::vetta::{Parts, admission::Applicant};

use super::super::Edit;

pub(super) const DEFECTS: &[Edit<Parts>] = &[
    Edit { id: "flags-added-up-by-prefix", edit: add_up_flags },
    Edit { id: "move-drops-connections", edit: drop_connections_on_a_move },
];

/// The loops are looked up by the beginning of their base, and what one of those that are found can do counts for
/// all.
fn add_up_flags(parts: &mut Parts) {
    let decide = parts.admission.decide.clone();
    parts.admission.decide = Arc::new(move |steps, applicant| {
        let Some(row) = applicant.row else { return decide(steps, applicant) };
        let mut all = row.clone();
        let alike = applicant.caller.environment.rows.iter().map(|row| &row.harness);
        for other in alike.filter(|other| other.base.starts_with(&row.harness.base)) {
            let flags = &mut all.harness.capabilities;
            flags.approvals |= other.capabilities.approvals;
            flags.structured_output |= other.capabilities.structured_output;
            flags.injected_tools |= other.capabilities.injected_tools;
        }
        decide(steps, &Applicant { row: Some(&all), ..*applicant })
    });
}

/// A patch that names another loop and connections takes the loop alone.
fn drop_connections_on_a_move(parts: &mut Parts) {
    let merge = parts.agents.merge.clone();
    parts.agents.merge = Arc::new(move |stored, patch| {
        let mut patch = patch.clone();
        if patch.contains_key("harness") {
            patch.remove("connections");
        }
        merge(stored, &patch)
    });
}
