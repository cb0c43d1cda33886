//! What the verbs say when all is well.

use serde_json::Value;

use crate::process::run;

#[test]
fn run_judges_both_contracts_and_leaves_its_files() {
    let folder = tempfile::tempdir().unwrap();
    let said = run(folder.path(), &["run", "--cases", "8", "--out", "out"]);
    assert_eq!(said.code, Some(0), "{said:?}");
    for contract in ["oao", "vetta"] {
        let report =
            std::fs::read_to_string(folder.path().join(format!("out/{contract}/report.json"))).unwrap();
        let report: Value = serde_json::from_str(&report).unwrap();
        assert_eq!(report["exit_code"], 0);
        assert_eq!(report["counts"]["untested"], 0);
        assert_eq!(
            report["counts"]["pass"].as_u64().unwrap() as usize,
            report["checks"].as_array().unwrap().len()
        );
        for check in report["checks"].as_array().unwrap() {
            assert!(!check["witness"]["entries"].as_array().unwrap().is_empty(), "{check}");
        }
        let junit = std::fs::read_to_string(folder.path().join(format!("out/{contract}/junit.xml"))).unwrap();
        assert!(junit.contains("failures=\"0\""), "{junit}");
        let recording = format!("out/{contract}/recording.jsonl");
        let judged = run(folder.path(), &["judge", &recording]);
        assert_eq!(judged.code, Some(0), "{judged:?}");
        assert!(judged.out.contains("the report beside the recording says the same"), "{judged:?}");
    }
    let summary = std::fs::read_to_string(folder.path().join("out/summary.json")).unwrap();
    let summary: Value = serde_json::from_str(&summary).unwrap();
    assert_eq!(summary["contracts"].as_array().unwrap().len(), 2);
    assert!(said.out.contains("checks are built") && said.out.contains("are pending"), "{said:?}");
}

#[test]
fn a_run_leaves_nothing_of_the_run_before_and_touches_nothing_else() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("out");
    assert_eq!(run(folder.path(), &["run", "--check", "VET-59-a", "--out", "out"]).code, Some(0));
    std::fs::write(out.join("vetta/notes.txt"), "mine").unwrap();
    assert_eq!(run(folder.path(), &["run", "--check", "OAO-45-c", "--out", "out"]).code, Some(0));
    assert!(out.join("oao/report.json").exists() && !out.join("vetta/report.json").exists());
    assert_eq!(std::fs::read_to_string(out.join("vetta/notes.txt")).unwrap(), "mine");
}

#[test]
fn one_case_of_a_property_check_is_repeated() {
    let folder = tempfile::tempdir().unwrap();
    let said = run(folder.path(), &["run", "--check", "OAO-30-p", "--case", "3", "--out", "out"]);
    assert_eq!(said.code, Some(0), "{said:?}");
    let recording = std::fs::read_to_string(folder.path().join("out/oao/recording.jsonl")).unwrap();
    assert!(recording.contains("\"case\":\"3\"") && !recording.contains("\"case\":\"2\""));
}

#[test]
fn explain_knows_requirements_checks_defects_and_open_points() {
    let folder = tempfile::tempdir().unwrap();
    for (id, words) in [
        ("VET-16", "level"),
        ("VET-16-a", "needs"),
        ("runnable-lies-true", "VET-16-a"),
        ("U28", "reference"),
        ("OAO-45", "statement"),
        ("D12", "accepts"),
    ] {
        let said = run(folder.path(), &["explain", id]);
        assert!(said.code == Some(0) && said.out.contains(words), "{id}: {said:?}");
    }
}

#[test]
fn prove_shows_that_a_check_can_fail() {
    let folder = tempfile::tempdir().unwrap();
    let said = run(folder.path(), &["prove", "--check", "VET-03-b"]);
    assert_eq!(said.code, Some(0), "{said:?}");
    assert!(said.out.contains("1 of 1 checks proven"), "{said:?}");
}
