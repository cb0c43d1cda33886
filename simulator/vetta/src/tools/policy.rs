//! Which tools a session has, and under which permission.

use std::sync::Arc;

use agent::Workspace;

use super::{Candidate, Contributor, Origin, built_ins, native};
use crate::{
    agents::{AgentConfig, Permission},
    environment::{Road, Row},
};

/// A tool on its way to a loop.
#[derive(Clone, Copy)]
pub struct Standing<'a> {
    /// The agent's configuration that the turn goes by.
    pub config: &'a AgentConfig,
    /// The loop that the turn goes by.
    pub row: &'a Row,
    /// The tool.
    pub candidate: &'a Candidate,
}

/// The policy of tools.
#[derive(Clone)]
pub struct ToolRules {
    /// The tools that a loop has by itself, over the files of its session.
    pub native: Arc<dyn Fn(&Row, &Workspace) -> Vec<Candidate> + Send + Sync>,
    /// The tools that the platform has for its loops (open point U44).
    pub built_ins: Arc<dyn Fn(&Row, &Workspace) -> Vec<Candidate> + Send + Sync>,
    /// Who contributes more, in the order in which the tools are listed.
    pub contributors: Vec<Arc<dyn Contributor>>,
    /// The permission of a tool; `None` leaves it out. One on `deny` is not offered either, and a call of
    /// its name is refused.
    pub standing: Arc<dyn Fn(&Standing<'_>) -> Option<Permission> + Send + Sync>,
}

impl Default for ToolRules {
    fn default() -> Self {
        Self {
            native: Arc::new(native),
            built_ins: Arc::new(built_ins),
            contributors: Vec::new(),
            standing: Arc::new(standing),
        }
    }
}

/// The agent's policy, by name; a single tool's permission wins over that of the toolset. A process that
/// reaches its tools through an endpoint keeps its own tools to itself (open point U45), and the platform's
/// own do not come that far. What would have to be held on a loop that can hold nothing is left out: `ask`
/// never becomes `allow` (invariant 3).
pub fn standing(asked: &Standing<'_>) -> Option<Permission> {
    let Standing { config, row, candidate } = asked;
    let second = row.facts.road == Some(Road::Second);
    match candidate.origin {
        Origin::Native if second => return Some(Permission::Allow),
        Origin::BuiltIn if second => return None,
        _ => {}
    }
    let permission = config.tools.permission_of(&candidate.name);
    (permission != Permission::Ask || row.harness.capabilities.approvals).then_some(permission)
}
