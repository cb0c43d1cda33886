//! What a project has besides its agents.

use std::collections::{BTreeMap, BTreeSet};

/// Approved presets, and the ids that a configuration may refer to.
#[derive(Clone, Debug)]
pub struct Catalogue {
    /// Model presets that may be published.
    pub presets: BTreeSet<String>,
    /// Skill versions that exist.
    pub skill_versions: BTreeSet<String>,
    /// MCP toolset versions, and the names of their tools.
    pub toolsets: BTreeMap<String, Vec<String>>,
}

impl Default for Catalogue {
    fn default() -> Self {
        Self {
            presets: ["project-model-v1", "project-model-v2", "local-default"].map(str::to_owned).into(),
            skill_versions: BTreeSet::new(),
            toolsets: BTreeMap::new(),
        }
    }
}
