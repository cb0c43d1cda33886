//! `FIELD.md` names nothing that is not there.

use std::{fs, path::PathBuf};

use crate::client::at_root;

/// Every line of the second table.
const RULES: &str = "T1 T2 T3 T4 T5 T6 T7 C1 C2 C3 C4 C5 C6 C7 C8 C9 C10 C11 R1 R2 R3 R4 R5 R6 R7 R8 R9 R10 R11 \
                     A1 A2 A3 A4 A5 A6 A7 A8 A9 A10 E1";

fn in_room(path: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(path)
}

/// The cells of every row of both tables.
fn rows() -> Vec<Vec<String>> {
    let text = fs::read_to_string(in_room("FIELD.md")).unwrap();
    let rows = text.lines().filter_map(|line| line.strip_prefix("| ")?.strip_suffix(" |"));
    let rows = rows.map(|row| row.split(" | ").map(|cell| cell.trim().to_owned()).collect::<Vec<_>>());
    rows.filter(|row| !matches!(row[0].as_str(), "---" | "no." | "rule")).collect()
}

/// What stands in `path::name` in a cell.
fn named(cell: &str) -> Vec<(&str, &str)> {
    cell.split('`').skip(1).step_by(2).filter_map(|code| code.split_once("::")).collect()
}

/// Whether a source has a test of this name. A client program has the name in a case.
fn is_there(path: &str, name: &str) -> bool {
    let text = fs::read_to_string(in_room(path)).or_else(|_| fs::read_to_string(at_root(path)));
    let Ok(text) = text else { return false };
    if !path.ends_with(".rs") {
        return text.contains(name);
    }
    let lines: Vec<&str> = text.lines().map(str::trim).collect();
    let found = lines.iter().position(|line| {
        let line = line.strip_prefix("async ").unwrap_or(line);
        line.strip_prefix("fn ")
            .and_then(|rest| rest.strip_prefix(name))
            .is_some_and(|rest| rest.starts_with('('))
    });
    found.is_some_and(|at| {
        lines[..at].iter().rev().take(3).any(|line| line.starts_with("#[") && line.contains("test"))
    })
}

#[test]
fn every_complaint_and_every_rule_has_its_line() {
    let first: Vec<String> = rows().into_iter().map(|row| row[0].clone()).collect();
    let expected =
        (1..=54).map(|number| number.to_string()).chain(RULES.split_whitespace().map(str::to_owned));
    assert_eq!(first, expected.collect::<Vec<_>>());
}

#[test]
fn every_test_that_is_named_exists_and_who_names_none_has_an_answer() {
    for row in rows() {
        assert_eq!(row.len(), if row[0].parse::<u8>().is_ok() { 4 } else { 3 }, "{row:?}");
        assert!(row.iter().all(|cell| !cell.is_empty()), "{row:?}");
        let shown = row.last().unwrap();
        for (path, name) in named(shown) {
            assert!(is_there(path, name), "{}: there is no test {path}::{name}", row[0]);
        }
        assert!(!named(shown).is_empty() || shown.starts_with("Answer: "), "{row:?}");
    }
}

#[test]
fn every_test_of_this_folder_is_named() {
    let shown: Vec<String> = rows().into_iter().filter_map(|row| row.last().cloned()).collect();
    for file in ["asking", "streams"] {
        let path = format!("tests/model/field/{file}.rs");
        let text = fs::read_to_string(in_room(&path)).unwrap();
        let tests = text
            .split("#[tokio::test")
            .skip(1)
            .filter_map(|rest| rest.split("fn ").nth(1)?.split('(').next());
        for name in tests {
            let named = format!("`{path}::{name}`");
            assert!(shown.iter().any(|cell| cell.contains(&named)), "FIELD.md does not name {named}");
        }
    }
}
