//! Bad input of any kind: a clear message, exit 2, never a panic.

use std::fs;

use crate::process::{Server, run};

fn refused(arguments: &[&str], words: &[&str]) {
    let folder = tempfile::tempdir().unwrap();
    refused_in(folder.path(), arguments, words);
}

fn refused_in(folder: &std::path::Path, arguments: &[&str], words: &[&str]) {
    let said = run(folder, arguments);
    assert_eq!(said.code, Some(2), "{arguments:?}: {said:?}");
    assert!(!said.err.contains("panicked"), "{arguments:?}: {said:?}");
    for word in words {
        assert!(said.err.contains(word), "{arguments:?}: `{word}` is missing in {said:?}");
    }
}

#[test]
fn names_that_name_nothing() {
    refused(&["run", "--check", "VET-99*"], &["VET-99*", "no built check matches"]);
    refused(&["run", "--check", "VET-03-bb"], &["did you mean `VET-03-b`?"]);
    refused(&["run", "--contract", "oao", "--check", "VET-03-b"], &["contract `oao`"]);
    refused(&["run", "--contract", "veta"], &["veta", "oao, vetta"]);
    refused(&["run", "--check", "VET-03-b", "--case", "1"], &["--case", "property"]);
    refused(&["run", "--cases", "0"], &["--cases"]);
    refused(&["run", "--jobs", "0"], &["--jobs"]);
    refused(&["prove", "--check", "nothing"], &["nothing"]);
    refused(&["prove", "--contract", "oao", "--check", "VET-03-b"], &["VET-03-b"]);
    refused(&["explain", "VET-1000"], &["VET-1000"]);
    refused(&["explain", "runnable-lies-tru"], &["did you mean `runnable-lies-true`?"]);
    refused(
        &["simulate", "--contract", "vetta", "--defect", "writable-catalog"],
        &["did you mean `writable-catalogue`?"],
    );
    refused(
        &["simulate", "--contract", "oao", "--defect", "writable-catalogue"],
        &["belongs to contract `vetta`"],
    );
    refused(&["simulate", "--contract", "vetta", "--degenerate", "sleepy"], &["sleepy", "accepts-and-hangs"]);
    refused(&["simulate", "--contract", "vetta", "--model", "ftp://x"], &["--model"]);
    refused(&["simulate", "--contract", "vetta", "--listen", "nowhere"], &["HOST:PORT"]);
    refused(&["run", "--url", "localhost:80"], &["http://"]);
    refused(&["frobnicate"], &["frobnicate"]);
}

#[test]
fn what_is_not_built_yet_is_said_to_be_pending() {
    let folder = tempfile::tempdir().unwrap();
    let list = run(folder.path(), &["list", "--pending", "--format", "json"]).out;
    let list: serde_json::Value = serde_json::from_str(&list).unwrap();
    for contract in ["oao", "vetta"] {
        let Some(check) = list.as_array().unwrap().iter().find(|line| line["contract"] == contract) else {
            continue;
        };
        let (id, defect) = (check["id"].as_str().unwrap(), check["partners"][1].as_str().unwrap());
        refused(&["run", "--check", id], &[id, "pending"]);
        refused(&["simulate", "--contract", contract, "--defect", defect], &[id, "not built yet"]);
    }
}

#[test]
fn scripts_that_are_none() {
    let folder = tempfile::tempdir().unwrap();
    let script = folder.path().join("script.yaml");
    fs::write(&script, "script: 1\nname: x\nturns:\n  - id: one\n    anwser:\n      text: hi\n").unwrap();
    refused_in(folder.path(), &["model", "script.yaml"], &["script.yaml", "5", "anwser", "answer"]);
    fs::write(&script, "turns: [").unwrap();
    refused_in(folder.path(), &["model", "script.yaml"], &["script.yaml"]);
    fs::write(&script, [0xff, 0xfe, 0x00]).unwrap();
    refused_in(folder.path(), &["model", "script.yaml"], &["script.yaml"]);
    refused_in(folder.path(), &["model", "missing.yaml"], &["missing.yaml"]);
    refused_in(folder.path(), &["model", "."], &["."]);
}

