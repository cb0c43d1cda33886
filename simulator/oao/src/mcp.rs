//! MCP toolsets: tools of somebody else's server, bound under a namespace.
//!
//! The simulator calls no server. A toolset of the catalogue says what its tools answer.

mod tool;
mod toolset;

use std::{fmt, sync::Arc};

use agent::Tool;
use serde_json::{Map, Value};
use tool::Scripted;
pub(crate) use toolset::shipped;
pub use toolset::{McpAnswer, McpTool, Toolset};

use crate::{
    Catalogue,
    publication::config::items,
    tool_calls::{self, ToolDesk},
};

/// The tools that a configuration mounts.
pub type Mount = Arc<dyn Fn(&Catalogue, &Map<String, Value>) -> Vec<Arc<dyn Tool>> + Send + Sync>;

/// How toolsets are mounted. The default is the contract's.
#[derive(Clone)]
pub struct McpParts {
    /// Every tool of every toolset that is bound.
    pub mount: Mount,
    /// Puts a mounted tool where its calls are on record, as those of the version's own tools are.
    pub brokered: fn(&ToolDesk, Arc<dyn Tool>) -> Arc<dyn Tool>,
}

impl Default for McpParts {
    fn default() -> Self {
        Self { mount: Arc::new(every_tool), brokered: tool_calls::brokered }
    }
}

impl fmt::Debug for McpParts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("McpParts").finish_non_exhaustive()
    }
}

/// The name under which a tool is mounted.
pub fn mounted_name(namespace: &str, tool: &str) -> String {
    format!("mcp__{namespace}__{tool}")
}

fn every_tool(catalogue: &Catalogue, config: &Map<String, Value>) -> Vec<Arc<dyn Tool>> {
    let mut tools: Vec<Arc<dyn Tool>> = Vec::new();
    for binding in items(config, "mcpBindings") {
        let namespace = binding["namespace"].as_str().unwrap_or_default();
        let toolset = binding["toolsetVersionId"].as_str().and_then(|id| catalogue.toolsets.get(id));
        for tool in toolset.iter().flat_map(|toolset| &toolset.tools) {
            tools.push(Arc::new(Scripted { name: mounted_name(namespace, &tool.name), tool: tool.clone() }));
        }
    }
    tools
}
