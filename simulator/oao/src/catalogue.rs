//! What a project has besides its agents.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use agent::Dialect;

use crate::{
    mcp::{self, Toolset},
    skills::{self, Skill},
};

/// Approved presets, and what a configuration may refer to by id.
#[derive(Clone, Debug)]
pub struct Catalogue {
    /// Model presets that may be published.
    pub presets: BTreeSet<String>,
    /// The preset that the project proposes at the start. No run depends on it.
    pub default_preset: String,
    /// Skill versions by id.
    pub skills: BTreeMap<String, Arc<Skill>>,
    /// MCP toolset versions by id.
    pub toolsets: BTreeMap<String, Toolset>,
    /// The wires of presets that are not spoken to in Chat Completions.
    pub wires: BTreeMap<String, Dialect>,
}

impl Default for Catalogue {
    fn default() -> Self {
        Self {
            default_preset: "project-model-v1".to_owned(),
            skills: skills::shipped(),
            toolsets: mcp::shipped(),
            presets: [
                "project-model-v1",
                "project-model-v2",
                "local-default",
                "project-model-responses",
                "project-model-messages",
            ]
            .map(str::to_owned)
            .into(),
            wires: [
                ("project-model-responses".to_owned(), Dialect::Responses),
                ("project-model-messages".to_owned(), Dialect::Messages),
            ]
            .into(),
        }
    }
}

impl Catalogue {
    /// The wire of a preset.
    pub fn dialect(&self, preset: &str) -> Dialect {
        self.wires.get(preset).copied().unwrap_or_default()
    }
}
