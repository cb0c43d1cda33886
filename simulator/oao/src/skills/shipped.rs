//! The packages that ship with the simulator.

use std::{collections::BTreeMap, sync::Arc};

use serde_json::Value;

use super::Skill;

macro_rules! text {
    ($path:literal) => {
        ($path, include_str!(concat!("../../../../fixtures/oao/skills/", $path)))
    };
}

const MANIFEST: (&str, &str) = text!("manifest.json");
/// Every file of every package, by its path below the folder of the packages.
const FILES: &[(&str, &str)] = &[
    text!("shipment-intake/1/SKILL.md"),
    text!("shipment-intake/1/references/checklist.md"),
    text!("shipment-intake/2/SKILL.md"),
    text!("shipment-intake/2/references/checklist.md"),
    text!("carrier-tables/1/SKILL.md"),
    text!("carrier-tables/1/tables/carriers.csv"),
    text!("handover-notes/1/SKILL.md"),
];

/// The packages of the manifest, by id.
pub(crate) fn shipped() -> BTreeMap<String, Arc<Skill>> {
    let manifest: Value = serde_json::from_str(MANIFEST.1).unwrap_or_default();
    let rows = manifest["skills"].as_array().cloned().unwrap_or_default();
    rows.iter().filter_map(package).map(|skill| (skill.id.clone(), Arc::new(skill))).collect()
}

fn package(row: &Value) -> Option<Skill> {
    let (name, version) = (row["name"].as_str()?, row["version"].as_u64()?);
    let text = |path: &str| {
        let whole = format!("{name}/{version}/{path}");
        FILES.iter().find(|(at, _)| *at == whole).map(|(_, text)| (*text).to_owned())
    };
    let paths = row["files"].as_array()?.iter().filter_map(Value::as_str);
    let files = paths.map(|path| Some((path.to_owned(), text(path)?))).collect::<Option<_>>()?;
    Skill::read(row["id"].as_str()?, version, &text("SKILL.md")?, files).filter(|skill| skill.name == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_of_the_manifest_is_a_package() {
        let manifest: Value = serde_json::from_str(MANIFEST.1).unwrap();
        let shipped = shipped();
        assert_eq!(shipped.len(), manifest["skills"].as_array().unwrap().len());
        let files: usize = shipped.values().map(|skill| skill.files.len() + 1).sum();
        assert_eq!(files, FILES.len());
        for skill in shipped.values() {
            assert!(crate::publication::reader::is_uuid(&skill.id), "{}", skill.id);
            assert!(!skill.instructions.contains("description:"), "{}", skill.name);
        }
    }
}