#[test]
fn target_files_that_are_none() {
    let folder = tempfile::tempdir().unwrap();
    let target = folder.path().join("target.toml");
    let good = "name = \"a\"\nversion = \"1\"\ncontract = \"vetta\"\nurl = \"http://127.0.0.1:9\"\n";
    let refused_with = |text: &str, words: &[&str]| {
        fs::write(&target, text).unwrap();
        refused_in(folder.path(), &["run", "--target", "target.toml"], words);
    };
    refused_with(
        &good.replace("contract", "contrakt"),
        &["target.toml", "line 3", "did you mean `contract`?"],
    );
    refused_with(&format!("{good}[settings]\nreserved_id = []\n"), &["did you mean `reserved_ids`?"]);
    refused_with(
        &format!("{good}[credentials]\nprimary = {{ env = \"PROOFHOUSE_NOT_SET\" }}\n"),
        &["PROOFHOUSE_NOT_SET"],
    );
    refused_with(&good.replace("http:", "https:"), &["TLS"]);
    refused_with("", &["target.toml", "name"]);
    refused_in(folder.path(), &["run", "--target", "missing.toml"], &["missing.toml"]);
    fs::write(&target, good).unwrap();
    refused_in(
        folder.path(),
        &["run", "--contract", "oao", "--target", "target.toml"],
        &["--contract oao", "vetta"],
    );
}

#[test]
fn recordings_that_are_none() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("recording.jsonl");
    for (text, words) in [
        ("", "begins with a header line"),
        ("{}\n", "begins with a header line"),
        ("<html>", "begins with a header line"),
        ("{\"line\":\"check\",\"check\":\"VET-03-b\",\"token\":\"t\"}\n", "begins with a header line"),
    ] {
        fs::write(&file, text).unwrap();
        refused_in(folder.path(), &["judge", "recording.jsonl"], &["recording.jsonl", words]);
    }
    fs::write(&file, [0xff, 0xfe]).unwrap();
    refused_in(folder.path(), &["judge", "recording.jsonl"], &["not UTF-8"]);
    refused_in(folder.path(), &["judge", "missing.jsonl"], &["missing.jsonl"]);
    refused_in(folder.path(), &["judge", "."], &["."]);
}

#[test]
fn a_recording_that_was_cut_is_not_a_pass() {
    let folder = tempfile::tempdir().unwrap();
    let ran = run(folder.path(), &["run", "--check", "VET-03-b", "--out", "out"]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let path = folder.path().join("out/vetta/recording.jsonl");
    let text = fs::read_to_string(&path).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    for keep in 1..lines.len() {
        fs::write(&path, format!("{}\n", lines[..keep].join("\n"))).unwrap();
        let judged = run(folder.path(), &["judge", "out/vetta/recording.jsonl"]);
        assert_ne!(judged.code, Some(0), "{keep} of {} lines pass: {judged:?}", lines.len());
        assert!(!judged.err.contains("panicked"), "{judged:?}");
    }
    fs::write(&path, format!("{}\n{}", lines[..3].join("\n"), &lines[3][..lines[3].len() / 2])).unwrap();
    refused_in(folder.path(), &["judge", "out/vetta/recording.jsonl"], &["line 4"]);
}

#[cfg(target_os = "linux")]
#[test]
fn a_disk_that_is_full_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let full = fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    let output = crate::process::proofhouse(folder.path()).arg("list").stdout(full).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("cannot write to standard output"));
}

#[test]
fn places_that_are_taken() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(folder.path(), &["simulate", "--contract", "vetta"]);
    let address = server.url().strip_prefix("http://").unwrap();
    refused_in(folder.path(), &["simulate", "--contract", "oao", "--listen", address], &[address, "port 0"]);
    let script = folder.path().join("s.yaml");
    fs::write(&script, "script: 1\nname: x\nturns:\n  - id: one\n    answer:\n      text: hi\n").unwrap();
    refused_in(folder.path(), &["model", "s.yaml", "--listen", address], &[address]);
    fs::write(folder.path().join("out"), "a file").unwrap();
    refused_in(folder.path(), &["run", "--check", "VET-03-b", "--out", "out"], &["out"]);
    assert_eq!(fs::read_to_string(folder.path().join("out")).unwrap(), "a file", "nothing is lost");
}
