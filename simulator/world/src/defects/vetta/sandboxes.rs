//! Defects of what a session keeps of its machine.

use std::sync::Arc;

use ::vetta::{Parts, harness::Execution, sandbox::Sandbox};
use agent::Workspace;

use super::super::Edit;

pub(super) const DEFECTS: &[Edit<Parts>] = &[
    Edit {
        id: "isolate-leaks-sandbox",
        edit: |parts| {
            let between = parts.sandboxes.between.clone();
            parts.sandboxes.between = Arc::new(move |row, sandbox, ids| {
                if row.harness.execution == Execution::Isolate {
                    return Some(Sandbox { in_use: false, ..sandbox });
                }
                between(row, sandbox, ids)
            });
        },
    },
    Edit {
        id: "sandbox-recycled-each-turn",
        edit: |parts| rewrite(parts, |kept, ids| Sandbox { id: ids.prefixed("sbx_"), ..kept }),
    },
    Edit {
        id: "sandbox-state-lost",
        edit: |parts| rewrite(parts, |kept, _| Sandbox { files: Workspace::default(), ..kept }),
    },
];

/// Changes the machine that is kept.
fn rewrite(parts: &mut Parts, change: fn(Sandbox, &wire::Ids) -> Sandbox) {
    let between = parts.sandboxes.between.clone();
    parts.sandboxes.between =
        Arc::new(move |row, sandbox, ids| Some(change(between(row, sandbox, ids)?, ids)));
}
