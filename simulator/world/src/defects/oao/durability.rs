//! Wrong ways to survive a crash.

use std::sync::Arc;

use oao::{Parts, runs::RunContext};

use super::super::Edit;

pub(super) const DEFECTS: &[Edit<Parts>] = &[
    Edit { id: "reprompt-after-commit", edit: |parts| parts.durability.recorded = |_| None },
    Edit {
        id: "replayed-events-duplicated",
        edit: |parts| parts.durability.resumed = Arc::new(publish_again),
    },
    Edit {
        id: "double-record",
        edit: |parts| {
            parts.durability.record = |ends, end| {
                ends.push(end.clone());
                ends.push(end);
            };
        },
    },
    Edit { id: "lost-after-crash", edit: |parts| parts.durability.takes_over = false },
];

/// What the run has published of its operations so far is published once more, as new events.
fn publish_again(run: &RunContext) {
    let rows = run.service.events().of_aggregates(run.events.project_id(), &[&run.run_id]);
    for row in rows.into_iter().filter(|row| row.event.kind.starts_with("harness.operation_")) {
        run.events.emit(&row.event.kind, row.event.payload);
    }
}
