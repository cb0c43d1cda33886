//! What is asked, what is found in it, and what is refused.

use model::{Outcome, script::WireName};
use serde_json::{Value, json};
use wire::http::Request;

use super::{WIRES, ask, begun, playing};
use crate::client::{World, header, json_of, user};

/// All that an agent asks for around its conversations, as Claude Code does.
#[tokio::test(start_paused = true)]
async fn what_a_coding_agent_looks_for_is_there() {
    let world = playing(json!([{"id": "only", "repeat": true, "answer": {"text": "ok"}}])).await;
    let body = begun(WireName::Messages, "go").request(false).to_string();
    for (method, path) in [
        ("HEAD", "/"),
        ("HEAD", "/v1/messages?beta=true"),
        ("GET", "/v1/models?limit=1000"),
        ("POST", "/v1/messages?beta=true"),
        ("POST", "/v1/messages/?beta=true"),
        ("POST", "/v1/messages/count_tokens?beta=true"),
        ("POST", "/s/default/v1/messages/count_tokens?beta=true"),
    ] {
        let request = Request::new(method, path).header("anthropic-version", "2023-06-01");
        let response = world.send(if method == "POST" { request.json(body.clone()) } else { request }).await;
        assert_eq!((response.status, header(&response, "location")), (200, None), "{method} {path}");
    }
}

/// There is nothing to prepare before a host can be started, and it never makes up an answer.
#[tokio::test(start_paused = true)]
async fn a_host_without_a_script_is_there_and_answers_nothing() {
    let world = World::new().await;
    assert_eq!(world.send(Request::new("HEAD", "/")).await.status, 200);
    for wire in WIRES {
        let response = ask(&world, &begun(wire, "go"), true).await;
        assert_eq!((response.status, header(&response, "x-should-retry")), (400, Some("false")), "{wire:?}");
        let message = json_of(&response)["error"]["message"].clone();
        assert!(message.as_str().unwrap().contains("no session `default` is loaded"), "{message}");
    }
}

#[tokio::test(start_paused = true)]
async fn what_this_server_does_not_speak_is_refused_once_and_for_all() {
    let world = World::new().await;
    let mut paths = Vec::new();
    for path in [
        "/v1/embeddings",
        "/v1/completions",
        "/v1/audio/speech",
        "/v1/images/generations",
        "/v1beta/models/gemini:generateContent",
        "/v1beta/models/gemini:streamGenerateContent?alt=sse",
        "/api/chat",
    ] {
        let response = world.post(path, &json!({"model": "m", "input": "x"})).await;
        let error = json_of(&response)["error"].clone();
        assert_eq!((response.status, &error["code"]), (404, &json!("unknown_url")), "{path}");
        assert_eq!(header(&response, "x-should-retry"), Some("false"), "{path}");
        assert!(error["message"].as_str().unwrap().contains("/v1/chat/completions"), "{path}: {error}");
        paths.push(format!("POST {path}"));
    }
    for path in ["/v1/responses", "/s/default/v1/responses"] {
        let upgrade =
            Request::new("GET", path).header("connection", "upgrade").header("upgrade", "websocket");
        let response = world.send(upgrade).await;
        assert_eq!((response.status, header(&response, "x-should-retry")), (426, Some("false")), "{path}");
        assert_eq!(json_of(&response)["error"]["code"], "upgrade_not_supported");
        paths.push(format!("GET {path}"));
    }
    let journal = world.host.journal("default");
    assert!(journal.iter().all(|entry| entry.outcome == Outcome::Rejected));
    assert_eq!(journal.into_iter().map(|entry| entry.target).collect::<Vec<_>>(), paths);
}

