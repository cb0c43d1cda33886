//! Delegates: other agent versions that a run may give work to.
//!
//! A delegate works in a session of its own, below the session that called it. The session stays, is listed
//! like any other, and takes further messages.

mod child;
mod desk;
mod tools;

use std::{fmt, sync::Arc};

use agent::Message;
pub use child::ChildOf;
pub(crate) use desk::Desk;
use serde_json::{Value, json};
pub(crate) use tools::tools;

use crate::{Version, publication::config::items, runs::RunContext, service::State, sessions::Session};

/// One delegate of a version.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Delegate {
    /// The name by which the model calls it.
    pub key: String,
    /// What the model is told about it.
    pub description: String,
    /// The version that does the work.
    pub version_id: String,
    /// Children that may work at the same time.
    pub max_parallel: usize,
}

impl Delegate {
    /// The delegates of a version, in its order.
    pub fn of(version: &Version) -> Vec<Self> {
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let read = |stored: &Value| Self {
            key: text(&stored["key"]),
            description: text(&stored["description"]),
            version_id: text(&stored["agentVersionId"]),
            max_parallel: stored["maxParallel"].as_u64().and_then(|n| usize::try_from(n).ok()).unwrap_or(1),
        };
        items(&version.config, "delegates").iter().map(read).collect()
    }
}

/// Whether a delegate with the second sandbox works on the files of the first.
pub type Shares = Arc<dyn Fn(&Value, &Value) -> bool + Send + Sync>;
/// What the conversation of a child begins with.
pub type Opening = Arc<dyn Fn(&RunContext) -> Vec<Message> + Send + Sync>;

/// How delegates work. The default is the contract's.
#[derive(Clone)]
pub struct DelegateParts {
    /// The workspace is shared if both sandboxes have one identity: provider, snapshot, and whether they are on.
    pub shares: Shares,
    /// Nothing: the system text is that of the delegate's own version.
    pub opening: Opening,
    /// A child stays once it has answered.
    pub retain: fn(&Delegate) -> bool,
    /// How many children of a delegate may work at the same time.
    pub parallel: fn(&Delegate) -> usize,
}

impl Default for DelegateParts {
    fn default() -> Self {
        Self {
            shares: Arc::new(|root, delegate| identity(root) == identity(delegate)),
            opening: Arc::new(|_| Vec::new()),
            retain: |_| true,
            parallel: |delegate| delegate.max_parallel.max(1),
        }
    }
}

impl fmt::Debug for DelegateParts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DelegateParts").finish_non_exhaustive()
    }
}

fn identity(sandbox: &Value) -> [&Value; 3] {
    [&sandbox["provider"], &sandbox["snapshotId"], &sandbox["enabled"]]
}

/// The children of a session, for its details.
pub(crate) fn delegations(state: &State, session: &Session) -> Vec<Value> {
    let children = state.sessions.all(&session.project_id).filter_map(|child| {
        let of = child.parent.as_ref().filter(|of| of.session_id == session.id)?;
        let row = json!({
            "key": of.key,
            "sessionId": child.id,
            "parentRunId": of.run_id,
            "agentId": child.agent_id,
            "agentVersionId": child.version_id,
            "workspaceShared": of.shared,
            "status": child.latest_run(state).map(|run| run.state.name()),
            "createdAt": child.created_at,
        });
        Some((child.created, row))
    });
    let mut children: Vec<_> = children.collect();
    children.sort_by_key(|(created, _)| *created);
    children.into_iter().map(|(_, row)| row).collect()
}
