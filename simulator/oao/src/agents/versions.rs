//! Versions: published once, never changed.

use std::{collections::BTreeMap, fmt, sync::Arc};

use serde_json::{Map, Value, json};

use crate::{
    errors::Refusal,
    http::paging::Position,
    publication::{canonical, config},
};

/// One published version of an agent.
#[derive(Clone, Debug, PartialEq)]
pub struct Version {
    /// Its id.
    pub id: String,
    /// The organisation.
    pub organization_id: String,
    /// The project.
    pub project_id: String,
    /// The agent.
    pub agent_id: String,
    /// 1, 2, 3 … within the agent. The store gives it.
    pub number: u64,
    /// The configuration in canonical form.
    pub config: Map<String, Value>,
    /// Who published it.
    pub created_by: String,
    /// When, as RFC 3339.
    pub created_at: String,
    /// Its place in lists.
    pub position: Position,
}

impl Version {
    /// SHA-256 of the configuration, in lower-case hex.
    pub fn content_hash(&self) -> String {
        canonical::content_hash(&Value::Object(self.config.clone()))
    }

    /// The definitions of its operations, in the order in which they were published.
    pub fn operations(&self) -> &[Value] {
        config::items(&self.config, "harnessOperations")
    }

    /// The version on the wire.
    pub fn to_json(&self) -> Value {
        json!({
            "organizationId": self.organization_id,
            "projectId": self.project_id,
            "id": self.id,
            "agentDefinitionId": self.agent_id,
            "version": self.number,
            "config": self.config,
            "contentHash": self.content_hash(),
            "createdByPrincipalId": self.created_by,
            "createdAt": self.created_at,
        })
    }
}

/// Where versions are kept.
pub trait Versions: Send {
    /// Keeps a new version and gives it its number. Content that the agent has published before is refused.
    fn publish(&mut self, version: Version) -> Result<Version, Refusal>;
    /// The version of this id.
    fn get(&self, id: &str) -> Option<Version>;
    /// The versions of an agent, oldest first.
    fn of_agent(&self, agent_id: &str) -> Vec<Version>;
}

/// Versions in memory.
#[derive(Debug, Default)]
pub struct MemoryVersions {
    by_agent: BTreeMap<String, Vec<Version>>,
    agent_of: BTreeMap<String, String>,
}

impl Versions for MemoryVersions {
    fn publish(&mut self, mut version: Version) -> Result<Version, Refusal> {
        let siblings = self.by_agent.entry(version.agent_id.clone()).or_default();
        let hash = version.content_hash();
        if let Some(twin) = siblings.iter().find(|sibling| sibling.content_hash() == hash) {
            return Err(Refusal::conflict(format!("version {} has this content already", twin.number)));
        }
        version.number = siblings.len() as u64 + 1;
        siblings.push(version.clone());
        self.agent_of.insert(version.id.clone(), version.agent_id.clone());
        Ok(version)
    }

    fn get(&self, id: &str) -> Option<Version> {
        let siblings = self.by_agent.get(self.agent_of.get(id)?)?;
        siblings.iter().find(|version| version.id == id).cloned()
    }

    fn of_agent(&self, agent_id: &str) -> Vec<Version> {
        self.by_agent.get(agent_id).cloned().unwrap_or_default()
    }
}

/// Puts something around a store.
pub type Decorate = Arc<dyn Fn(Box<dyn Versions>) -> Box<dyn Versions> + Send + Sync>;

/// How the store of versions is made: in memory, with decorators around it, the last one outermost. There are
/// none in the contract.
#[derive(Clone, Default)]
pub struct VersionStore {
    /// The decorators.
    pub decorators: Vec<Decorate>,
}

impl VersionStore {
    /// A fresh store.
    pub fn open(&self) -> Box<dyn Versions> {
        let store: Box<dyn Versions> = Box::<MemoryVersions>::default();
        self.decorators.iter().fold(store, |store, decorate| decorate(store))
    }
}

impl fmt::Debug for VersionStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "VersionStore with {} decorators", self.decorators.len())
    }
}
