//! The tools of a run, operations aside.

use std::sync::{Arc, Weak};

use agent::Tool;

use super::RunContext;
use crate::{
    Version,
    delegates::{self, Delegate, Desk},
    sandbox::{Grant, Sandbox},
    skills::{self, Skill},
    tool_calls::ToolDesk,
};

/// What the sandbox offers, the tools that the version was published with, the tools for Skills, bound
/// toolsets, and the tools for delegates.
pub(super) fn mounted(
    desk: &ToolDesk,
    version: &Version,
    skills: &[Arc<Skill>],
    sandbox: &Sandbox,
    run: &Weak<RunContext>,
) -> Vec<Arc<dyn Tool>> {
    let parts = desk.service.parts();
    let mut tools = (parts.mounting.tools)(&Grant {
        config: &version.config,
        sandbox,
        commands: &parts.mounting.commands,
        events: &desk.events,
    });
    tools.extend((parts.mounting.authored)(desk, &version.config));
    tools.extend(skills::tools(&parts.skills, skills, run));
    let bound = (parts.mcp.mount)(&parts.catalogue, &version.config);
    tools.extend(bound.into_iter().map(|tool| (parts.mcp.brokered)(desk, tool)));
    tools.extend(delegates::tools(Desk::of(&parts.delegates, Delegate::of(version), run)));
    tools
}
