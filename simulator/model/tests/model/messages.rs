//! Messages: the shapes that clients insist on.

mod folding;
mod reading;
mod serving;
mod threads;

use model::Script;
use serde_json::{Value, json};
use wire::http::{Request, Response};

use crate::client::{World, golden, header, json_of};

const MESSAGES: &str = "/v1/messages";

/// What the tests of shapes are answered: one turn for each way of answering.
fn shapes() -> Script {
    let turn = |id: &str, answer: Value, stream: Value| json!({"id": id, "repeat": true, "when": {"user_contains": id}, "answer": answer, "stream": stream});
    let oslo = json!({"id": "toolu_oslo", "name": "get_weather", "arguments": {"city": "Oslo"}});
    let lima =
        json!({"id": "toolu_lima", "name": "get_weather", "arguments": {"city": "Lima", "units": "metric"}});
    let usage = json!({
        "input_tokens": 100, "cached_tokens": 60, "cache_write_tokens": 15, "output_tokens": 30, "reasoning_tokens": 11,
    });
    let interleaved = json!({"usage": usage, "blocks": [
        {"thinking": {"text": "Oslo is north of Lima.", "signature": "c2lnbmVk"}},
        {"text": "First Oslo."},
        {"tool_call": oslo},
        {"thinking": "And now the south."},
        {"text": "Then Lima, gdzie świeci słońce 🦀."},
        {"tool_call": lima},
    ]});
    let broken = json!({"tool_calls": [{"id": "toolu_cut", "name": "get_weather", "arguments_text": "{\"city\": \"Os"}]});
    let none = json!({});
    let turns = [
        turn(
            "plain",
            json!({"text": "Nothing to look up.", "usage": {"input_tokens": 12, "output_tokens": 7}}),
            none.clone(),
        ),
        turn("two-calls", json!({"text": "Let me look.", "tool_calls": [oslo, lima]}), none.clone()),
        turn("interleaved", interleaved, none.clone()),
        turn("refusal", json!({"refusal": "I would rather not."}), none.clone()),
        turn("length", json!({"text": "{\"city\": \"Os", "finish_reason": "length"}), none.clone()),
        turn("nothing", json!({"text": ""}), none.clone()),
        turn("broken", broken, none),
        turn("pings-none", json!({"text": "No pings."}), json!({"pings": []})),
        turn(
            "pings-many",
            json!({"text": "Four pings."}),
            json!({"pings": [2, 0, 2, 6, 7], "piece_chars": 20}),
        ),
    ];
    Script::from_json(&json!({"script": 1, "name": "shapes", "turns": turns})).unwrap()
}

async fn playing(script: Script) -> World {
    let world = World::new().await;
    world.host.load(model::DEFAULT_SESSION, script);
    world
}

/// A request of one user message, with a tool offered.
fn user(text: &str) -> Value {
    let tool =
        json!({"name": "get_weather", "description": "The weather.", "input_schema": {"type": "object"}});
    json!({"model": "fake-model", "max_tokens": 1000, "messages": [{"role": "user", "content": text}], "tools": [tool]})
}

fn streamed(mut body: Value) -> Value {
    body["stream"] = json!(true);
    body
}

async fn ask(world: &World, body: &Value) -> Response {
    world.post("/v1/messages?beta=true", body).await
}

fn text_of(response: &Response) -> &str {
    std::str::from_utf8(&response.body).unwrap()
}

const SHAPES: [&str; 5] = ["plain", "two-calls", "interleaved", "refusal", "length"];

#[tokio::test(start_paused = true)]
async fn the_answer_in_one_piece() {
    let world = playing(shapes()).await;
    for name in SHAPES.into_iter().chain(["nothing", "broken"]) {
        let response = ask(&world, &user(name)).await;
        assert_eq!((response.status, header(&response, "content-type")), (200, Some("application/json")));
        golden(&format!("messages_whole_{}", name.replace('-', "_")), &format!("{:#}", json_of(&response)));
    }
}

#[tokio::test(start_paused = true)]
async fn the_answer_as_a_stream() {
    let world = playing(shapes()).await;
    for name in SHAPES.into_iter().chain(["pings-none", "pings-many"]) {
        let response = ask(&world, &streamed(user(name))).await;
        assert_eq!(response.status, 200);
        assert!(header(&response, "content-type").unwrap().starts_with("text/event-stream"));
        golden(&format!("messages_stream_{}", name.replace('-', "_")), text_of(&response));
    }
}

#[tokio::test(start_paused = true)]
async fn arguments_keep_their_text_and_their_numbers() {
    let world = World::new().await;
    let arguments = r#"{"b": 1e2, "a": 12345678901234567890, "b2": [ ]}"#;
    let call = json!({"id": "toolu_1", "name": "f", "arguments_text": arguments});
    let turn = json!({"id": "a", "answer": {"tool_calls": [call]}});
    world.host.load_json("default", &json!({"script": 1, "name": "n", "turns": [turn]})).unwrap();
    let response = ask(&world, &user("x")).await;
    assert!(text_of(&response).contains(&format!("\"input\":{arguments}")), "{}", text_of(&response));
}

