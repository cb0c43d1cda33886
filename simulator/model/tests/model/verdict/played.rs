//! The script, and how it was played.

use model::{Overall, Severity};
use serde_json::json;
use wire::http::Request;

use super::{ask, broken, found, kept, playing, verdict};
use crate::client::{World, user};

#[tokio::test(start_paused = true)]
async fn what_the_script_expects_is_looked_at() {
    let turns =
        json!([{"id": "a", "expect": {"tool_offered": "read"}, "repeat": true, "answer": {"text": "hi"}}]);
    let world = playing(turns).await;
    ask(&world, &user("go", &["read"])).await;
    kept(&world, "expected");
    ask(&world, &user("go", &["write"])).await;
    ask(&world, &user("go on", &["write"])).await;
    broken(
        &world,
        "expected",
        "turn `a` expects tool_offered \"read\": the tools offered are write",
        &[2, 3],
    );
}

#[tokio::test(start_paused = true)]
async fn what_the_api_refuses_is_found_whether_it_is_answered_or_not() {
    let sound = user("go", &[]);
    let mut wrong = sound.clone();
    wrong["messages"] = json!([{"role": "bot", "content": "go"}]);
    for (client, rule) in [("lenient", "lenient"), ("strict", "refused")] {
        let turns = json!([{"id": "a", "repeat": true, "answer": {"text": "hi"}}]);
        let world = World::new().await;
        let script = json!({"script": 1, "name": "n", "client": client, "turns": turns});
        world.host.load_json("k", &script).unwrap();
        ask(&world, &sound).await;
        kept(&world, rule);
        ask(&world, &wrong).await;
        broken(&world, rule, "`bot` is no role", &[2]);
    }
}

#[tokio::test(start_paused = true)]
async fn whoever_looks_around_is_noted() {
    let world = playing(json!([{"id": "a", "answer": {"text": "hi"}}])).await;
    world.send(Request::new("GET", "/s/k/v1/chat/completions")).await;
    assert_eq!(verdict(&world).overall, Overall::NothingAsked, "that asks the model for nothing");
    ask(&world, &user("go", &[])).await;
    found(&world, "refused", Severity::Note, "GET /s/k/v1/chat/completions is no path of a wire", &[1]);
    assert_eq!(verdict(&world).overall, Overall::Pass);
}

#[tokio::test(start_paused = true)]
async fn a_request_without_a_turn_is_found() {
    let world = playing(json!([{"id": "a", "answer": {"text": "hi"}}])).await;
    ask(&world, &user("go", &[])).await;
    kept(&world, "missed");
    ask(&world, &user("again", &[])).await;
    broken(&world, "missed", "no turn of script `verdict` answers this request", &[2]);
}

#[tokio::test(start_paused = true)]
async fn a_script_is_played_to_its_end() {
    let turns = json!([
        {"id": "a", "answer": {"text": "a"}},
        {"id": "b", "answer": {"text": "b"}},
        {"id": "c", "repeat": true, "answer": {"text": "c"}},
    ]);
    let world = playing(turns).await;
    ask(&world, &user("go", &[])).await;
    broken_beside_a_note(&world);
    ask(&world, &user("on", &[])).await;
    found(&world, "exhausted", Severity::Note, "turn `c`, which answers any number of requests", &[]);
    assert_eq!(verdict(&world).overall, Overall::Pass);
    ask(&world, &user("and on", &[])).await;
    kept(&world, "exhausted");
}

fn broken_beside_a_note(world: &World) {
    let verdict = verdict(world);
    let told: Vec<(Severity, &str)> =
        verdict.of("exhausted").map(|finding| (finding.severity, finding.message.as_str())).collect();
    assert_eq!(told.len(), 2);
    assert_eq!(told[0], (Severity::Fail, "turn `b` answered no request"));
    assert_eq!(verdict.overall, Overall::Fail);
}

#[tokio::test(start_paused = true)]
async fn fields_that_no_api_knows_are_noted() {
    let world = playing(json!([{"id": "a", "repeat": true, "answer": {"text": "a"}}])).await;
    let mut body = user("go", &[]);
    ask(&world, &body).await;
    kept(&world, "unknown-fields");
    for _ in 0..2 {
        let extra = json!({"role": "user", "content": "x", "mood": "good"});
        body["messages"].as_array_mut().unwrap().push(extra);
        ask(&world, &body).await;
    }
    found(&world, "unknown-fields", Severity::Note, "`/messages/*/mood` is no field of the API", &[2, 3]);
    assert_eq!(verdict(&world).overall, Overall::Pass);
}

#[tokio::test(start_paused = true)]
async fn a_verdict_without_the_whole_journal_is_no_pass() {
    let turns = json!([{"id": "a", "repeat": true, "answer": {"text": "hi"}}]);
    let world = playing(turns).await;
    let body = user("go", &[]);
    for _ in 0..10_000 {
        world.ask("k", &body).await;
    }
    kept(&world, "dropped");
    assert_eq!(verdict(&world).overall, Overall::Pass);
    for _ in 0..3 {
        world.ask("k", &body).await;
    }
    broken(&world, "dropped", "3 requests had to give way", &[]);
    assert_eq!(verdict(&world).dropped, 3);
}

#[tokio::test(start_paused = true)]
async fn a_call_of_a_tool_that_is_not_offered_is_the_scripts_mistake() {
    let call = json!({"tool_calls": [{"id": "c1", "name": "look", "arguments": {}}]});
    let world = playing(json!([{"id": "a", "repeat": true, "answer": call}])).await;
    ask(&world, &user("go", &["look"])).await;
    kept(&world, "offered");
    ask(&world, &user("go on", &["loop"])).await;
    ask(&world, &user("go on and on", &[])).await;
    let message = "turn `a` calls `look`, which the request does not offer";
    found(&world, "offered", Severity::Note, message, &[2, 3]);

    let faults = json!([{"unknown_tool": "gone"}]);
    let world = playing(json!([{"id": "a", "repeat": true, "answer": call, "faults": faults}])).await;
    ask(&world, &user("go", &["look"])).await;
    assert_eq!(verdict(&world).of("offered").count(), 0, "that is on purpose");
}
