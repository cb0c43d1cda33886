//! What a client that nobody knew beforehand met.

use std::time::Duration;

use model::Outcome;
use serde_json::{Value, json};
use wire::http::{Request, Response};

use crate::client::{World, header, json_of, user};

const CHAT: &str = "/v1/chat/completions";

async fn playing(turns: Value) -> World {
    let world = World::new().await;
    world.host.load_json("default", &json!({"script": 1, "name": "strangers", "turns": turns})).unwrap();
    world
}

fn error_of(response: &Response) -> Value {
    json_of(response)["error"].clone()
}

/// Clients of HTTP/2 offer it with every first request in the clear: the JDK's does, and so does `curl --http2`.
#[tokio::test(start_paused = true)]
async fn an_upgrade_is_an_offer_unless_it_is_to_web_socket() {
    let world = playing(json!([{"id": "a", "repeat": true, "answer": {"text": "a"}}])).await;
    for (upgrade, status) in [
        ("h2c", 200),
        ("TLS/1.0, HTTP/2.0", 200),
        ("foo, bar", 200),
        ("websocket", 426),
        ("h2c, WebSocket", 426),
        ("websocket/13", 426),
    ] {
        let request = Request::new("POST", CHAT).json(user("hi", &[]).to_string());
        let request = request
            .header("connection", "Upgrade, HTTP2-Settings")
            .header("upgrade", upgrade)
            .header("http2-settings", "AAEAAEAAAAIAAAAAAAMAAAAAAAQBAAAAAAUAAEAAAAYABgAA");
        assert_eq!(world.send(request).await.status, status, "{upgrade}");
        let models = Request::new("GET", "/v1/models").header("upgrade", upgrade);
        assert_eq!(world.send(models).await.status, status, "{upgrade}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_wrong_method_is_told_the_right_one_and_a_bare_administration_where_it_is() {
    let world = playing(json!([{"id": "a", "answer": {"text": "a"}}])).await;
    for (method, path, allowed) in [
        ("GET", CHAT, "POST"),
        ("PUT", "/s/k/v1/messages", "POST"),
        ("DELETE", "/v1/messages/count_tokens", "POST"),
        ("POST", "/v1/models", "GET, HEAD"),
        ("DELETE", "/v1/responses/resp_1", "GET, HEAD"),
    ] {
        let response = world.send(Request::new(method, path)).await;
        assert_eq!((response.status, header(&response, "allow")), (405, Some(allowed)), "{method} {path}");
    }
    for path in ["/_model", "/_model/"] {
        let response = world.send(Request::new("GET", path)).await;
        let message = error_of(&response)["message"].to_string();
        assert!(response.status == 404 && message.contains("administration"), "{path}: {message}");
    }
    let journal = world.send(Request::new("GET", "/_model/sessions/nobody/journal")).await;
    assert_eq!(journal.status, 404);
    assert!(error_of(&journal)["message"].to_string().contains("no session `nobody` is loaded"));
    world.ask("nobody", &user("hi", &[])).await;
    let journal = world.send(Request::new("GET", "/_model/sessions/nobody/journal")).await;
    assert_eq!((journal.status, json_of(&journal)["entries"].as_array().unwrap().len()), (200, 1));
}

/// A client that closes its connection and asks again on another is heard on the new one first, as often as not.
#[tokio::test(start_paused = true)]
async fn whoever_leaves_and_asks_again_at_once_gets_the_same_turn() {
    let slow = json!([{"id": "a", "stream": {"first_ms": 5000}, "answer": {"text": "A"}}]);
    for stream in [false, true] {
        let world = playing(slow.clone()).await;
        let mut body = user("same", &[]);
        body["stream"] = json!(stream);
        let request = || Request::new("POST", CHAT).json(body.to_string());
        tokio::select! {
            biased;
            _ = world.send(request()) => panic!("it was to be slow"),
            () = world.until(|| world.host.journal("default").len() == 1) => {}
        }
        // Nobody has had a chance yet to notice that the first connection is closed.
        assert_eq!(world.send(request()).await.status, 200, "stream {stream}");
        let told: Vec<(Outcome, bool)> =
            world.host.journal("default").iter().map(|entry| (entry.outcome, entry.retry)).collect();
        assert_eq!(told, [(Outcome::Dropped, false), (Outcome::Answered, true)]);
    }
}

/// Whoever asks the same twice and stays has no second answer coming, and is told so in good time.
#[tokio::test(start_paused = true)]
async fn whoever_asks_twice_and_stays_is_missed_after_a_while() {
    let world = playing(json!([{"id": "a", "stream": {"first_ms": 5000}, "answer": {"text": "A"}}])).await;
    let body = user("same", &[]);
    let second = async {
        world.until(|| world.host.journal("default").len() == 1).await;
        let before = world.clock.elapsed_ms();
        let response = world.post(CHAT, &body).await;
        (response.status, world.clock.elapsed_ms() - before)
    };
    let (first, (status, waited_ms)) = tokio::join!(world.post(CHAT, &body), second);
    assert_eq!((first.status, status), (200, 400));
    assert!((1000..1100).contains(&waited_ms), "{waited_ms}");
    let journal = world.host.journal("default");
    assert_eq!(journal[1].answered_ms.unwrap() - journal[1].arrived_ms, waited_ms);
}

/// A second answer, for those who have one, does not wait for the first.
#[tokio::test(start_paused = true)]
async fn two_who_say_the_same_do_not_wait_for_each_other_when_both_have_a_turn() {
    let turn = |id: &str| json!({"id": id, "stream": {"first_ms": 5000}, "answer": {"text": id}});
    let world = playing(json!([turn("a"), turn("b")])).await;
    let body = user("same", &[]);
    let (one, two) = tokio::join!(world.post(CHAT, &body), world.post(CHAT, &body));
    assert_eq!((one.status, two.status, world.clock.elapsed_ms()), (200, 200, 5000));
}

#[tokio::test(start_paused = true)]
async fn a_request_whose_client_leaves_while_it_waits_for_another_is_in_the_journal() {
    let world = playing(json!([{"id": "a", "stream": {"first_ms": 5000}, "answer": {"text": "A"}}])).await;
    let body = user("same", &[]);
    let second = async {
        world.until(|| world.host.journal("default").len() == 1).await;
        let asking = world.post(CHAT, &body);
        assert!(world.clock.within(Duration::from_millis(500), asking).await.is_none());
        world.until(|| world.host.journal("default").len() == 2).await;
    };
    let (first, ()) = tokio::join!(world.post(CHAT, &body), second);
    assert_eq!(first.status, 200);
    let last = world.host.journal("default").pop().unwrap();
    assert_eq!((last.outcome, last.client_left, last.turn), (Outcome::Dropped, true, None));
}

/// Nobody has had the answer of a turn that a fault spoiled, so whoever mends a request gets it.
#[tokio::test(start_paused = true)]
async fn a_turn_that_a_fault_spoiled_answers_a_conversation_that_was_mended() {
    for fault in [
        json!({"first": 1, "status": {"code": 400, "error_code": "context_length_exceeded"}}),
        json!({"first": 1, "status": 500}),
        json!({"first": 1, "end_after": 1}),
        json!({"first": 1, "reset_before_headers": true}),
    ] {
        let turn = json!({"id": "a", "when": {"last_user_contains": "final"}, "answer": {"text": "hi"}, "faults": [fault]});
        let world = playing(json!([turn])).await;
        let long = json!({"model": "m", "messages": [
            {"role": "user", "content": "long"}, {"role": "assistant", "content": "old"},
            {"role": "user", "content": "final"},
        ]});
        let _ = world.try_send(Request::new("POST", CHAT).json(long.to_string())).await;
        world.clock.pause(Duration::from_millis(1)).await;
        let short = world.post(CHAT, &user("final", &[])).await;
        assert_eq!(short.status, 200, "{fault}");
        // It is given away then.
        let missed = world.post(CHAT, &long).await;
        assert!(error_of(&missed)["message"].to_string().contains("request 2 used it"), "{fault}");
        assert!(!world.host.journal("default")[1].retry);
    }
}

#[tokio::test(start_paused = true)]
async fn a_turn_that_somebody_had_or_left_is_not_given_to_another_conversation() {
    let turn = json!({"id": "a", "hold": "gate", "answer": {"text": "hi"}});
    let world = playing(json!([turn])).await;
    world.leave_when_held("default", "gate", &user("one", &[])).await;
    assert_eq!(world.post(CHAT, &user("two", &[])).await.status, 400);
    world.host.release("default", "gate").unwrap();
    assert_eq!(world.post(CHAT, &user("one", &[])).await.status, 200);
    assert_eq!(world.post(CHAT, &user("three", &[])).await.status, 400);
}

#[tokio::test(start_paused = true)]
async fn a_miss_says_that_turns_which_repeat_want_something_else() {
    let world = playing(json!([
        {"id": "a", "answer": {"text": "a"}},
        {"id": "b", "repeat": true, "when": {"user_contains": "b"}, "answer": {"text": "b"}},
    ]))
    .await;
    world.post(CHAT, &user("b", &[])).await;
    world.post(CHAT, &user("b", &[])).await;
    let missed = error_of(&world.post(CHAT, &user("x", &[])).await)["message"].to_string();
    assert!(missed.contains("Every turn is used, and those that repeat want something else."), "{missed}");
}

#[tokio::test(start_paused = true)]
async fn secrets_are_in_no_form_of_the_journal() {
    let world = playing(json!([{"id": "a", "repeat": true, "answer": {"text": "a"}}])).await;
    let mut request =
        Request::new("POST", format!("{CHAT}?key=SECRET1&api_key=SECRET2&beta=true&sig=SECRET3"))
            .json(user("hi", &[]).to_string());
    for name in [
        "authorization",
        "cookie",
        "set-cookie",
        "x-api-key",
        "api-key",
        "x-goog-api-key",
        "proxy-authorization",
        "x-auth-token",
        "openai-api-key",
        "x-amz-security-token",
        "authentication",
        "x-secret",
        "helicone-auth",
        "cf-access-client-secret",
        "x-portkey-api-key",
        "x-csrf-token",
    ] {
        request = request.header(name, format!("SECRET-{name}"));
    }
    assert_eq!(world.send(request.header("x-session-id", "visible")).await.status, 200);
    for format in ["json", "jsonl", "har"] {
        for path in ["/_model/sessions/default/journal", "/_model/journal"] {
            let journal = world.send(Request::new("GET", format!("{path}?format={format}"))).await;
            let text = String::from_utf8_lossy(&journal.body).into_owned();
            assert!(!text.contains("SECRET"), "{format}: {text}");
            assert!(text.contains("visible") && text.contains("beta=true"), "{format}: {text}");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn the_clock_of_the_journal_started_once() {
    let world = playing(json!([{"id": "a", "repeat": true, "answer": {"text": "a"}}])).await;
    let mut heads = Vec::new();
    for _ in 0..3 {
        let journal = world.send(Request::new("GET", "/_model/sessions/default/journal?format=jsonl")).await;
        heads.push(String::from_utf8_lossy(&journal.body).lines().next().unwrap().to_owned());
        world.clock.pause(Duration::from_micros(777)).await;
    }
    assert_eq!(heads[0], heads[1]);
    assert_eq!(heads[1], heads[2]);
}

#[tokio::test(start_paused = true)]
async fn a_script_that_lost_its_line_ends_is_told_how_to_be_sent() {
    let world = World::new().await;
    for script in ["script: 1 name: x turns: - id: a", "# a comment script: 1"] {
        let put = Request::new("PUT", "/_model/sessions/k").json(script.to_owned());
        let response = world.send(put).await;
        assert_eq!(response.status, 400);
        let fix = error_of(&response)["problems"][0]["fix"].to_string();
        assert!(fix.contains("--data-binary"), "{script}: {}", error_of(&response));
    }
}

/// What the real API refuses, and what it takes.
#[tokio::test(start_paused = true)]
async fn a_strict_session_refuses_what_the_api_refuses() {
    let world = playing(json!([{"id": "a", "repeat": true, "answer": {"text": "a"}}])).await;
    let chat = |more: Value| {
        let mut body = user("say it", &[]);
        body.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        (CHAT, body)
    };
    let responses = |more: Value| {
        let mut body = json!({"model": "m", "input": "say it"});
        body.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        ("/v1/responses", body)
    };
    let messages = |more: Value| {
        let mut body =
            json!({"model": "m", "max_tokens": 3000, "messages": [{"role": "user", "content": "hi"}]});
        body.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        ("/v1/messages", body)
    };
    let json_object = json!({"type": "json_object"});
    let budget = |tokens: Value| json!({"type": "enabled", "budget_tokens": tokens});
    let tool = json!([{"name": "t", "input_schema": {"type": "object"}}]);
    for ((path, body), refused) in [
        (chat(json!({"tools": []})), Some("[] is too short - 'tools'")),
        (
            chat(json!({"stream_options": {"include_usage": true}})),
            Some("only allowed when `stream` is enabled"),
        ),
        (chat(json!({"stream_options": {"include_usage": true}, "stream": true})), None),
        (chat(json!({"stream_options": null})), None),
        (chat(json!({"response_format": json_object})), Some("must contain the word 'json'")),
        (
            chat(
                json!({"response_format": json_object, "messages": [{"role": "system", "content": "as JSON"}]}),
            ),
            None,
        ),
        (chat(json!({"n": 3})), None),
        (responses(json!({"tools": []})), None),
        (responses(json!({"text": {"format": json_object}})), Some("must contain the word 'json'")),
        (responses(json!({"text": {"format": json_object}, "instructions": "Json!"})), None),
        (messages(json!({"tools": []})), None),
        (messages(json!({"thinking": budget(json!(1023))})), Some("greater than or equal to 1024")),
        (messages(json!({"thinking": budget(json!("x"))})), Some("valid integer")),
        (messages(json!({"thinking": {"type": "enabled"}})), Some("Field required")),
        (
            messages(json!({"thinking": budget(json!(3000))})),
            Some("must be greater than `thinking.budget_tokens`"),
        ),
        (messages(json!({"thinking": budget(json!(3000)), "tools": tool})), None),
        (messages(json!({"thinking": budget(json!(2999))})), None),
    ] {
        let response = world.post(path, &body).await;
        let told = serde_json::from_slice::<Value>(&response.body).unwrap_or_default();
        let message = told["error"]["message"].as_str().unwrap_or_default().to_owned();
        match refused {
            Some(told) => assert!(response.status == 400 && message.contains(told), "{body}: {message}"),
            None => assert_eq!(response.status, 200, "{body}: {message}"),
        }
    }
    let (path, body) = messages(json!({}));
    let bare = world.send_as_it_is(Request::new("POST", path).json(body.to_string())).await;
    assert_eq!(
        (bare.status, &error_of(&bare)["message"]),
        (400, &json!("anthropic-version: header is required"))
    );
    let three = json_of(&world.post(CHAT, &chat(json!({"n": 3})).1).await);
    assert_eq!(three["choices"].as_array().unwrap().len(), 3);
}

/// The real API does not know an answer that it was not to store.
#[tokio::test(start_paused = true)]
async fn nobody_goes_on_from_an_answer_that_was_not_stored() {
    let turns = json!([{"id": "a", "repeat": true, "answer": {"text": "a"}}]);
    for (client, status) in [("strict", 400), ("lenient", 200)] {
        let world = World::new().await;
        let script = json!({"script": 1, "name": "stored", "client": client, "turns": turns});
        world.host.load_json("default", &script).unwrap();
        for (store, expected) in [(json!(true), 200), (json!(null), 200), (json!(false), status)] {
            let first = json!({"model": "m", "input": "hi", "store": store});
            let id = json_of(&world.post("/v1/responses", &first).await)["id"].clone();
            let next = json!({"model": "m", "input": "on", "previous_response_id": id});
            let response = world.post("/v1/responses", &next).await;
            assert_eq!(response.status, expected, "{client}, store {store}");
            if expected == 400 {
                assert_eq!(error_of(&response)["code"], "previous_response_not_found");
            }
        }
        let findings = world.host.journal("default").pop().unwrap().findings;
        assert_eq!(findings.len(), usize::from(client == "lenient"), "{findings:?}");
    }
}
