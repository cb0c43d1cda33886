//! Who gets into an endpoint, and for how long.

use std::sync::Arc;

use super::{Mount, Mounts};
use crate::{
    Refusal,
    agents::{AgentConfig, Permission},
    tools::{Candidate, Standing, ToolRules},
};

/// The permission that a tool has at an endpoint; `None` leaves it out.
pub type Asks = Arc<dyn Fn(&ToolRules, &Standing<'_>) -> Option<Permission> + Send + Sync>;

/// The policy of tool endpoints.
#[derive(Clone)]
pub struct Endpoint {
    /// Whether a request that a page of this origin makes is taken. One without an origin always is.
    pub takes_origin: Arc<dyn Fn(&str) -> bool + Send + Sync>,
    /// From a token and the session that the path names to the endpoint that is served.
    pub admit: Arc<dyn Fn(&Mounts, &str, &str) -> Result<Mount, Refusal> + Send + Sync>,
    /// Which tools are listed. One that is denied is not.
    pub lists: Asks,
    /// Which tools can be called, by the same rule as those that are listed.
    pub calls: Asks,
    /// The name of a tool: the one that the agent's policy speaks of.
    pub name: Arc<dyn Fn(&AgentConfig, &Candidate) -> String + Send + Sync>,
    /// What becomes of an endpoint when its session ends.
    pub end: Arc<dyn Fn(&mut Mounts, &str) + Send + Sync>,
}

impl Default for Endpoint {
    fn default() -> Self {
        let standing: Asks = Arc::new(|rules, asked| (rules.standing)(asked));
        Self {
            lists: standing.clone(),
            calls: standing,
            name: Arc::new(|_, candidate| candidate.name.clone()),
            takes_origin: Arc::new(is_loopback),
            admit: Arc::new(admit),
            end: Arc::new(|mounts, session_id| mounts.close(session_id)),
        }
    }
}

/// A token that is not minted, or no longer, gets nobody in. One of another session does not even learn
/// whether the session of the path exists.
pub fn admit(mounts: &Mounts, token: &str, session_id: &str) -> Result<Mount, Refusal> {
    let Some(mount) = mounts.of_token(token) else {
        return Err(Refusal::unauthenticated("the token is missing, wrong, or its session is over"));
    };
    if mount.session_id != session_id {
        let message = format!("the token opens no tools of session `{session_id}`");
        return Err(Refusal::not_found("session_not_found", Some("id"), message));
    }
    Ok(mount.clone())
}

/// Whether an origin is this machine: `http://localhost:6274`, `http://127.0.0.1`, `https://[::1]:1`.
pub fn is_loopback(origin: &str) -> bool {
    let Some((scheme, rest)) = origin.split_once("://") else { return false };
    let name = match rest.strip_prefix('[') {
        Some(rest) => rest.split_once(']').map_or("", |(name, _)| name),
        None => rest.split([':', '/']).next().unwrap_or(""),
    };
    matches!(scheme, "http" | "https") && matches!(name, "localhost" | "127.0.0.1" | "::1")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_machine_is_known_by_its_loopback_names_and_no_other() {
        for origin in ["http://localhost", "http://localhost:6274", "https://127.0.0.1:1", "http://[::1]:8"] {
            assert!(is_loopback(origin), "{origin}");
        }
        for origin in [
            "null",
            "",
            "http://evil.example.com",
            "http://localhost.evil.example.com",
            "http://127.0.0.1.evil.example.com:80",
            "http://evil.example.com/localhost",
            "file://localhost",
            "http://[::1",
            "localhost",
        ] {
            assert!(!is_loopback(origin), "{origin}");
        }
    }
}
