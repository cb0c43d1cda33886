//! Conversations that the server keeps, so that only what is new is sent.

use model::{Outcome, ToolChoice};
use serde_json::{Value, json};
use wire::http::Response;

use super::{ask, code_of, enveloped, streamed};
use crate::client::{World, json_of};

/// A script of two rounds of tools.
async fn playing() -> World {
    let call = |id: &str| json!({"id": id, "name": "f", "arguments": {}});
    let turns = json!([
        {"id": "one", "when": {"no_tool_results": true}, "answer": {"thinking": "hm", "text": "a", "tool_calls": [call("t1")]}},
        {"id": "two", "when": {"tool_result_for": "t1"}, "answer": {"tool_calls": [call("t2"), call("t3")]}},
        {"id": "three", "when": {"tool_result_for": ["t2", "t3"]}, "answer": {"text": "done"}},
    ]);
    let world = World::new().await;
    world.host.load_json("default", &json!({"script": 1, "name": "n", "turns": turns})).unwrap();
    world
}

fn first(thread: Value) -> Value {
    json!({
        "model": "m", "max_tokens": 9, "thread": thread, "system": "be kind",
        "tools": [{"name": "f", "input_schema": {"type": "object"}}],
        "messages": [{"role": "user", "content": "begin"}],
    })
}

fn results(ids: &[&str]) -> Value {
    let results: Vec<Value> =
        ids.iter().map(|id| json!({"type": "tool_result", "tool_use_id": id, "content": "ok"})).collect();
    json!({"role": "user", "content": results})
}

fn next(previous: &Response, messages: Value) -> Value {
    let thread = json!({"type": "continue", "previous_message_id": json_of(previous)["id"]});
    json!({"model": "m", "max_tokens": 9, "thread": thread, "messages": messages})
}

#[tokio::test(start_paused = true)]
async fn a_thread_is_the_same_conversation_as_all_of_it_told_again() {
    let world = playing().await;
    let one = ask(&world, &first(json!({"type": "create"}))).await;
    let two = ask(&world, &next(&one, json!([results(&["t1"])]))).await;
    let brief = json!({"role": "system", "content": "be brief"});
    let mut last = next(&two, json!([brief, results(&["t2", "t3"])]));
    last["tool_choice"] = json!({"type": "tool", "name": "f"});
    let three = ask(&world, &last).await;
    assert_eq!((three.status, &json_of(&three)["content"][0]["text"]), (200, &json!("done")));
    let by_thread = world.host.journal("default").pop().unwrap();

    let world = playing().await;
    let mut told = first(json!(null));
    let mut said = told["messages"].as_array().unwrap().clone();
    said.push(json!({"role": "assistant", "content": json_of(&one)["content"]}));
    said.push(results(&["t1"]));
    said.push(json!({"role": "assistant", "content": json_of(&two)["content"]}));
    said.push(brief);
    said.push(results(&["t2", "t3"]));
    told["messages"] = said.into();
    told["tool_choice"] = json!({"type": "tool", "name": "f"});
    assert_eq!(ask(&world, &told).await.status, 200);
    let in_full = world.host.journal("default").pop().unwrap();

    let (mut by_thread_request, in_full_request) = (by_thread.request.unwrap(), in_full.request.unwrap());
    assert_eq!(by_thread_request.previous_response_id.take().unwrap(), json_of(&two)["id"]);
    assert_eq!(by_thread_request.tool_choice, ToolChoice::Named("f".into()));
    assert_eq!(by_thread_request, in_full_request);
    assert_eq!(by_thread.identity, in_full.identity);
    assert_eq!((by_thread.turn, by_thread.findings), (Some("three".into()), vec![]));
}

#[tokio::test(start_paused = true)]
async fn a_thread_goes_on_from_a_stream_and_may_be_asked_again() {
    let world = playing().await;
    let events = super::folding::events_of(&ask(&world, &streamed(first(json!({"type": "create"})))).await);
    let message = events.iter().find(|event| event["type"] == "message_start").unwrap()["message"].clone();
    let thread = json!({"type": "continue", "previous_message_id": message["id"]});
    let body = json!({"model": "m", "max_tokens": 9, "thread": thread, "messages": [results(&["t1"])]});
    assert_eq!(ask(&world, &body).await.status, 200);
}

#[tokio::test(start_paused = true)]
async fn a_thread_that_is_not_there_is_told_in_a_word_that_clients_know() {
    let world = playing().await;
    let kept = ask(&world, &first(json!({"type": "create"}))).await;
    let other = playing().await;
    let not_kept = ask(&other, &first(json!(null))).await;
    let unknown = next(&kept, json!([results(&["t1"])]));
    for (world, body) in [(&playing().await, unknown), (&other, next(&not_kept, json!([results(&["t1"])])))] {
        let response = ask(world, &body).await;
        assert_eq!((response.status, enveloped(&response).0.as_str()), (404, "not_found_error"));
        assert_eq!(code_of(&response).as_deref(), Some("thread_not_found"));
        assert_eq!(world.host.journal("default").pop().unwrap().outcome, Outcome::Rejected);
    }
}

#[tokio::test(start_paused = true)]
async fn what_does_not_fit_to_a_thread_is_refused() {
    let world = playing().await;
    let one = ask(&world, &first(json!({"type": "create"}))).await;
    let mut again = next(&one, json!([results(&["t1"])]));
    again["system"] = json!("be rude");
    let late =
        json!([{"role": "user", "content": [{"type": "text", "text": "x"}, results(&["t1"])["content"][0]]}]);
    let cases = [
        (again, "system:", "may not be given again"),
        (next(&one, json!([results(&["t1", "t9"])])), "messages:", "for `t9`"),
        (
            next(&one, json!([{"role": "user", "content": "hm"}])),
            "messages:",
            "`t1` of the thread's last message",
        ),
        (next(&one, json!([])), "messages:", "`t1` of the thread's last message"),
        (next(&one, late), "messages.0.content.1:", "stand before"),
    ];
    for (body, place, part) in cases {
        let response = ask(&world, &body).await;
        let (_, message) = enveloped(&response);
        assert_eq!(response.status, 400, "{body}");
        assert!(message.starts_with(place) && message.contains(part), "{message}");
    }
}
