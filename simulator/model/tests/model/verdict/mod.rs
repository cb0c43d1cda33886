//! The verdict on a client. Every rule is kept by one client and broken by another.

mod calls;
mod endings;
mod history;
mod played;
mod retrying;
mod thinking;

use std::time::Duration;

use model::{ClientVerdict, Finding, Overall, Severity};
use serde_json::{Value, json};
use wire::http::Request;

use crate::client::{World, user};

const PATH: &str = "/s/k/v1/chat/completions";

/// A world whose session `k` plays these turns.
async fn playing(turns: Value) -> World {
    let world = World::new().await;
    world.host.load_json("k", &json!({"script": 1, "name": "verdict", "turns": turns})).unwrap();
    world
}

/// Asks in the session `k`, and does not mind an answer that breaks off.
async fn ask(world: &World, body: &Value) {
    let _ = world.try_send(Request::new("POST", PATH).json(body.to_string())).await;
    // A connection that breaks off is noticed in turn.
    world.clock.pause(Duration::from_millis(1)).await;
}

/// A request that wants a stream.
fn streamed(text: &str) -> Value {
    let mut body = user(text, &[]);
    body["stream"] = json!(true);
    body
}

/// The request that goes on from `before` with these messages.
fn then(before: &Value, messages: &[Value]) -> Value {
    let mut body = before.clone();
    body["messages"].as_array_mut().unwrap().extend(messages.iter().cloned());
    body
}

fn assistant(text: &str) -> Value {
    json!({"role": "assistant", "content": text})
}

fn says(text: &str) -> Value {
    json!({"role": "user", "content": text})
}

fn call(id: &str, name: &str, arguments: &str) -> Value {
    json!({"id": id, "type": "function", "function": {"name": name, "arguments": arguments}})
}

fn calls(calls: &[Value]) -> Value {
    json!({"role": "assistant", "content": null, "tool_calls": calls})
}

fn result(id: &str) -> Value {
    json!({"role": "tool", "tool_call_id": id, "content": "done"})
}

fn verdict(world: &World) -> ClientVerdict {
    world.host.verdict("k").unwrap()
}

/// The rule was put to the test and nothing was found.
#[track_caller]
fn kept(world: &World, rule: &str) {
    let verdict = verdict(world);
    assert_eq!(verdict.of(rule).collect::<Vec<_>>(), [] as [&Finding; 0]);
    let result = verdict.rules.iter().find(|result| result.rule == rule).unwrap();
    assert!(result.occasions > 0, "{rule} was not tested");
    assert_eq!(result.findings, 0);
}

/// The rule found one thing, which shows in these requests.
#[track_caller]
fn found(world: &World, rule: &str, severity: Severity, message: &str, evidence: &[u64]) {
    let verdict = verdict(world);
    let findings: Vec<&Finding> = verdict.of(rule).collect();
    assert_eq!(findings.len(), 1, "{:#?}", verdict.findings);
    assert!(findings[0].message.contains(message), "{}", findings[0].message);
    assert_eq!((findings[0].severity, findings[0].evidence.as_slice()), (severity, evidence));
    if severity == Severity::Fail {
        assert_eq!(verdict.overall, Overall::Fail);
    }
}

#[track_caller]
fn broken(world: &World, rule: &str, message: &str, evidence: &[u64]) {
    found(world, rule, Severity::Fail, message, evidence);
}

#[tokio::test(start_paused = true)]
async fn a_client_that_does_all_well_passes_and_one_that_never_asks_does_not() {
    let turns = json!([
        {"id": "look", "when": {"no_tool_results": true}, "answer": {"text": "Let me look.", "tool_calls": [
            {"id": "c1", "name": "look", "arguments": {"at": 1}},
            {"id": "c2", "name": "look", "arguments": {"at": 2}},
        ]}, "faults": [{"first": 1, "status": {"code": 503, "headers": {"retry-after": "2"}}}]},
        {"id": "said", "answer": {"text": "All is well."}},
    ]);
    let world = playing(turns).await;
    assert_eq!(verdict(&world).overall, Overall::NothingAsked);
    assert!(world.host.verdict("l").is_none());

    let first = user("go", &["look"]);
    ask(&world, &first).await;
    world.clock.pause(Duration::from_secs(2)).await;
    ask(&world, &first).await;
    let mut said = calls(&[call("c1", "look", "{\"at\": 1}"), call("c2", "look", "{\"at\":2.0}")]);
    said["content"] = json!("Let me look.");
    // The order of results is the client's business.
    ask(&world, &then(&first, &[said, result("c2"), result("c1")])).await;

    let verdict = verdict(&world);
    assert_eq!((verdict.overall, verdict.requests, verdict.dropped), (Overall::Pass, 3, 0));
    assert_eq!(verdict.findings, []);
    let tested: Vec<&str> =
        verdict.rules.iter().filter(|rule| rule.occasions > 0).map(|rule| rule.rule.as_str()).collect();
    for rule in
        ["retries", "waits", "gives-up", "keeps-ids", "each-result-once", "keeps-history", "exhausted"]
    {
        assert!(tested.contains(&rule), "{rule}: {tested:?}");
    }
    let told = crate::client::json_of(&world.send(Request::new("GET", "/_model/sessions/k/verdict")).await);
    assert_eq!(told, serde_json::to_value(&verdict).unwrap());
    assert_eq!(world.send(Request::new("GET", "/_model/sessions/l/verdict")).await.status, 404);
}
