//! The parts: one small policy per concern, put together.

use crate::{
    agents::VersionStore,
    approvals::ApprovalParts,
    catalogue::Catalogue,
    delegates::DelegateParts,
    durability::DurabilityParts,
    events::EventParts,
    http::{Front, idempotency::Idempotency, paging::Paging},
    limits::{AgentLimits, ConfigLimits, FileLimits, Limits, SessionLimits},
    mcp::McpParts,
    mounting::Mounting,
    observer::ObserverParts,
    operations::OperationParts,
    publication::{Definition, Publication},
    runs::RunParts,
    skills::SkillParts,
    tool_calls::ToolCallParts,
    webhooks::WebhookParts,
};

/// Everything that decides how the service behaves. The default is the contract's; whoever wants another
/// behaviour changes a value, puts a function in the place of another one, or decorates a seam.
#[derive(Clone, Debug)]
pub struct Parts {
    /// Presets, skills and toolsets of a project.
    pub catalogue: Catalogue,
    /// Routes, order of evaluation, rewrites of answers.
    pub front: Front,
    /// One effect per idempotency key.
    pub idempotency: Idempotency,
    /// Lists.
    pub paging: Paging,
    /// What an operation is made of.
    pub definition: Definition,
    /// How a configuration is published.
    pub publication: Publication,
    /// Limits of a configuration.
    pub config_limits: ConfigLimits,
    /// Limits of an agent.
    pub agent_limits: AgentLimits,
    /// Limits of a session.
    pub session_limits: SessionLimits,
    /// Limits of files that come with a message.
    pub file_limits: FileLimits,
    /// Where versions are kept.
    pub versions: VersionStore,
    /// What a version offers to the model.
    pub mounting: Mounting,
    /// How Skills are mounted, activated and read.
    pub skills: SkillParts,
    /// How MCP toolsets are mounted.
    pub mcp: McpParts,
    /// How delegates work.
    pub delegates: DelegateParts,
    /// How runs go.
    pub runs: RunParts,
    /// How runs survive the death of their worker.
    pub durability: DurabilityParts,
    /// How operations are called.
    pub operations: OperationParts,
    /// How events are made and shown.
    pub events: EventParts,
    /// How the tools of a version are called.
    pub tool_calls: ToolCallParts,
    /// How calls are approved.
    pub approvals: ApprovalParts,
    /// How events are pushed.
    pub webhooks: WebhookParts,
    /// How sessions and versions are shown to an observer.
    pub observer: ObserverParts,
}

impl Default for Parts {
    fn default() -> Self {
        let limits = Limits::default();
        Self {
            catalogue: Catalogue::default(),
            front: Front::default(),
            idempotency: Idempotency::default(),
            paging: Paging::default(),
            definition: Definition::default(),
            publication: Publication::default(),
            config_limits: limits.config,
            agent_limits: limits.agent,
            session_limits: limits.session,
            file_limits: limits.files,
            versions: VersionStore::default(),
            mounting: Mounting::default(),
            skills: SkillParts::default(),
            mcp: McpParts::default(),
            delegates: DelegateParts::default(),
            runs: RunParts::default(),
            durability: DurabilityParts::default(),
            operations: OperationParts::default(),
            events: EventParts::default(),
            tool_calls: ToolCallParts::default(),
            approvals: ApprovalParts::default(),
            webhooks: WebhookParts::default(),
            observer: ObserverParts::default(),
        }
    }
}
