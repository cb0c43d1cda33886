//! A simulator in one process, the suite in another.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::process::{Server, run};

fn verdicts(folder: &std::path::Path, out: &str, contract: &str) -> BTreeMap<String, String> {
    let report = std::fs::read_to_string(folder.join(out).join(contract).join("report.json")).unwrap();
    let report: Value = serde_json::from_str(&report).unwrap();
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    report["checks"]
        .as_array()
        .unwrap()
        .iter()
        .map(|check| (text(&check["id"]), text(&check["status"])))
        .collect()
}

/// `excused` are the checks that the simulator says real time cannot show, `elsewhere` those that judge clients
/// and are no matter of a harness with a URL.
fn same_as_in_process(contract: &str, excused: &[&str], elsewhere: &[&str]) {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(folder.path(), &["simulate", "--contract", contract]);
    assert!(server.line.contains(contract), "{}", server.line);
    let inside = run(folder.path(), &["run", "--contract", contract, "--cases", "16", "--out", "inside"]);
    let outside = run(folder.path(), &["run", "--url", server.url(), "--out", "outside"]);
    assert_eq!((inside.code, outside.code), (Some(0), Some(0)), "{inside:?}\n{outside:?}");
    let mut within = verdicts(folder.path(), "inside", contract);
    let mut without = verdicts(folder.path(), "outside", contract);
    let untested = |id: &&&str| without.get(**id).is_some_and(|status| status == "untested");
    let shown_inside_only: Vec<&str> = excused.iter().filter(untested).copied().collect();
    for id in shown_inside_only {
        within.remove(id);
        without.remove(id);
    }
    for id in elsewhere {
        assert!(within.remove(*id).is_some(), "{id} is no check");
        assert!(!without.contains_key(*id), "{id} judges a client");
    }
    assert_eq!(within, without);
    // A second run on the same process must not stumble over what the first one left.
    let again = run(folder.path(), &["run", "--url", server.url(), "--out", "again"]);
    assert_eq!(again.code, Some(0), "{again:?}");
    assert_eq!(server.terminate(), Some(0));
}

#[test]
fn oao_by_url_gives_the_same_verdicts() {
    same_as_in_process("oao", &["OAO-233-a", "OAO-241-b", "OAO-257-a"], &[]);
}

#[test]
fn vetta_by_url_gives_the_same_verdicts() {
    let clients = [
        "VET-21-a",
        "VET-67-a",
        "VET-240-a",
        "VET-241-a",
        "VET-242-a",
        "VET-243-a",
        "VET-244-a",
        "VET-245-a",
        "VET-246-a",
    ];
    same_as_in_process("vetta", &[], &clients);
}

#[test]
fn a_defect_is_seen_by_url_too() {
    let folder = tempfile::tempdir().unwrap();
    let server =
        Server::start(folder.path(), &["simulate", "--contract", "vetta", "--defect", "writable-catalogue"]);
    let said = run(folder.path(), &["run", "--url", server.url(), "--check", "VET-03-b", "--out", "out"]);
    assert_eq!(said.code, Some(1), "{said:?}");
    for words in ["FAIL VET-03-b", "requirement", "expected", "got", "> POST /v1/harnesses", "again", "--url"]
    {
        assert!(said.out.contains(words), "`{words}` is missing in {said:?}");
    }
}

#[test]
fn the_expectations_of_a_description_hold_offline_too() {
    let folder = tempfile::tempdir().unwrap();
    let server =
        Server::start(folder.path(), &["simulate", "--contract", "vetta", "--defect", "writable-catalogue"]);
    let text = format!(
        "name = \"sim\"\nversion = \"1\"\ncontract = \"vetta\"\nurl = \"{}\"\n\
         [credentials]\nprimary = {{ value = \"sk_sim_ada\" }}\n[scope]\nexpected_fail = [\"VET-03-b\"]\n",
        server.url()
    );
    std::fs::write(folder.path().join("target.toml"), text).unwrap();
    let said = run(folder.path(), &["run", "--target", "target.toml", "--check", "VET-03-b", "--out", "out"]);
    assert_eq!(said.code, Some(0), "{said:?}");
    let judged = run(folder.path(), &["judge", "out/vetta/recording.jsonl"]);
    assert_eq!(judged.code, Some(0), "{judged:?}");
    assert!(judged.out.contains("expected_fail"), "{judged:?}");
}

#[test]
fn a_description_file_reaches_the_same_simulator() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(folder.path(), &["simulate", "--contract", "vetta"]);
    let text = format!(
        "name = \"sim\"\nversion = \"1\"\ncontract = \"vetta\"\nurl = \"{}\"\n\
         [credentials]\nprimary = {{ value = \"sk_sim_ada\" }}\n[settings]\nmodel = \"sim-1\"\n\
         [scope]\nuntestable = [\"VET-03-c\"]\n",
        server.url()
    );
    std::fs::write(folder.path().join("target.toml"), text).unwrap();
    let said = run(folder.path(), &["run", "--target", "target.toml", "--check", "VET-03*", "--out", "out"]);
    assert_eq!(said.code, Some(0), "{said:?}");
    let verdicts = verdicts(folder.path(), "out", "vetta");
    assert_eq!(verdicts["VET-03-c"], "untested", "a second account was not given");
    assert_eq!(verdicts["VET-03-b"], "pass");
    let said = run(folder.path(), &["run", "--target", "target.toml", "--check", "VET-63-a", "--out", "out"]);
    assert_eq!(said.code, Some(1), "an untested check that is not excused is red: {said:?}");
}
