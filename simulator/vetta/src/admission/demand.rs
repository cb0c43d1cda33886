//! From configuration to demands.

use crate::{
    agents::{AgentConfig, Permission},
    harness::Capability,
    sessions::Start,
};

/// One demand on the loop of a session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Demand {
    /// The capability that the loop has to declare.
    pub capability: Capability,
    /// What in the configuration demands it.
    pub source: Source,
}

/// What makes a demand.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Source {
    /// The toolset is on `ask`.
    Toolset,
    /// A single tool is on `ask`.
    Tool(String),
    /// `structured_output_required`.
    TypedAnswer,
    /// `multiagent`.
    Team,
    /// `mcp_servers`, not empty.
    McpServers,
    /// `connections`, not empty.
    Connections,
}

impl Source {
    /// The demand in words, after "the agent".
    pub fn words(&self) -> String {
        match self {
            Self::Toolset => "sets its toolset to `ask`".to_owned(),
            Self::Tool(name) => format!("sets the tool `{name}` to `ask`"),
            Self::TypedAnswer => "has to give a typed answer".to_owned(),
            Self::Team => "leads a team".to_owned(),
            Self::McpServers => "declares MCP servers".to_owned(),
            Self::Connections => "acts through a connected account".to_owned(),
        }
    }
}

/// Every demand of a start. `streaming_deltas` is never among them, and nothing is demanded by default.
pub fn demands(agent: &AgentConfig, start: &Start) -> Vec<Demand> {
    let mut demands = Vec::new();
    let mut demand = |capability, source| demands.push(Demand { capability, source });
    if agent.tools.permission == Permission::Ask {
        demand(Capability::Approvals, Source::Toolset);
    }
    for tool in agent.tools.asked() {
        demand(Capability::Approvals, Source::Tool(tool.to_owned()));
    }
    if start.structured_output_required {
        demand(Capability::StructuredOutput, Source::TypedAnswer);
    }
    if agent.multiagent.is_some() {
        demand(Capability::InjectedTools, Source::Team);
    }
    if !agent.mcp_servers.is_empty() {
        demand(Capability::InjectedTools, Source::McpServers);
    }
    if !agent.connections.is_empty() {
        demand(Capability::InjectedTools, Source::Connections);
    }
    demands
}
