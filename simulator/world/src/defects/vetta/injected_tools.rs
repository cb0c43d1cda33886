//! Defects of contributed tools.

use std::sync::Arc;

use ::vetta::{
    Fault, Parts,
    admission::{Demand, Source},
    agents::Permission,
    environment::Road,
    harness::Capability,
    tools::{Origin, Standing},
};

use super::{
    super::Edit,
    steps::{around_guard, rewrite_demands},
};

pub(super) const DEFECTS: &[Edit<Parts>] = &[
    Edit {
        id: "team-tools-missing",
        edit: |parts| leave_out(parts, Road::First, |origin| *origin == Origin::Team),
    },
    Edit {
        id: "mcp-declared-not-mounted",
        edit: |parts| leave_out(parts, Road::First, |origin| matches!(origin, Origin::McpServer(_))),
    },
    Edit {
        id: "connection-tools-missing",
        edit: |parts| leave_out(parts, Road::Second, |origin| matches!(origin, Origin::Connection(_))),
    },
    Edit {
        id: "policy-ignored-for-injected",
        edit: |parts| {
            let standing = parts.tools.standing.clone();
            parts.tools.standing = Arc::new(move |asked| {
                let usual = standing(asked);
                let denied = usual == Some(Permission::Deny) && asked.candidate.origin.is_contributed();
                if denied && is_on(asked, Road::First) { Some(Permission::Allow) } else { usual }
            });
        },
    },
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

fn is_on(asked: &Standing<'_>, road: Road) -> bool {
    asked.row.facts.road == Some(road)
}

/// Leaves out the tools of a `wanted` origin on one road.
fn leave_out(parts: &mut Parts, road: Road, wanted: fn(&Origin) -> bool) {
    let standing = parts.tools.standing.clone();
    parts.tools.standing = Arc::new(move |asked| {
        let out = is_on(asked, road) && wanted(&asked.candidate.origin);
        if out { None } else { standing(asked) }
    });
}
