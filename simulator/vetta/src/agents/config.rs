//! What an agent is made of.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

/// A stored agent.
#[derive(Clone, Debug, PartialEq)]
pub struct Agent {
    /// `agent_…`
    pub id: String,
    /// 1 at first; one more with every write that changes something.
    pub version: u64,
    /// What the caller wrote, defaults filled in.
    pub config: AgentConfig,
    /// RFC 3339.
    pub created_at: String,
    /// RFC 3339.
    pub updated_at: String,
}

/// The configuration of an agent.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct AgentConfig {
    /// Name.
    pub name: String,
    /// Model.
    pub model: String,
    /// The loop: a `base` of the catalogue.
    pub harness: String,
    /// System text.
    pub system: Option<String>,
    /// The tools policy.
    pub tools: Tools,
    /// MCP servers whose tools are contributed.
    pub mcp_servers: Vec<McpServer>,
    /// Connected accounts whose tools are contributed.
    pub connections: Vec<String>,
    /// The team that the agent leads.
    pub multiagent: Option<Multiagent>,
    /// Whatever the caller wants to remember.
    pub metadata: Map<String, Value>,
}

impl AgentConfig {
    /// The members as a request body would have them, which is also how they are shown.
    pub fn members(&self) -> Map<String, Value> {
        match serde_json::to_value(self) {
            Ok(Value::Object(members)) => members,
            _ => Map::new(),
        }
    }
}

/// The permission of a toolset or a tool (open point U13).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Permission {
    /// It runs.
    Allow,
    /// It is held until somebody decides.
    Ask,
    /// It does not run.
    Deny,
}

impl Permission {
    /// Reads one of the three words.
    pub fn parse(word: &str) -> Option<Self> {
        match word {
            "allow" => Some(Self::Allow),
            "ask" => Some(Self::Ask),
            "deny" => Some(Self::Deny),
            _ => None,
        }
    }
}

/// The tools policy.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Tools {
    /// Permission of the toolset.
    pub permission: Permission,
    /// Permissions of single tools by name, which win over that of the toolset. `None` when the caller
    /// wrote none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub overrides: Option<BTreeMap<String, Permission>>,
}

impl Default for Tools {
    fn default() -> Self {
        Self { permission: Permission::Allow, overrides: Some(BTreeMap::new()) }
    }
}

impl Tools {
    /// The permission of the tool called `name`.
    pub fn permission_of(&self, name: &str) -> Permission {
        let single = self.overrides.as_ref().and_then(|overrides| overrides.get(name));
        single.copied().unwrap_or(self.permission)
    }

    /// The tools that are set to `ask` one by one.
    pub fn asked(&self) -> impl Iterator<Item = &str> {
        let overrides = self.overrides.iter().flatten();
        overrides.filter(|(_, permission)| **permission == Permission::Ask).map(|(name, _)| name.as_str())
    }
}

/// A server whose tools are contributed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct McpServer {
    /// `url` where the caller wrote it.
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
    /// Name, unique on the agent.
    pub name: String,
    /// An address over HTTP or HTTPS.
    pub url: String,
}

/// A team (open point U49).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Multiagent {
    /// The roster, one entry at least.
    pub agents: Vec<Member>,
}

/// One entry of a roster, in the form in which it was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Member {
    /// The id alone.
    Id(String),
    /// `{"type":"agent","id","version"?}`
    Agent {
        /// `agent_…`
        id: String,
        /// A version to stay on.
        version: Option<u64>,
    },
    /// `{"type":"self"}`
    Oneself,
}

impl Serialize for Multiagent {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let agents: Vec<Value> = self.agents.iter().map(Member::to_value).collect();
        json!({"type": "coordinator", "agents": agents}).serialize(serializer)
    }
}

impl Member {
    fn to_value(&self) -> Value {
        match self {
            Self::Id(id) => json!(id),
            Self::Agent { id, version: None } => json!({"type": "agent", "id": id}),
            Self::Agent { id, version: Some(version) } => {
                json!({"type": "agent", "id": id, "version": version})
            }
            Self::Oneself => json!({"type": "self"}),
        }
    }
}