#[tokio::test(start_paused = true)]
async fn versions_betas_and_attempts_are_in_the_journal_and_can_be_asked_for() {
    let when = json!({"header": [
        {"name": "Anthropic-Version", "equals": "2023-06-01"},
        {"name": "anthropic-beta", "contains": "context-1m"},
        {"name": "x-stainless-retry-count", "equals": "1"},
    ]});
    let world = playing(json!([{"id": "only", "when": when, "answer": {"text": "ok"}}])).await;
    let body = begun(WireName::Messages, "go").request(false).to_string();
    for (attempt, status) in [("0", 400), ("1", 200)] {
        let sent = [
            ("anthropic-version", "2023-06-01"),
            ("anthropic-beta", "a-2024,context-1m-2025"),
            ("x-stainless-retry-count", attempt),
        ];
        let request = Request::new("POST", "/v1/messages").json(body.clone());
        let request = sent.iter().fold(request, |request, (name, value)| request.header(name, *value));
        assert_eq!(world.send(request).await.status, status);
        let headers = world.host.journal("default").pop().unwrap().headers;
        for (name, value) in sent {
            assert!(headers.contains(&(name.to_owned(), value.to_owned())), "{name}: {headers:?}");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_script_says_whether_and_when_to_try_again_in_every_way_there_is() {
    let ways = [
        ("x-should-retry", "true"),
        ("x-should-retry", "false"),
        ("retry-after-ms", "250"),
        ("retry-after", "2"),
        ("retry-after", "0.5"),
        ("retry-after", "Wed, 21 Oct 2026 07:28:00 GMT"),
    ];
    for wire in WIRES {
        for ((name, value), code) in ways.into_iter().zip([408, 409, 429, 500, 503, 529]) {
            let mut headers = json!({});
            headers[name] = json!(value);
            let fault = json!({"first": 1, "status": {"code": code, "headers": headers}});
            let world = playing(json!([{"id": "only", "answer": {"text": "ok"}, "faults": [fault]}])).await;
            let response = ask(&world, &begun(wire, "go"), true).await;
            assert_eq!((response.status, header(&response, name)), (code, Some(value)), "{wire:?}");
            assert_eq!(ask(&world, &begun(wire, "go"), true).await.status, 200, "{wire:?} {code}");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn an_error_of_openai_has_four_keys_and_tells_a_quota_from_a_limit() {
    let cases = [
        (400, json!(null), "invalid_request_error"),
        (401, json!("invalid_api_key"), "authentication_error"),
        (429, json!("rate_limit_exceeded"), "rate_limit_error"),
        (429, json!("insufficient_quota"), "insufficient_quota"),
        (500, json!(null), "server_error"),
    ];
    for wire in [WireName::Chat, WireName::Responses] {
        for (status, code, kind) in &cases {
            let mut fault = json!({"status": {"code": status, "message": "no"}});
            if code.is_string() {
                fault["status"]["error_code"] = code.clone();
            }
            let world = playing(json!([{"id": "only", "answer": {"text": "ok"}, "faults": [fault]}])).await;
            let response = ask(&world, &begun(wire, "go"), false).await;
            let error = json!({"error": {"message": "no", "type": kind, "param": null, "code": code}});
            assert_eq!((&response.status, json_of(&response)), (status, error), "{wire:?}");
            assert!(header(&response, "x-request-id").unwrap().starts_with("req_"));
        }
    }
}

#[tokio::test(start_paused = true)]
async fn results_of_earlier_rounds_bring_no_turn_back() {
    for wire in WIRES {
        let turns = json!([
            {"id": "calls", "when": {"no_tool_results": true}, "answer": {"tool_calls": [{"id": "call_1", "name": "look", "arguments": {}}]}},
            {"id": "sees", "repeat": true, "when": {"tool_result_for": "call_1"}, "answer": {"text": "seen"}},
        ]);
        let world = playing(turns).await;
        let mut talk = begun(wire, "go");
        assert!(talk.take(&json_of(&ask(&world, &talk, false).await)));
        assert!(!talk.take(&json_of(&ask(&world, &talk, false).await)), "{wire:?}");
        talk.say("And once more?");
        let response = ask(&world, &talk, false).await;
        assert_eq!(response.status, 400, "{wire:?}: the result is old");
        let message = json_of(&response)["error"]["message"].to_string();
        assert!(message.contains("tool_result_for") && message.contains("newest tool results"), "{message}");
    }
}

/// Two demos with the same words on one host: each gets its own turns, once, and no loop goes on for ever.
#[tokio::test(start_paused = true)]
async fn a_turn_answers_its_own_conversation_and_only_once() {
    let conversation = |name: &str| {
        let call = json!({"id": format!("call_{name}"), "name": "look", "arguments": {"at": name}});
        json!({"id": name, "key": format!("{name}-1"), "turns": [
            {"id": "calls", "when": {"user_contains": "weather", "no_tool_results": true}, "answer": {"tool_calls": [call]}},
            {"id": "ends", "when": {"tool_result_for": format!("call_{name}")}, "answer": {"text": name}},
        ]})
    };
    for wire in WIRES {
        let world = World::new().await;
        let conversations = json!([conversation("north"), conversation("south")]);
        let script = json!({"script": 1, "name": "two", "conversations": conversations});
        world.host.load_json(model::DEFAULT_SESSION, &script).unwrap();
        let mut talks = ["south", "north"].map(|name| begun(wire, &format!("the weather, {name}-1")));
        for round in 0..2 {
            let (one, two) = tokio::join!(ask(&world, &talks[0], false), ask(&world, &talks[1], false));
            for ((talk, answer), name) in talks.iter_mut().zip([one, two]).zip(["south", "north"]) {
                let answer = json_of(&answer);
                let said = answer.to_string();
                assert!(
                    said.contains(name) && !said.contains(if name == "south" { "north" } else { "south" }),
                    "{said}"
                );
                assert_eq!(talk.take(&answer), round == 0, "{wire:?}");
            }
        }
        assert!(world.host.unused_turns("default").is_empty(), "{wire:?}");
        let again = ask(&world, &talks[0], false).await;
        assert!(json_of(&again)["error"]["message"].as_str().unwrap().ends_with("Every turn is used."));
    }
}

/// A tool that only the other side knows is a condition like any other: whoever offers other tools is told.
#[tokio::test(start_paused = true)]
async fn a_tool_that_is_not_offered_is_what_a_miss_is_told_to_differ_in() {
    let turn = json!({"id": "only", "when": {"tool_offered": "read"}, "answer": {"text": "ok"}});
    let world = playing(json!([turn])).await;
    let response = world.ask("default", &user("go", &["write", "list"])).await;
    let message = json_of(&response)["error"]["message"].to_string();
    assert!(message.contains("the tools offered are write, list"), "{message}");
}

/// Journals of large requests once went past what a text can hold.
#[tokio::test(start_paused = true)]
async fn large_requests_give_way_in_the_journal() {
    let world = playing(json!([{"id": "only", "repeat": true, "answer": {"text": "ok"}}])).await;
    for _ in 0..3 {
        let body = user(&"x".repeat(24 << 20), &[]);
        assert_eq!(world.ask("default", &body).await.status, 200);
    }
    let kept: Vec<u64> = world.host.journal("default").iter().map(|entry| entry.sequence).collect();
    assert_eq!((kept, world.host.journal_dropped("default")), (vec![2, 3], 1));
}

/// What the wire allows to be null may be null in what comes back.
#[tokio::test(start_paused = true)]
async fn ids_and_statuses_of_items_may_be_null() {
    let world = playing(json!([{"id": "only", "answer": {"text": "ok"}}])).await;
    let body: Value = json!({"model": "m", "input": [
        {"type": "message", "id": null, "role": "user", "status": null, "content": [{"type": "input_text", "text": "go"}]},
        {"type": "reasoning", "id": null, "summary": [], "content": null, "encrypted_content": null, "status": null},
        {"type": "message", "id": null, "role": "assistant", "status": null,
         "content": [{"type": "output_text", "text": "Hm.", "annotations": null}]},
        {"type": "function_call", "id": null, "call_id": "c1", "name": "look", "arguments": "{}", "status": null},
        {"type": "function_call_output", "id": null, "call_id": "c1", "output": "seen", "status": null},
    ]});
    let response = world.post("/v1/responses", &body).await;
    assert_eq!(response.status, 200, "{:#}", json_of(&response));
}
