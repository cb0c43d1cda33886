//! What a project has besides its agents.

use std::collections::{BTreeMap, BTreeSet};

use agent::Dialect;

/// Approved presets, and the ids that a configuration may refer to.
#[derive(Clone, Debug)]
pub struct Catalogue {
    /// Model presets that may be published.
    pub presets: BTreeSet<String>,
    /// The wires of presets that are not spoken to in Chat Completions.
    pub wires: BTreeMap<String, Dialect>,
    /// Skill versions that exist.
    pub skill_versions: BTreeSet<String>,
    /// MCP toolset versions, and the names of their tools.
    pub toolsets: BTreeMap<String, Vec<String>>,
}

impl Default for Catalogue {
    fn default() -> Self {
        Self {
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
            skill_versions: BTreeSet::new(),
            toolsets: BTreeMap::new(),
        }
    }
}

impl Catalogue {
    /// The wire of a preset.
    pub fn dialect(&self, preset: &str) -> Dialect {
        self.wires.get(preset).copied().unwrap_or_default()
    }
}
