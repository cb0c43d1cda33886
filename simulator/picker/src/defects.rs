//! Named ways for a client to be wrong.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::{
    Choice, Known, Parts,
    choices::{self, text},
};

/// A named edit.
pub struct Edit {
    /// The name in the specification.
    pub id: &'static str,
    /// What it changes.
    pub edit: fn(&mut Parts),
}

/// A name that is no defect of a client.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown defect `{0}` of a client: it is one of {known}", known = ids().join(", "))]
pub struct UnknownDefect(pub String);

/// All of them.
pub const ALL: &[Edit] = &[
    Edit { id: "picker-offers-non-runnable", edit: |parts| forget(parts, "runnable") },
    Edit { id: "picker-offers-local", edit: |parts| forget(parts, "location") },
    Edit {
        id: "closed-schema-consumer",
        edit: |parts| {
            parts.read = |entries| {
                if entries.iter().all(has_known_members_only) { entries } else { Vec::new() }
            };
        },
    },
    Edit { id: "picker-merges-labels", edit: |parts| parts.read = once_per_label },
    Edit {
        id: "picker-sends-the-label",
        edit: |parts| parts.value = |entry| text(entry, "label").to_owned(),
    },
    Edit {
        id: "picker-offers-what-is-to-come",
        edit: |parts| parts.coming = vec![Known { base: "sim-soon", selectable: true }],
    },
    Edit { id: "picker-reads-one-page", edit: |parts| parts.pages_max = 1 },
    Edit { id: "picker-falls-back-to-memory", edit: |parts| parts.fallback = its_own_table },
    Edit {
        id: "picker-puts-the-key-in-the-url",
        edit: |parts| {
            parts.sign = |path, key| {
                let and = if path.contains('?') { '&' } else { '?' };
                (format!("{path}{and}key={key}"), Some(format!("Bearer {key}")))
            };
        },
    },
];

/// Applies the defects called `wanted`.
pub fn edit(parts: &mut Parts, wanted: &[impl AsRef<str>]) -> Result<(), UnknownDefect> {
    for id in wanted.iter().map(AsRef::as_ref) {
        let edit = ALL.iter().find(|edit| edit.id == id).ok_or_else(|| UnknownDefect(id.to_owned()))?;
        (edit.edit)(parts);
    }
    Ok(())
}

/// Their names.
pub fn ids() -> Vec<&'static str> {
    ALL.iter().map(|edit| edit.id).collect()
}

/// Nothing of the kind stands against an entry any more.
fn forget(parts: &mut Parts, objection: &str) {
    parts.objections.retain(|(name, _)| *name != objection);
}

/// The table that was compiled in with some release.
fn its_own_table() -> Vec<Choice> {
    ["pi", "vetta"].map(|base| Choice { base: base.to_owned(), selectable: true, why: None }).into()
}

/// Entries are told apart by what is displayed.
fn once_per_label(entries: Vec<Value>) -> Vec<Value> {
    let mut labels = BTreeSet::new();
    entries.into_iter().filter(|entry| labels.insert(text(entry, "label").to_owned())).collect()
}

const MEMBERS: [&str; 8] =
    ["base", "label", "location", "billing", "status", "execution", "runnable", "capabilities"];

/// A strict decoder: every member and every word has to be one that this version knows.
fn has_known_members_only(entry: &Value) -> bool {
    let known = |name: &String| MEMBERS.contains(&name.as_str());
    entry.as_object().is_some_and(|members| members.keys().all(known))
        && choices::is_of_unknown_maturity(entry).is_none()
}
