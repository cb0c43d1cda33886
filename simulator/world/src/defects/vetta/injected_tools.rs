//! Defects of contributed tools.

use ::vetta::{
    Fault, Parts,
    admission::{Demand, Source},
    harness::Capability,
};

use super::{
    super::Edit,
    steps::{around_guard, rewrite_demands},
};

pub(super) const DEFECTS: &[Edit<Parts>] = &[
    Edit {
        id: "guard-misfires",
        edit: |parts| {
            around_guard(parts, "mcp_servers", |guard, write| {
                let unable =
                    !write.row.harness.capabilities.approvals && !write.merged.mcp_servers.is_empty();
                guard(write)
                    .or_else(|| unable.then(|| Fault::at("mcp_servers", "cannot be gated on this loop")))
            });
        },
    },
    Edit {
        id: "connection-silently-dropped",
        edit: |parts| {
            rewrite_demands(parts, |_, demands| {
                demands.retain(|demand| demand.source != Source::Connections)
            });
        },
    },
    Edit {
        id: "team-requires-approvals",
        edit: |parts| {
            rewrite_demands(parts, |_, demands| {
                if demands.iter().any(|demand| demand.source == Source::Team) {
                    demands.push(Demand { capability: Capability::Approvals, source: Source::Team });
                }
            });
        },
    },
];
