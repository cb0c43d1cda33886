//! The tools of a run, operations aside.

use std::sync::{Arc, Weak};

use agent::{Tool, Workspace};

use super::RunContext;
use crate::{
    Parts, Version,
    delegates::{self, Delegate, Desk},
    skills::{self, Skill},
};

/// What the sandbox offers, the tools for Skills, bound toolsets, and the tools for delegates.
pub(super) fn mounted(
    parts: &Parts,
    version: &Version,
    skills: &[Arc<Skill>],
    workspace: &Workspace,
    run: &Weak<RunContext>,
) -> Vec<Arc<dyn Tool>> {
    let mut tools = (parts.mounting.tools)(&version.config, workspace);
    tools.extend(skills::tools(&parts.skills, skills, run));
    tools.extend((parts.mcp.mount)(&parts.catalogue, &version.config));
    tools.extend(delegates::tools(Desk::of(&parts.delegates, Delegate::of(version), run)));
    tools
}
