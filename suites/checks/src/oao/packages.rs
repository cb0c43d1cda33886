//! The Skill packages that a target has published for the suite.

use engine::Driver;
use serde_json::{Value, json};

/// A package of `fixtures/oao/skills`.
#[derive(Debug)]
pub(crate) struct Package {
    /// The setting that gives its id on the target.
    pub(crate) setting: &'static str,
    /// Its name.
    pub(crate) name: &'static str,
    /// A word that stands in its instructions and nowhere else.
    pub(crate) word: &'static str,
    /// Its `SKILL.md`.
    text: &'static str,
}

macro_rules! package {
    ($setting:literal, $name:literal, $version:literal, $word:literal) => {
        Package {
            setting: $setting,
            name: $name,
            word: $word,
            text: include_str!(concat!(
                "../../../../fixtures/oao/skills/",
                $name,
                "/",
                $version,
                "/SKILL.md"
            )),
        }
    };
}

/// With one file.
pub(crate) const INTAKE: Package = package!("skill_intake", "shipment-intake", "1", "amber-heron-intake");
/// The next version of the same Skill.
pub(crate) const INTAKE_NEXT: Package =
    package!("skill_intake_next", "shipment-intake", "2", "violet-crane-intake");
/// With one file.
pub(crate) const TABLES: Package = package!("skill_tables", "carrier-tables", "1", "copper-finch-tables");
/// Without a file. Its head speaks of the tool [`NAMED_TOOL`].
pub(crate) const NOTES: Package = package!("skill_notes", "handover-notes", "1", "cobalt-wren-notes");

/// A tool that nobody mounts.
pub(crate) const NAMED_TOOL: &str = "post_handover";
/// A file of [`INTAKE`], and a word in it.
pub(crate) const CHECKLIST: (&str, &str) = ("references/checklist.md", "granite-otter-checklist");
/// A file of [`TABLES`], and a word in it.
pub(crate) const CARRIERS: (&str, &str) = ("tables/carriers.csv", "silver-mole-carriers");

impl Package {
    /// What it says it is for.
    pub(crate) fn description(&self) -> &'static str {
        let mut lines = self.text.lines().filter_map(|line| line.strip_prefix("description:"));
        lines.next().map(str::trim).unwrap_or_default()
    }
}

/// `config` with these packages mounted.
pub(crate) fn mount(driver: &Driver<'_>, mut config: Value, packages: &[&Package]) -> Value {
    let ids: Vec<&str> = packages.iter().filter_map(|package| driver.facts().text(package.setting)).collect();
    config["skillVersionIds"] = json!(ids);
    config
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_package_has_its_word_and_a_description() {
        let all = [INTAKE, INTAKE_NEXT, TABLES, NOTES];
        for package in &all {
            assert!(package.description().len() > 20, "{}", package.setting);
            assert!(!package.description().contains(package.word), "{}", package.setting);
            assert!(package.text.contains(&format!("name: {}\n", package.name)));
            let with_it = all.iter().filter(|other| other.text.contains(package.word)).count();
            assert_eq!(with_it, 1, "{}", package.word);
        }
        assert!(NOTES.text.contains(&format!("allowed-tools: {NAMED_TOOL}\n")));
        for (file, word) in [
            (
                include_str!("../../../../fixtures/oao/skills/shipment-intake/1/references/checklist.md"),
                CHECKLIST.1,
            ),
            (
                include_str!("../../../../fixtures/oao/skills/carrier-tables/1/tables/carriers.csv"),
                CARRIERS.1,
            ),
        ] {
            assert!(file.contains(word));
        }
    }
}