#[tokio::test(start_paused = true)]
async fn a_request_that_manages_its_context_is_told_what_was_cleared() {
    let world = playing(shapes()).await;
    let mut body = user("plain");
    body["context_management"] = json!({"edits": [{"type": "clear_thinking_20251015", "keep": "all"}]});
    let cleared = json!({"applied_edits": []});
    assert_eq!(json_of(&ask(&world, &body).await)["context_management"], cleared);
    let events = folding::events_of(&ask(&world, &streamed(body)).await);
    assert_eq!(events[events.len() - 2]["context_management"], cleared);
    assert_eq!(json_of(&ask(&world, &user("plain")).await).get("context_management"), None);
}

#[tokio::test(start_paused = true)]
async fn every_answer_has_the_headers_of_the_wire() {
    let world = playing(shapes()).await;
    let missed = json!({"model": "m", "max_tokens": 1, "messages": [{"role": "user", "content": "nobody"}]});
    for body in [user("plain"), streamed(user("plain")), missed, json!({})] {
        let response = ask(&world, &body).await;
        assert!(header(&response, "request-id").unwrap().starts_with("req_"));
        assert_eq!(header(&response, "anthropic-organization-id"), Some("proofhouse"));
        for kind in ["requests", "tokens", "input-tokens", "output-tokens"] {
            for what in ["limit", "remaining"] {
                let name = format!("anthropic-ratelimit-{kind}-{what}");
                assert!(header(&response, &name).unwrap().parse::<u64>().is_ok(), "{name}");
            }
            let reset = header(&response, &format!("anthropic-ratelimit-{kind}-reset")).unwrap();
            assert!(reset.parse::<jiff::Timestamp>().is_ok(), "{reset}");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn errors_come_in_the_envelope_of_the_wire() {
    let world = World::new().await;
    let statuses = [(401, "authentication_error"), (403, "permission_error"), (404, "not_found_error")];
    let more = [
        (413, "request_too_large"),
        (429, "rate_limit_error"),
        (500, "api_error"),
        (529, "overloaded_error"),
    ];
    for (status, kind) in statuses.into_iter().chain(more) {
        let turn = json!({"id": "a", "answer": {"text": ""}, "faults": [{"status": status}]});
        world.host.load_json("default", &json!({"script": 1, "name": "n", "turns": [turn]})).unwrap();
        let response = ask(&world, &user("x")).await;
        assert_eq!((response.status, enveloped(&response).0.as_str()), (status, kind));
    }
    let invalid = "invalid_request_error";
    let unknown = Request::new("POST", "/v1/complete").header("anthropic-version", "2023-06-01");
    let no_session = Request::new("POST", "/s/nobody/v1/messages").json(user("x").to_string());
    let requests = [
        (Request::new("POST", MESSAGES).json("{\"model\": ".to_owned()), 400, invalid, None),
        (no_session, 400, invalid, Some("proofhouse_no_turn")),
        (Request::new("GET", MESSAGES), 405, invalid, Some("method_not_supported")),
        (Request::new("GET", "/v1/messages/count_tokens"), 405, invalid, Some("method_not_supported")),
        (unknown, 404, "not_found_error", Some("unknown_url")),
    ];
    for (request, status, kind, code) in requests {
        let response = world.send(request).await;
        assert_eq!((response.status, enveloped(&response).0.as_str()), (status, kind));
        assert_eq!(code_of(&response).as_deref(), code);
        assert_eq!(header(&response, "x-should-retry"), Some("false"));
    }
}

/// The type and the message of an error, whose envelope holds exactly what it should.
fn enveloped(response: &Response) -> (String, String) {
    let body = json_of(response);
    let error = &body["error"];
    let word = |value: &Value| value.as_str().unwrap().to_owned();
    let request_id = header(response, "request-id").unwrap();
    let mut expected = json!({
        "type": "error", "error": {"type": error["type"], "message": error["message"]}, "request_id": request_id,
    });
    if let Some(code) = code_of(response) {
        expected["error"]["details"] = json!({"error_code": code});
    }
    assert_eq!(body, expected);
    (word(&error["type"]), word(&error["message"]))
}

/// The word for programs among the details of an error.
fn code_of(response: &Response) -> Option<String> {
    json_of(response)["error"]["details"]["error_code"].as_str().map(str::to_owned)
}

#[tokio::test(start_paused = true)]
async fn an_error_inside_a_stream_is_an_event() {
    let cases = [
        (json!({"events": 0}), "overloaded_error", 0),
        (json!({"events": 3, "type": "api_error", "message": "gone"}), "api_error", 3),
    ];
    for (error, kind, before) in cases {
        let world = World::new().await;
        let turn = json!({"id": "a", "answer": {"text": "Hello there."}, "faults": [{"error_after": error}]});
        world.host.load_json("default", &json!({"script": 1, "name": "n", "turns": [turn]})).unwrap();
        let response = ask(&world, &streamed(user("x"))).await;
        let events = folding::events_of(&response);
        assert_eq!((response.status, events.len()), (200, before + 1));
        let last = &events[before];
        assert_eq!((&last["type"], &last["error"]["type"]), (&json!("error"), &json!(kind)));
        assert_eq!(last["request_id"].as_str(), header(&response, "request-id"));
        assert_eq!(
            last["error"]["message"],
            error.get("message").cloned().unwrap_or(json!("the script breaks this stream"))
        );
    }
}
