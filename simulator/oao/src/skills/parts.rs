//! How Skills are mounted, activated and read.

use std::{collections::BTreeMap, fmt, sync::Arc};

use agent::ToolEnded;
use serde_json::Value;

use super::{Skill, events};
use crate::{Catalogue, Version, publication::config::items, runs::RunContext};

/// One call of a tool for Skills.
pub struct SkillCall<'a> {
    /// The run.
    pub run: &'a RunContext,
    /// The name that the model gave.
    pub name: &'a str,
}

impl SkillCall<'_> {
    /// The mounted Skill of this name.
    pub fn skill(&self) -> Option<&Skill> {
        self.run.skills.iter().map(Arc::as_ref).find(|skill| skill.name == self.name)
    }
}

/// The Skills that a version mounts.
pub type Mounted = Arc<dyn Fn(&Catalogue, &Version) -> Vec<Arc<Skill>> + Send + Sync>;
/// What an activation gives, or why there is nothing.
pub type Text = Arc<dyn Fn(&SkillCall<'_>) -> Result<String, String> + Send + Sync>;
/// What is in a file of a Skill, or why there is nothing.
pub type Resource = Arc<dyn Fn(&SkillCall<'_>, &str) -> Result<String, String> + Send + Sync>;
/// The event that a tool call leads to, if it is a call of a tool for Skills: kind and payload.
pub type Note = Arc<dyn Fn(&ToolEnded) -> Option<(&'static str, Value)> + Send + Sync>;
/// Whether a tool for Skills is offered.
pub type Offered = fn(&[Arc<Skill>]) -> bool;

/// How Skills are handled. The default is the contract's.
#[derive(Clone)]
pub struct SkillParts {
    /// Exactly the versions that the configuration names, in its order.
    pub mounted: Mounted,
    /// The instructions of a mounted Skill.
    pub activate: Text,
    /// A file of a mounted Skill.
    pub read: Resource,
    /// Activation is offered when a Skill is mounted.
    pub offered: Offered,
    /// Files can be read when a mounted Skill has some.
    pub packaged: Offered,
    /// The name or the path, whether it succeeded and how long it took.
    pub note: Note,
}

impl Default for SkillParts {
    fn default() -> Self {
        Self {
            mounted: Arc::new(of_version),
            activate: Arc::new(instructions),
            read: Arc::new(file),
            offered: |skills| !skills.is_empty(),
            packaged: |skills| skills.iter().any(|skill| !skill.files.is_empty()),
            note: Arc::new(events::of_call),
        }
    }
}

impl fmt::Debug for SkillParts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SkillParts").finish_non_exhaustive()
    }
}

fn of_version(catalogue: &Catalogue, version: &Version) -> Vec<Arc<Skill>> {
    let ids = items(&version.config, "skillVersionIds").iter().filter_map(Value::as_str);
    ids.filter_map(|id| catalogue.skills.get(id).cloned()).collect()
}

fn unknown(call: &SkillCall<'_>) -> String {
    let names: Vec<&str> = call.run.skills.iter().map(|skill| skill.name.as_str()).collect();
    format!("no skill `{}` is mounted; there are: {}", call.name, names.join(", "))
}

fn instructions(call: &SkillCall<'_>) -> Result<String, String> {
    let skill = call.skill().ok_or_else(|| unknown(call))?;
    let mut text = format!("# Skill {}\n\n{}", skill.name, skill.instructions);
    if !skill.files.is_empty() {
        text.push_str("\n\nFiles of this skill, for `read_skill_resource`:");
    }
    for path in skill.files.keys() {
        text.push_str(&format!("\n- {path}"));
    }
    Ok(text)
}

fn file(call: &SkillCall<'_>, path: &str) -> Result<String, String> {
    let skill = call.skill().ok_or_else(|| unknown(call))?;
    skill.files.get(path).cloned().ok_or_else(|| {
        let paths: Vec<&str> = BTreeMap::keys(&skill.files).map(String::as_str).collect();
        format!("the skill `{}` has no file `{path}`; there are: {}", skill.name, paths.join(", "))
    })
}
