//! One version of a Skill.

use std::collections::BTreeMap;

/// A Skill package: what is in its `SKILL.md`, and the files beside it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Skill {
    /// The id of this version, as `skillVersionIds` names it.
    pub id: String,
    /// The name, which all versions of the Skill share.
    pub name: String,
    /// 1, 2, 3 … within the Skill.
    pub version: u64,
    /// What it is for. Listed for the model.
    pub description: String,
    /// Tools that its text speaks of. They are words; nothing is mounted for them.
    pub allowed_tools: Vec<String>,
    /// What an activation gives. Private.
    pub instructions: String,
    /// The files of the package by path. Private.
    pub files: BTreeMap<String, String>,
}

impl Skill {
    /// Reads a `SKILL.md`: a head of `field: value` lines between two lines of hyphens, and the instructions
    /// below. `None` when there is no such head or it lacks `name` or `description`.
    pub fn read(id: &str, version: u64, text: &str, files: BTreeMap<String, String>) -> Option<Self> {
        let (head, instructions) = text.strip_prefix("---\n")?.split_once("\n---\n")?;
        let field = |name: &str| {
            let lines = head.lines().filter_map(|line| line.split_once(':'));
            lines.into_iter().find(|(key, _)| key.trim() == name).map(|(_, value)| value.trim().to_owned())
        };
        let allowed = field("allowed-tools").unwrap_or_default();
        Some(Self {
            id: id.to_owned(),
            name: field("name")?,
            version,
            description: field("description")?,
            allowed_tools: allowed
                .split([',', ' '])
                .filter(|word| !word.is_empty())
                .map(str::to_owned)
                .collect(),
            instructions: instructions.trim().to_owned(),
            files,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_package_has_a_head_with_name_and_description() {
        let text = "---\nname: a-b\ndescription: What: for.\nallowed-tools: x, y\n---\n# Title\n\nText.\n";
        let skill = Skill::read("i", 3, text, BTreeMap::new()).unwrap();
        assert_eq!((skill.name.as_str(), skill.description.as_str()), ("a-b", "What: for."));
        assert_eq!(skill.instructions, "# Title\n\nText.");
        assert_eq!(skill.allowed_tools, ["x", "y"]);
        for broken in ["", "# Title", "---\nname: a\n---\nText", "---\nname: a\ndescription: b\n"] {
            assert_eq!(Skill::read("i", 1, broken, BTreeMap::new()), None, "{broken}");
        }
    }
}
