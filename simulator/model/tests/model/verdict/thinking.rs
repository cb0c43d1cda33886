//! Thinking that has to come back, and the wires that have it.

use std::time::Duration;

use model::{Overall, Severity};
use serde_json::{Value, json};
use wire::http::Request;

use super::{broken, found, kept, playing, verdict};
use crate::client::{World, json_of};

async fn thinking() -> World {
    let turns = json!([
        {"id": "a", "when": {"no_tool_results": true}, "answer": {
            "thinking": {"text": "Hm.", "signature": "c2ln", "encrypted": "ZW5j"},
            "text": "Let me look.",
            "tool_calls": [{"id": "c1", "name": "look", "arguments": {"at": 1}}],
        }},
        {"id": "b", "answer": {"text": "b"}},
    ]);
    playing(turns).await
}

async fn post(world: &World, path: &str, body: &Value) -> Value {
    let response = world.try_send(Request::new("POST", format!("/s/k{path}")).json(body.to_string())).await;
    world.clock.pause(Duration::from_millis(1)).await;
    response
        .ok()
        .filter(|response| response.body.starts_with(b"{"))
        .map(|response| json_of(&response))
        .unwrap_or_default()
}

fn messages(thinks: bool) -> Value {
    let mut body = json!({
        "model": "m", "max_tokens": 2000,
        "messages": [{"role": "user", "content": "go"}],
        "tools": [{"name": "look", "input_schema": {"type": "object"}}],
    });
    if thinks {
        body["thinking"] = json!({"type": "enabled", "budget_tokens": 1024});
    }
    body
}

/// Asks on the Messages wire and goes on with these blocks of the answer.
async fn goes_on(thinks: bool, change: impl Fn(&mut Vec<Value>)) -> World {
    let world = thinking().await;
    let mut body = messages(thinks);
    let answer = post(&world, "/v1/messages", &body).await;
    let mut blocks = answer["content"].as_array().unwrap().clone();
    assert_eq!(blocks.len(), 3, "{answer:#}");
    change(&mut blocks);
    let result = json!({"type": "tool_result", "tool_use_id": "c1", "content": "done"});
    let said =
        [json!({"role": "assistant", "content": blocks}), json!({"role": "user", "content": [result]})];
    body["messages"].as_array_mut().unwrap().extend(said);
    post(&world, "/v1/messages", &body).await;
    assert_eq!(world.host.journal("k").len(), 2);
    world
}

#[tokio::test(start_paused = true)]
async fn signed_thinking_comes_back_with_its_calls() {
    let world = goes_on(true, |_| {}).await;
    kept(&world, "keeps-thinking");
    assert_eq!(verdict(&world).overall, Overall::Pass, "{:#?}", verdict(&world).findings);

    let world = goes_on(true, |blocks| blocks[0]["signature"] = json!("Zm9yZ2Vk")).await;
    broken(&world, "keeps-thinking", "thinking came back changed", &[1, 2]);
    let world = goes_on(true, |blocks| blocks[0]["thinking"] = json!("Hmm.")).await;
    broken(&world, "keeps-thinking", "thinking came back changed", &[1, 2]);
    let world = goes_on(true, |blocks| drop(blocks.remove(0))).await;
    broken(&world, "keeps-thinking", "thinking did not come back", &[1, 2]);
    let world = goes_on(false, |blocks| drop(blocks.remove(0))).await;
    found(&world, "keeps-thinking", Severity::Note, "does not ask for thinking", &[1, 2]);
}

fn responses(include: bool) -> Value {
    let mut body = json!({
        "model": "m", "reasoning": {"summary": "auto"}, "store": false,
        "input": [{"role": "user", "content": "go"}],
        "tools": [{"type": "function", "name": "look", "parameters": {"type": "object"}}],
    });
    if include {
        body["include"] = json!(["reasoning.encrypted_content"]);
    }
    body
}

