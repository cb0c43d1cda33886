//! The parts: one small policy per concern, put together.

use crate::{
    agents::VersionStore,
    catalogue::Catalogue,
    events::EventParts,
    http::{Front, idempotency::Idempotency, paging::Paging},
    limits::{AgentLimits, ConfigLimits, FileLimits, Limits, SessionLimits},
    mounting::Mounting,
    observer::ObserverParts,
    operations::OperationParts,
    publication::{Definition, Publication},
    runs::RunParts,
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
    /// How runs go.
    pub runs: RunParts,
    /// How operations are called.
    pub operations: OperationParts,
    /// How events are made and shown.
    pub events: EventParts,
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
            runs: RunParts::default(),
            operations: OperationParts::default(),
            events: EventParts::default(),
            observer: ObserverParts::default(),
        }
    }
}
