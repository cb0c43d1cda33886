//! The machine-readable forms that others build on.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::process::run;

fn members(value: &Value) -> BTreeSet<&str> {
    value.as_object().unwrap().keys().map(String::as_str).collect()
}

fn has(value: &Value, wanted: &[&str]) {
    let members = members(value);
    for name in wanted {
        assert!(members.contains(name), "`{name}` is missing in {value}");
    }
}

#[test]
fn list_is_one_array_of_entries() {
    let folder = tempfile::tempdir().unwrap();
    let said = run(folder.path(), &["list", "--format", "json"]);
    let list: Value = serde_json::from_str(&said.out).unwrap();
    let list = list.as_array().unwrap();
    let mut counts = std::collections::BTreeMap::new();
    let ids: BTreeSet<&str> = list.iter().map(|entry| entry["id"].as_str().unwrap()).collect();
    for entry in list {
        has(entry, &["kind", "id", "contract", "level", "pending", "needs", "partners"]);
        *counts.entry(entry["kind"].as_str().unwrap()).or_insert(0) += 1;
        for partner in entry["partners"].as_array().unwrap() {
            assert!(ids.contains(partner.as_str().unwrap()), "{entry} names {partner}");
        }
    }
    assert_eq!(counts["requirement"], 237);
    // The 269 of the two documents, their properties, and what the product promises beyond them.
    assert_eq!(counts["check"], 422);
    assert_eq!(counts["defect"], 422);
    assert_eq!(counts["open_point"], 105);
}

#[test]
fn prove_is_one_array_of_matrices() {
    let folder = tempfile::tempdir().unwrap();
    let said = run(folder.path(), &["prove", "--format", "json", "--check", "VET-59*"]);
    let matrices: Value = serde_json::from_str(&said.out).unwrap();
    let matrix = &matrices[0];
    has(matrix, &["contract", "checks", "proven", "unproven", "aim", "orphans", "degenerate", "cells"]);
    assert_eq!((&matrix["checks"], &matrix["proven"]), (&Value::from(3), &Value::from(3)));
    assert_eq!(matrix["degenerate"].as_array().unwrap().len(), 10);
    has(&matrix["degenerate"][0], &["kind", "passes", "exit_code"]);
    assert_eq!(matrix["cells"].as_array().unwrap().len(), 9);
    has(&matrix["cells"][0], &["check", "defect", "status", "declared"]);
}

#[test]
fn a_report_has_its_members() {
    let folder = tempfile::tempdir().unwrap();
    run(folder.path(), &["run", "--check", "VET-59-a", "--out", "out"]);
    let report = std::fs::read_to_string(folder.path().join("out/vetta/report.json")).unwrap();
    let report: Value = serde_json::from_str(&report).unwrap();
    has(
        &report,
        &["schema", "suite", "target", "contract", "seed", "exit_code", "counts", "requirements", "checks"],
    );
    has(&report["suite"], &["version", "commit"]);
    has(
        &report["checks"][0],
        &["id", "status", "requirements", "reason", "witness", "duration_ms", "replay"],
    );
    assert!(!folder.path().join("out/oao").exists(), "nothing of OAO was asked for");
}
