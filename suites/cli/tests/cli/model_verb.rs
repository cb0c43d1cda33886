//! `proofhouse model` from the outside.

use std::{
    io::{Read, Write},
    net::TcpStream,
    time::Duration,
};

use crate::process::{Server, run};

const SCRIPT: &str =
    "script: 1\nname: s\nturns:\n  - {id: a, when: {user_contains: go}, answer: {text: hi}}\n";
const ASKS: &str = r#"{"model":"m","messages":[{"role":"user","content":"go"}]}"#;

/// Sends a request and gives its status.
fn send(url: &str, method: &str, path: &str, body: &str) -> u16 {
    let authority = url.trim_start_matches("http://").split('/').next().unwrap();
    let mut stream = TcpStream::connect(authority).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
    let length = body.len();
    write!(
        stream,
        "{method} {path} HTTP/1.1\r\nhost: x\r\nconnection: close\r\ncontent-length: {length}\r\n\r\n{body}"
    )
    .unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    answer.split(' ').nth(1).unwrap().parse().unwrap()
}

const CHAT: &str = "/v1/chat/completions";

#[test]
fn the_demo_need_not_be_played_to_its_end() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(folder.path(), &["model", "--verdict"]);
    assert_eq!(send(server.url(), "POST", CHAT, ASKS), 200);
    let (rest, code) = server.ended("TERM");
    assert!(rest.contains("session `default`: pass after 1 request"), "{rest}");
    assert!(!rest.contains("exhausted") && !rest.contains("never asked"), "{rest}");
    assert_eq!(code, Some(0));
}

#[test]
fn whoever_asks_for_a_session_that_is_not_loaded_is_told_of() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("s.yaml"), SCRIPT).unwrap();
    let server = Server::start(folder.path(), &["model", "s.yaml", "--verdict"]);
    assert_eq!(send(server.url(), "POST", CHAT, ASKS), 200);
    assert_eq!(send(server.url(), "POST", &format!("/s/typo{CHAT}"), ASKS), 400);
    let (rest, code) = server.ended("TERM");
    assert!(rest.contains("session `default`: pass after 1 request"), "{rest}");
    assert!(
        rest.contains("session `typo` is not loaded, or not any more: 1 request got no answer"),
        "{rest}"
    );
    assert_eq!(code, Some(1));
}

#[test]
fn a_session_that_was_dropped_is_judged_and_a_hangup_ends_it_all_with_the_verdict() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("s.yaml"), SCRIPT).unwrap();
    let server = Server::start(folder.path(), &["model", "s.yaml", "--verdict"]);
    assert_eq!(send(server.url(), "POST", CHAT, ASKS), 200);
    assert_eq!(send(server.url(), "PUT", "/_model/sessions/k", SCRIPT), 201);
    assert_eq!(send(server.url(), "POST", &format!("/s/k{CHAT}"), &ASKS.replace("go", "no")), 400);
    assert_eq!(send(server.url(), "DELETE", "/_model/sessions/k", ""), 204);
    let (rest, code) = server.ended("HUP");
    assert!(rest.contains("session `k`, which is over: fail after 1 request"), "{rest}");
    assert!(rest.contains("FAIL missed: "), "{rest}");
    assert_eq!(code, Some(1));
}

#[test]
fn an_import_does_not_write_over_a_file_and_says_what_would() {
    let folder = tempfile::tempdir().unwrap();
    let rules = "version: 1\nrules:\n  - {name: a, respond: {content: hi}}\n";
    std::fs::write(folder.path().join("rules.yaml"), rules).unwrap();
    std::fs::write(folder.path().join("out.json"), "mine").unwrap();
    let said = run(folder.path(), &["model", "--import", "rules.yaml", "--out", "out.json"]);
    assert_eq!(said.code, Some(2), "{said:?}");
    assert!(said.err.contains("out.json is there already; give --replace, or another --out"), "{said:?}");
    assert_eq!(std::fs::read_to_string(folder.path().join("out.json")).unwrap(), "mine");
}

#[test]
fn a_password_in_the_upstream_is_not_told() {
    let folder = tempfile::tempdir().unwrap();
    for upstream in ["http://user:hunter22@host/v1", "http://user:hunt/er22@host", "user:hunter22@host"] {
        let said = run(folder.path(), &["model", "--record", "r.json", "--upstream", upstream]);
        assert_eq!(said.code, Some(2), "{said:?}");
        assert!(!said.err.contains("hunt") && said.err.contains("@host"), "{said:?}");
    }
}
