//! Wrong ways to handle Skills and toolsets.

use std::{collections::BTreeSet, sync::Arc};

use oao::Parts;
use serde_json::json;

use super::super::Edit;

pub(super) const DEFECTS: &[Edit<Parts>] = &[
    Edit {
        id: "skills-loaded-eagerly",
        edit: |parts| {
            let render = parts.mounting.render.clone();
            parts.mounting.render = Arc::new(move |rendering| {
                let texts = rendering.skills.iter().map(|skill| format!("\n\n{}", skill.instructions));
                format!("{}{}", render(rendering), texts.collect::<String>())
            });
        },
    },
    Edit {
        id: "any-skill-resource",
        edit: |parts| {
            let read = parts.skills.read.clone();
            parts.skills.read = Arc::new(move |call, path| {
                let all = call.run.parts().catalogue.skills.values();
                let found =
                    all.filter(|skill| skill.name == call.name).find_map(|skill| skill.files.get(path));
                read(call, path).or_else(|why| found.cloned().ok_or(why))
            });
        },
    },
    Edit {
        id: "unknown-skill-is-empty",
        edit: |parts| {
            let (activate, known) = (parts.skills.activate.clone(), names(parts));
            parts.skills.activate = Arc::new(move |call| {
                activate(call)
                    .or_else(|why| if known.contains(call.name) { Err(why) } else { Ok(String::new()) })
            });
        },
    },
    Edit {
        id: "skill-text-in-event",
        edit: |parts| {
            let note = parts.skills.note.clone();
            parts.skills.note = Arc::new(move |tool| {
                let (kind, mut payload) = note(tool)?;
                payload["text"] = json!(tool.outcome.content());
                Some((kind, payload))
            });
        },
    },
    Edit { id: "resource-tool-always", edit: |parts| parts.skills.packaged = |skills| !skills.is_empty() },
    Edit {
        id: "second-binding-lost",
        edit: |parts| {
            let mount = parts.mcp.mount.clone();
            parts.mcp.mount = Arc::new(move |catalogue, config| {
                let mut config = config.clone();
                if let Some(bindings) = config.get_mut("mcpBindings").and_then(|list| list.as_array_mut()) {
                    let mut seen = BTreeSet::new();
                    bindings.retain(|binding| seen.insert(binding["toolsetVersionId"].to_string()));
                }
                mount(catalogue, &config)
            });
        },
    },
];

/// The names of all Skills of the project.
fn names(parts: &Parts) -> BTreeSet<String> {
    parts.catalogue.skills.values().map(|skill| skill.name.clone()).collect()
}
