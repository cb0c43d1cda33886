//! Wrong ways to run delegates.

use std::sync::Arc;

use agent::Message;
use oao::Parts;
use serde_json::json;

use super::super::Edit;

pub(super) const DEFECTS: &[Edit<Parts>] = &[
    Edit {
        id: "delegate-inherits-instructions",
        edit: |parts| parts.delegates.opening = Arc::new(|run| vec![Message::System(run.system.clone())]),
    },
    Edit {
        id: "delegations-not-listed",
        edit: |parts| {
            parts.front.rewrites.push(Arc::new(|_, reply| {
                if let Some(list) = reply.json_mut().and_then(|body| body.get_mut("delegations")) {
                    *list = json!([]);
                }
            }));
        },
    },
    Edit { id: "max-parallel-ignored", edit: |parts| parts.delegates.parallel = |_| 64 },
];
