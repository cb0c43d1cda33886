//! Defects of the names of events.

use std::sync::Arc;

use ::vetta::Parts;

use super::{super::Edit, steps::is_second_road};

pub(super) const DEFECTS: &[Edit<Parts>] = &[Edit {
    id: "per-harness-event-names",
    edit: |parts| {
        parts.events.scribe = Arc::new(|row, mut entry| {
            if is_second_road(row) && entry.kind == "turn.started" {
                entry.kind = "task_started";
            }
            vec![entry]
        });
    },
}];
