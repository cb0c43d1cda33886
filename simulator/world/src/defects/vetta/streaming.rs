//! Defects of delivery.

use std::sync::Arc;

use ::vetta::{Parts, Refusal};

use super::super::Edit;

pub(super) const DEFECTS: &[Edit<Parts>] = &[Edit {
    id: "refuses-non-streaming",
    edit: |parts| {
        parts.events.open = Arc::new(|session| {
            if session.row.harness.capabilities.streaming_deltas {
                return Ok(());
            }
            Err(Refusal::invalid("accept", "the loop of this session does not stream"))
        });
    },
}];