/// Asks on the Responses wire and goes on with these items of the answer.
async fn continues(include: bool, change: impl Fn(&mut Vec<Value>)) -> World {
    let world = thinking().await;
    let mut body = responses(include);
    let answer = post(&world, "/v1/responses", &body).await;
    let mut items = answer["output"].as_array().unwrap().clone();
    assert_eq!(items.len(), 3, "{answer:#}");
    change(&mut items);
    let input = body["input"].as_array_mut().unwrap();
    input.extend(items);
    input.push(json!({"type": "function_call_output", "call_id": "c1", "output": "done"}));
    post(&world, "/v1/responses", &body).await;
    assert_eq!(world.host.journal("k").len(), 2);
    world
}

#[tokio::test(start_paused = true)]
async fn encrypted_reasoning_comes_back_with_its_calls() {
    let world = continues(true, |_| {}).await;
    kept(&world, "keeps-thinking");
    assert_eq!(verdict(&world).overall, Overall::Pass, "{:#?}", verdict(&world).findings);

    let world = continues(true, |items| items[0]["encrypted_content"] = json!("other")).await;
    broken(&world, "keeps-thinking", "thinking came back changed", &[1, 2]);
    let world = continues(true, |items| drop(items.remove(0))).await;
    broken(&world, "keeps-thinking", "thinking did not come back", &[1, 2]);
    // Nothing to bring back was sent.
    let world = continues(false, |items| drop(items.remove(0))).await;
    assert_eq!(verdict(&world).of("keeps-thinking").count(), 0);
}

#[tokio::test(start_paused = true)]
async fn an_unfinished_answer_is_none_on_the_other_wires_too() {
    for (path, mut body, history) in
        [("/v1/messages", messages(false), "messages"), ("/v1/responses", responses(false), "input")]
    {
        let turns = json!([
            {"id": "a", "when": {"stream": true}, "answer": {"text": "one two three"}, "stream": {"piece_chars": 4},
             "faults": [{"first": 1, "no_finish_reason": true}]},
            {"id": "b", "repeat": true, "answer": {"text": "b"}},
        ]);
        let world = playing(turns).await;
        body["stream"] = json!(true);
        post(&world, path, &body).await;
        kept(&world, "silent-end");
        let said = [
            json!({"role": "assistant", "content": "one two three"}),
            json!({"role": "user", "content": "and?"}),
        ];
        body[history].as_array_mut().unwrap().extend(said);
        post(&world, path, &body).await;
        broken(&world, "silent-end", "one two three", &[1, 2]);
    }
}

#[tokio::test(start_paused = true)]
async fn going_on_by_the_id_of_an_answer_keeps_everything() {
    let world = thinking().await;
    let mut body = responses(false);
    body["store"] = json!(true);
    let answer = post(&world, "/v1/responses", &body).await;
    body["previous_response_id"] = answer["id"].clone();
    body["input"] = json!([{"type": "function_call_output", "call_id": "c1", "output": "done"}]);
    post(&world, "/v1/responses", &body).await;
    kept(&world, "keeps-ids");
    kept(&world, "each-result-once");
    assert_eq!(verdict(&world).overall, Overall::Pass, "{:#?}", verdict(&world).findings);
}

/// Who asks for what was thought has thinking in mind, whether the request speaks of reasoning or not.
#[tokio::test(start_paused = true)]
async fn whoever_asks_for_encrypted_reasoning_asks_for_thinking() {
    for (back, message) in
        [(Some("other"), "thinking came back changed"), (None, "thinking did not come back")]
    {
        let world = thinking().await;
        let mut body = responses(true);
        body.as_object_mut().unwrap().remove("reasoning");
        let answer = post(&world, "/v1/responses", &body).await;
        let mut items = answer["output"].as_array().unwrap().clone();
        match back {
            Some(other) => items[0]["encrypted_content"] = json!(other),
            None => drop(items.remove(0)),
        }
        items.push(json!({"type": "function_call_output", "call_id": "c1", "output": "done"}));
        body["input"].as_array_mut().unwrap().extend(items);
        post(&world, "/v1/responses", &body).await;
        broken(&world, "keeps-thinking", message, &[1, 2]);
    }
}
