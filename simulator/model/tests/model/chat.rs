//! Chat Completions: the shapes that clients insist on.

use serde_json::{Value, json};

use crate::client::{World, events_of, golden, header, json_of, user};

fn streamed(mut body: Value, usage: bool) -> Value {
    body["stream"] = json!(true);
    if usage {
        body["stream_options"] = json!({"include_usage": true});
    }
    body
}

const WEATHER: &[&str] = &["get_weather"];

#[tokio::test(start_paused = true)]
async fn the_answer_in_one_piece() {
    let world = World::playing("tools.yaml").await;
    for (name, text) in [("no_call", "no tools"), ("two_calls", "two tools"), ("refusal", "refuse this")] {
        let response = world.post("/v1/chat/completions?api-version=1", &user(text, WEATHER)).await;
        assert_eq!(response.status, 200);
        assert_eq!(header(&response, "content-type"), Some("application/json"));
        assert_eq!(header(&response, "content-length"), Some(response.body.len().to_string().as_str()));
        golden(&format!("chat_whole_{name}"), &format!("{:#}", json_of(&response)));
    }
}

#[tokio::test(start_paused = true)]
async fn the_answer_as_a_stream() {
    let world = World::playing("tools.yaml").await;
    let cases =
        [("no_call", "no tools", true), ("two_calls", "two tools", false), ("refusal", "refuse this", false)];
    for (name, text, usage) in cases {
        let response = world.ask("default", &streamed(user(text, WEATHER), usage)).await;
        assert_eq!(response.status, 200);
        assert_eq!(header(&response, "content-type"), Some("text/event-stream"));
        assert_eq!(header(&response, "content-length"), None);
        golden(&format!("chat_stream_{name}"), std::str::from_utf8(&response.body).unwrap());
    }
}

#[tokio::test(start_paused = true)]
async fn a_stream_says_the_same_as_one_piece() {
    let world = World::playing("tools.yaml").await;
    for text in ["no tools", "one tool", "two tools", "refuse this"] {
        let whole = json_of(&world.ask("default", &user(text, WEATHER)).await);
        let events = events_of(&world.ask("default", &streamed(user(text, WEATHER), true)).await);
        assert_eq!(joined(&events), whole, "{text}");
    }
}

/// Joins the chunks of a stream as clients do, and checks the rules of the wire on the way.
fn joined(events: &[String]) -> Value {
    let (done, chunks) = events.split_last().unwrap();
    assert_eq!(done, "[DONE]");
    let chunks: Vec<Value> = chunks.iter().map(|chunk| serde_json::from_str(chunk).unwrap()).collect();
    let (last, chunks) = chunks.split_last().unwrap();
    assert_eq!(last["choices"], json!([]), "the usage comes alone");
    let mut message = json!({"role": "", "content": null, "refusal": null, "annotations": []});
    let mut finish_reason = Value::Null;
    for chunk in chunks {
        for field in ["id", "created", "model"] {
            assert_eq!(chunk[field], last[field], "{field} may not change");
        }
        assert_eq!((&chunk["object"], &chunk["usage"]), (&json!("chat.completion.chunk"), &Value::Null));
        let choice = &chunk["choices"][0];
        assert_eq!(choice["index"], 0);
        assert_eq!(finish_reason, Value::Null, "nothing follows the reason for the end");
        finish_reason = choice["finish_reason"].clone();
        assert!(
            finish_reason.is_null() || choice["delta"] == json!({}),
            "the reason for the end comes alone"
        );
        for field in ["role", "content", "refusal"] {
            join(&mut message[field], &choice["delta"][field]);
        }
        for part in choice["delta"]["tool_calls"].as_array().into_iter().flatten() {
            let index = usize::try_from(part["index"].as_u64().unwrap()).unwrap();
            if message["tool_calls"][index].is_null() {
                let calls = message["tool_calls"].take();
                let mut calls = calls.as_array().cloned().unwrap_or_default();
                calls.push(json!({"id": null, "type": null, "function": {"name": null, "arguments": null}}));
                message["tool_calls"] = calls.into();
                assert_eq!(part["function"]["arguments"], "", "the first fragment has no arguments yet");
            }
            let call = &mut message["tool_calls"][index];
            join(&mut call["id"], &part["id"]);
            join(&mut call["type"], &part["type"]);
            join(&mut call["function"]["name"], &part["function"]["name"]);
            join(&mut call["function"]["arguments"], &part["function"]["arguments"]);
        }
    }
    let mut whole = last.clone();
    whole["object"] = json!("chat.completion");
    whole["choices"] =
        json!([{"index": 0, "message": message, "logprobs": null, "finish_reason": finish_reason}]);
    whole
}

