//! What the platform contributes to a loop: the tools of the agent's MCP servers, of its connections and of
//! its team.

mod connections;
mod mcp_servers;
mod team;

use std::sync::Arc;

use wire::Net;

pub use connections::{Connection, Connections};
pub use mcp_servers::McpServers;
pub use team::{SEND, Team, WAIT};

use crate::{FixtureError, tools::Contributor};

/// Every contributor, in the order in which their tools are listed. MCP servers are reached over `net`.
pub fn all(net: Net) -> Result<Vec<Arc<dyn Contributor>>, FixtureError> {
    Ok(vec![Arc::new(Team), Arc::new(McpServers::over(net)), Arc::new(Connections::shipped()?)])
}
