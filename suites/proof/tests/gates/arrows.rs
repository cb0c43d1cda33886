//! Which room may know which.

use std::collections::{BTreeMap, BTreeSet};

use cargo_metadata::{DependencyKind, MetadataCommand, Package};

/// The rooms, and on whom each may lean. Development dependencies do not count: a test may look anywhere.
const ARROWS: [(&str, &[&str]); 15] = [
    ("proofhouse-spec", &[]),
    ("proofhouse-wire", &[]),
    ("proofhouse-model", &["wire", "spec"]),
    ("proofhouse-agent", &["wire", "spec"]),
    ("proofhouse-oao", &["agent", "wire", "spec"]),
    ("proofhouse-vetta", &["agent", "wire", "spec"]),
    ("proofhouse-world", &["oao", "vetta", "agent", "model", "wire", "spec"]),
    ("proofhouse-picker", &["wire"]),
    ("proofhouse-recording", &["spec"]),
    ("proofhouse-engine", &["recording", "wire", "spec"]),
    ("proofhouse", &["engine", "recording", "wire", "model", "spec"]),
    ("proofhouse-report", &["recording", "spec"]),
    ("proofhouse-targets", &["engine", "recording", "world", "picker", "model", "wire", "spec"]),
    ("proofhouse-cli", &["*"]),
    ("proofhouse-proof", &["*"]),
];

fn packages() -> Vec<Package> {
    let metadata =
        MetadataCommand::new().no_deps().other_options(vec!["--offline".to_owned()]).exec().unwrap();
    metadata.packages
}

#[test]
fn no_room_knows_a_room_that_it_should_not() {
    let allowed: BTreeMap<&str, &[&str]> = ARROWS.into_iter().collect();
    let packages = packages();
    let ours: BTreeSet<String> = packages.iter().map(|package| package.name.to_string()).collect();
    assert_eq!(
        ours,
        ARROWS.iter().map(|(name, _)| (*name).to_owned()).collect(),
        "a room is new or gone: say what it may know"
    );
    for package in &packages {
        let may = allowed[package.name.as_str()];
        for dependency in
            package.dependencies.iter().filter(|dependency| dependency.kind == DependencyKind::Normal)
        {
            if ours.contains(&dependency.name) && may != ["*"] {
                let room = dependency.name.strip_prefix("proofhouse-").unwrap_or("checks");
                assert!(may.contains(&room), "{} leans on {room}", package.name);
            }
        }
    }
}

#[test]
fn checks_do_not_reach_the_reference_by_a_detour() {
    let packages = packages();
    let leans_on = |name: &str| -> BTreeSet<String> {
        let package = packages.iter().find(|package| package.name.as_str() == name);
        let normal = package.into_iter().flat_map(|package| &package.dependencies);
        normal
            .filter(|dependency| dependency.kind == DependencyKind::Normal)
            .map(|dependency| dependency.name.clone())
            .collect()
    };
    let mut reached = BTreeSet::new();
    let mut todo = vec!["proofhouse".to_owned()];
    while let Some(name) = todo.pop() {
        if reached.insert(name.clone()) {
            todo.extend(leans_on(&name));
        }
    }
    for room in ["agent", "oao", "vetta", "world", "targets"] {
        assert!(!reached.contains(&format!("proofhouse-{room}")), "the checks reach {room}");
    }
}
