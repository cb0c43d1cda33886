//! Wrong ways to take a task.

use std::sync::Arc;

use oao::Parts;
use serde_json::json;

use super::super::Edit;

/// What fits into a column of that many characters.
const COLUMN: usize = 65_535;

pub(super) const DEFECTS: &[Edit<Parts>] = &[
    Edit {
        id: "task-truncated",
        edit: |parts| {
            let judge = parts.operations.arguments.judge.clone();
            parts.operations.arguments.judge = Arc::new(move |rules, arguments| {
                judge(rules, arguments).map(|task| task.chars().take(COLUMN).collect())
            });
        },
    },
    Edit { id: "task-unbounded", edit: |parts| parts.operations.arguments.task.range.max = u64::MAX },
    Edit {
        id: "task-counted-in-bytes",
        edit: |parts| parts.operations.arguments.task.units = |task| task.len() as u64,
    },
    Edit {
        id: "task-length-told-in-bytes",
        edit: |parts| {
            let started = parts.events.payloads.started.clone();
            parts.events.payloads.started = Arc::new(move |invocation| {
                let mut payload = started(invocation);
                payload["taskCharacters"] = json!(invocation.task.len());
                payload
            });
        },
    },
];
