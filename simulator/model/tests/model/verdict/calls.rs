//! Tool calls and their results.

use serde_json::{Value, json};

use super::{ask, broken, call, calls, kept, playing, result, says, then, verdict};
use crate::client::{World, user};

const ARGUMENTS: &str = "{\"at\":{\"x\":1,\"y\":[]}}";

/// A lenient session that has asked once and was sent two calls.
async fn asked(fault: Value) -> (World, Value) {
    let faults = if fault.is_null() { json!([]) } else { json!([fault]) };
    let turns = json!([
        {"id": "a", "when": {"no_tool_results": true}, "answer": {"text": "Well.", "tool_calls": [
            {"id": "c1", "name": "look", "arguments": {"at": {"x": 1, "y": []}}},
            {"id": "c2", "name": "stop", "arguments": {}},
        ]}, "faults": faults},
        {"id": "b", "answer": {"text": "b"}},
        {"id": "c", "answer": {"text": "c"}},
    ]);
    let script = json!({"script": 1, "name": "calls", "client": "lenient", "turns": turns});
    let world = World::new().await;
    world.host.load_json("k", &script).unwrap();
    let body = user("go", &["look", "stop"]);
    ask(&world, &body).await;
    (world, body)
}

/// Goes on with these calls and results.
async fn goes_on(back: &[Value], results: &[Value]) -> World {
    let (world, body) = asked(Value::Null).await;
    let messages: Vec<Value> = std::iter::once(calls(back)).chain(results.iter().cloned()).collect();
    ask(&world, &then(&body, &messages)).await;
    world
}

#[tokio::test(start_paused = true)]
async fn calls_come_back_as_they_were_sent() {
    for arguments in [ARGUMENTS, "{ \"at\": {\"y\": [], \"x\": 1.0} }"] {
        let back = [call("c1", "look", arguments), call("c2", "stop", "")];
        let world = goes_on(&back, &[result("c1"), result("c2")]).await;
        kept(&world, "keeps-ids");
        kept(&world, "each-result-once");
    }
    let second = call("c2", "stop", "{}");
    for (first, id, message) in [
        (call("c1", "look", "{}"), "c1", "the arguments `{\"at\":{\"x\":1,\"y\":[]}}` became `{}`"),
        (call("c1", "look", "{\"at\""), "c1", "became `{\"at\"`"),
        (call("c1", "Look", ARGUMENTS), "c1", "the name `look` became `Look`"),
    ] {
        let world = goes_on(&[first, second.clone()], &[result(id), result("c2")]).await;
        broken(&world, "keeps-ids", message, &[1, 2]);
    }
}

#[tokio::test(start_paused = true)]
async fn calls_and_results_that_nobody_sent_are_found() {
    let two = [call("c1", "look", ARGUMENTS), call("c2", "stop", "{}")];
    let made_up = [two[0].clone(), two[1].clone(), call("c9", "look", "{}")];
    let world = goes_on(&made_up, &[result("c1"), result("c2")]).await;
    broken(&world, "keeps-ids", "the call `c9` of `look` was never sent", &[2]);
    let world = goes_on(&two, &[result("c1"), result("c2"), result("c8")]).await;
    broken(&world, "keeps-ids", "a tool result is for the call `c8`, which was never sent", &[2]);
}

#[tokio::test(start_paused = true)]
async fn arguments_that_are_no_json_need_not_come_back() {
    let (world, body) = asked(json!({"tool_arguments": "truncated"})).await;
    let back = calls(&[call("c1", "look", "{}"), call("c2", "stop", "{}")]);
    ask(&world, &then(&body, &[back, result("c1"), result("c2")])).await;
    kept(&world, "keeps-ids");
}

#[tokio::test(start_paused = true)]
async fn no_call_has_two_results_in_a_request() {
    let back = [call("c1", "look", ARGUMENTS), call("c2", "stop", "{}")];
    let world = goes_on(&back, &[result("c1"), result("c2"), result("c1")]).await;
    broken(&world, "each-result-once", "the call `c1` has 2 results in one request", &[2]);
}

#[tokio::test(start_paused = true)]
async fn a_call_whose_result_is_missing_is_found() {
    let two = [call("c1", "look", ARGUMENTS), call("c2", "stop", "{}")];
    let world = goes_on(&two, &[result("c1")]).await;
    broken(&world, "each-result-once", "the call `c2` of `stop` has no result", &[1, 2]);
    // A client that forgets the call as well.
    let world = goes_on(&two[..1], &[result("c1")]).await;
    broken(&world, "each-result-once", "the call `c2` of `stop` has no result", &[1, 2]);
    // One that takes the text for the whole answer.
    let (world, body) = asked(Value::Null).await;
    ask(&world, &then(&body, &[super::assistant("Well."), says("and now?")])).await;
    let messages: Vec<String> =
        verdict(&world).of("each-result-once").map(|finding| finding.message.clone()).collect();
    assert_eq!(messages, ["the call `c1` of `look` has no result", "the call `c2` of `stop` has no result"]);
    // One that ends here.
    let (world, _) = asked(Value::Null).await;
    assert_eq!(verdict(&world).of("each-result-once").count(), 0);
}

#[tokio::test(start_paused = true)]
async fn a_second_loop_with_the_same_beginning_is_another_conversation() {
    let turns = json!([
        {"id": "a", "answer": {"tool_calls": [{"id": "c1", "name": "look", "arguments": {}}]}},
        {"id": "b", "answer": {"text": "no need to look"}},
        {"id": "c", "answer": {"text": "c"}},
    ]);
    let world = playing(turns).await;
    let body = user("go", &["look"]);
    ask(&world, &body).await;
    ask(&world, &body).await;
    ask(&world, &then(&body, &[super::assistant("no need to look"), says("thanks")])).await;
    assert_eq!(verdict(&world).of("each-result-once").count(), 0);
}

#[tokio::test(start_paused = true)]
async fn calls_that_share_an_id_on_purpose_are_told_apart_by_what_they_say() {
    let (world, body) = asked(json!({"duplicate_call_id": true})).await;
    let back = calls(&[call("c1", "look", ARGUMENTS), call("c1", "stop", "{}")]);
    ask(&world, &then(&body, &[back, result("c1"), result("c1")])).await;
    kept(&world, "keeps-ids");
    kept(&world, "each-result-once");
}