fn join(whole: &mut Value, part: &Value) {
    if let Some(part) = part.as_str() {
        *whole = json!(format!("{}{part}", whole.as_str().unwrap_or_default()));
    }
}

#[tokio::test(start_paused = true)]
async fn every_event_is_a_piece_of_its_own() {
    let world = World::playing("tools.yaml").await;
    let mut answer = world.open("default", &streamed(user("two tools", WEATHER), true)).await;
    let mut pieces = Vec::new();
    while let Some(piece) = answer.next().await {
        pieces.push(String::from_utf8(piece.unwrap().to_vec()).unwrap());
    }
    assert!(pieces.len() > 10);
    for piece in pieces {
        assert_eq!(piece.matches("data: ").count(), 1, "{piece}");
        assert!(piece.ends_with("\n\n"), "{piece}");
    }
}

#[tokio::test(start_paused = true)]
async fn what_the_api_refuses_is_refused_in_its_envelope() {
    let world = World::playing("hello.yaml").await;
    let orphan = json!({"model": "m", "messages": [
        {"role": "user", "content": "hi"},
        {"role": "tool", "tool_call_id": "call_9", "content": "x"},
    ]});
    for body in [
        "{\"model\": ",
        "",
        "[]",
        "{\"model\": \"m\"}",
        "{\"model\":\"m\",\"messages\":[]}",
        &orphan.to_string(),
    ] {
        let request = wire::http::Request::new("POST", "/v1/chat/completions").json(body.to_owned());
        let response = world.send(request).await;
        assert_eq!(response.status, 400, "{body}");
        assert_eq!(header(&response, "x-should-retry"), Some("false"));
        assert!(header(&response, "x-request-id").unwrap().starts_with("req_"));
        let error = json_of(&response)["error"].clone();
        assert_eq!(
            error.as_object().unwrap().keys().collect::<Vec<_>>(),
            ["code", "message", "param", "type"]
        );
        assert_eq!(error["type"], "invalid_request_error");
        let entry = world.host.journal("default").pop().unwrap();
        assert_eq!((entry.outcome, entry.body.as_str()), (model::Outcome::Rejected, body));
        assert_eq!(entry.error.as_deref(), error["message"].as_str());
    }
}

#[tokio::test(start_paused = true)]
async fn requests_of_real_clients_are_read() {
    let samples = [
        json!({"model": "fake-model", "messages": [
            {"role": "user", "content": "hi"},
            {"role": "assistant", "content": null, "refusal": null, "parsed": null, "tool_calls": [
                {"id": "call_0", "type": "function", "function": {"name": "get_weather", "arguments": "{\"city\":\"Oslo\"}"}},
            ]},
            {"role": "tool", "tool_call_id": "call_0", "content": "sunny"},
        ], "parallel_tool_calls": true, "tool_choice": "auto", "stream": true, "stream_options": {"include_usage": true}}),
        json!({"model": "fake-model", "store": false, "max_completion_tokens": 4096, "messages": [
            {"role": "system", "content": "be kind"},
            {"role": "user", "content": [{"type": "text", "text": "Please triage."}]},
        ], "tools": [{"type": "function", "function": {"name": "triage", "parameters": {"type": "object"}, "strict": false}}]}),
        json!({"model": "fake-model", "messages": [{"content": "hi", "role": "user"}], "response_format": {
            "type": "json_schema", "json_schema": {"name": "Out", "strict": true, "schema": {"type": "object"}},
        }}),
    ];
    let world = World::playing("hello.yaml").await;
    for body in &samples {
        assert_eq!(world.ask("default", body).await.status, 200, "{body}");
    }
    let journal = world.host.journal("default");
    let noted: Vec<_> =
        journal.iter().map(|entry| entry.request.as_ref().unwrap().unknown_fields.join(" ")).collect();
    assert_eq!(noted, ["/messages/1/parsed", "", ""]);
}
