//! `client-check` on what is no client.

use crate::{
    process::{Said, run},
    schemas::files_hold,
};

fn judged(command: &str) -> Said {
    let folder = tempfile::tempdir().unwrap();
    let said = run(folder.path(), &["client-check", "--command", command, "--timeout", "2", "--out", "out"]);
    files_hold(&folder.path().join("out"), &["vetta"]);
    said
}

#[test]
fn whoever_is_no_client_is_not_judged_and_is_told_why() {
    for (command, reason) in [
        ("exit 0", "the client asked nothing at `PROOFHOUSE_URL`"),
        ("no-such-program", "the client asked nothing at `PROOFHOUSE_URL`"),
        ("echo '{\"base\": \"pi\", \"selectable\": true}'", "the client asked nothing at `PROOFHOUSE_URL`"),
        ("sleep 60", "the client did not end in time"),
        ("sleep 60 & sleep 60", "the client did not end in time"),
        ("echo '{\"base\": 1}'", "the client printed a line that is no choice"),
    ] {
        let said = judged(command);
        assert_eq!(said.code, Some(2), "{command}: {said:?}");
        assert!(said.out.contains(reason), "{command}: {said:?}");
        assert!(said.out.contains("not judged (exit 2)"), "{command}: {said:?}");
    }
}

#[test]
fn a_check_that_is_none_of_clients_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let said = run(folder.path(), &["client-check", "--command", "true", "--check", "VET-16"]);
    assert_eq!(said.code, Some(2), "{said:?}");
    assert!(said.err.contains("no built check matches `VET-16`"), "{said:?}");
}
