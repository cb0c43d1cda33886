//! Agents: a name and a line of versions.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::Version;
use crate::http::paging::Position;

/// One agent.
#[derive(Clone, Debug)]
pub(crate) struct Agent {
    pub(crate) id: String,
    pub(crate) organization_id: String,
    pub(crate) project_id: String,
    pub(crate) key: String,
    pub(crate) name: String,
    pub(crate) description: String,
    pub(crate) created_at: String,
    pub(crate) updated_at: String,
    pub(crate) archived: bool,
    pub(crate) position: Position,
}

impl Agent {
    /// The agent on the wire, with what its latest version says.
    pub(crate) fn to_json(&self, latest: Option<&Version>) -> Value {
        let config =
            |name: &str| latest.and_then(|version| version.config.get(name)).cloned().unwrap_or_default();
        json!({
            "id": self.id,
            "organizationId": self.organization_id,
            "projectId": self.project_id,
            "key": self.key,
            "name": self.name,
            "description": self.description,
            "latestVersionId": latest.map(|version| version.id.as_str()),
            "version": latest.map(|version| version.number),
            "model": config("modelPreset"),
            "sandbox": config("sandbox"),
            "status": if latest.is_some() { "published" } else { "draft" },
            "createdAt": self.created_at,
            "updatedAt": self.updated_at,
        })
    }
}

/// All agents.
#[derive(Debug, Default)]
pub(crate) struct Agents(BTreeMap<String, Agent>);

impl Agents {
    /// Whether a key is taken in a project. An archived agent keeps its key.
    pub(crate) fn has_key(&self, project: &str, key: &str) -> bool {
        self.0.values().any(|agent| agent.project_id == project && agent.key == key)
    }

    pub(crate) fn insert(&mut self, agent: Agent) {
        self.0.insert(agent.id.clone(), agent);
    }

    /// An agent that is not archived.
    pub(crate) fn live(&self, project: &str, id: &str) -> Option<&Agent> {
        self.0.get(id).filter(|agent| agent.project_id == project && !agent.archived)
    }

    /// As [`Agents::live`], to be changed.
    pub(crate) fn live_mut(&mut self, project: &str, id: &str) -> Option<&mut Agent> {
        self.0.get_mut(id).filter(|agent| agent.project_id == project && !agent.archived)
    }

    /// The agents of a project that are not archived.
    pub(crate) fn all_live(&self, project: &str) -> impl Iterator<Item = &Agent> {
        self.0.values().filter(move |agent| agent.project_id == project && !agent.archived)
    }
}
