//! Sessions that do not keep their version.

use std::sync::Arc;

use oao::{Parts, Version, operations::Operation};

use super::super::Edit;

pub(super) const DEFECTS: &[Edit<Parts>] = &[
    Edit {
        // By its key, so one that the latest version lacks is found where it was.
        id: "session-floats-to-latest",
        edit: |parts| {
            edit(parts, |own, latest| {
                let newest =
                    |one: Operation| latest.iter().find(|new| new.key == one.key).cloned().unwrap_or(one);
                own.into_iter().map(newest).collect()
            });
        },
    },
    Edit {
        id: "removed-op-vanishes",
        edit: |parts| {
            edit(parts, |own, latest| {
                own.into_iter().filter(|one| latest.iter().any(|new| new.key == one.key)).collect()
            });
        },
    },
];

/// Makes the operations of a run out of those of its own version and those of the latest one.
fn edit(parts: &mut Parts, choose: fn(Vec<Operation>, &[Operation]) -> Vec<Operation>) {
    let of_version = parts.mounting.operations.clone();
    parts.mounting.operations = Arc::new(move |version: &Version, all: &[Version]| {
        let latest = all.last().map(|latest| of_version(latest, all)).unwrap_or_default();
        choose(of_version(version, all), &latest)
    });
}
