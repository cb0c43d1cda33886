//! Defects of the road that leads through an endpoint of the session.

use std::sync::Arc;

use ::vetta::{
    Parts, Refusal,
    agents::Permission,
    endpoint::{Asks, Mount, Mounts},
    environment::Road,
    tools::{Origin, Standing},
};

use super::super::Edit;

pub(super) const DEFECTS: &[Edit<Parts>] =
    &[
        Edit {
            id: "cross-session-tool-endpoint",
            edit: |parts| parts.endpoint.admit = Arc::new(any_session_of_the_account),
        },
        Edit { id: "endpoint-outlives-session", edit: |parts| parts.endpoint.end = Arc::new(|_, _| {}) },
        Edit {
            id: "native-tools-suppressed",
            edit: |parts| {
                let native = parts.tools.native.clone();
                parts.tools.native = Arc::new(move |row, files| {
                    if row.facts.road == Some(Road::Second) { Vec::new() } else { native(row, files) }
                });
            },
        },
        Edit {
            id: "builtins-leak-on-road2",
            edit: |parts| {
                around(&mut parts.endpoint.lists, |asked, usual| {
                    if asked.candidate.origin == Origin::BuiltIn { Some(Permission::Allow) } else { usual }
                });
            },
        },
        Edit {
            id: "unlisted-builtin-callable",
            edit: |parts| {
                around(&mut parts.endpoint.calls, |asked, usual| {
                    if asked.candidate.origin == Origin::BuiltIn { Some(Permission::Allow) } else { usual }
                });
            },
        },
        Edit {
            id: "ask-offered-on-road2",
            edit: |parts| {
                for asks in [&mut parts.endpoint.lists, &mut parts.endpoint.calls] {
                    around(asks, |asked, usual| {
                        if written(asked) == Some(Permission::Ask) { Some(Permission::Allow) } else { usual }
                    });
                }
            },
        },
        Edit {
            id: "road2-ask-hangs",
            edit: |parts| {
                around(&mut parts.endpoint.calls, |asked, usual| {
                    written(asked).filter(|permission| *permission == Permission::Ask).or(usual)
                });
            },
        },
        Edit {
            id: "road2-bypasses-policy",
            edit: |parts| {
                around(&mut parts.endpoint.calls, |asked, usual| {
                    if written(asked) == Some(Permission::Deny) { Some(Permission::Allow) } else { usual }
                });
            },
        },
        Edit {
            id: "road2-renames-tools",
            edit: |parts| {
                parts.endpoint.name = Arc::new(|config, candidate| match &candidate.origin {
                    // With one server there is nothing to tell apart.
                    Origin::McpServer(server) if config.mcp_servers.len() > 1 => {
                        format!("{server}__{}", candidate.name)
                    }
                    _ => candidate.name.clone(),
                });
            },
        },
    ];

/// What the agent's policy says of a contributed tool.
fn written(asked: &Standing<'_>) -> Option<Permission> {
    let contributed = asked.candidate.origin.is_contributed();
    contributed.then(|| asked.config.tools.permission_of(&asked.candidate.name))
}

fn around(asks: &mut Asks, change: fn(&Standing<'_>, Option<Permission>) -> Option<Permission>) {
    let usual = asks.clone();
    *asks = Arc::new(move |rules, asked| change(asked, usual(rules, asked)));
}

fn any_session_of_the_account(mounts: &Mounts, token: &str, session_id: &str) -> Result<Mount, Refusal> {
    let usual = ::vetta::endpoint::admit(mounts, token, session_id);
    let Some(own) = mounts.of_token(token) else { return usual };
    match mounts.of_session(session_id) {
        Some((_, other)) if other.account == own.account => Ok(other.clone()),
        _ => usual,
    }
}
