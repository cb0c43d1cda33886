//! Upstreams that fail: the client sees it as it happens, and the script stays sound.

use std::time::Duration;

use model::record::Fate;
use serde_json::{Value, json};
use wire::http::{Failure, Request};

use super::studio::{Studio, answer, chunked, post, saying};
use crate::client::json_of;

const PATHS: [&str; 3] = ["/v1/chat/completions", "/v1/responses", "/v1/messages"];

fn asked(stream: bool) -> Value {
    json!({"model": "m", "max_tokens": 9, "stream": stream, "input": "hi", "messages": [{"role": "user", "content": "hi"}]})
}

#[tokio::test(start_paused = true)]
async fn an_upstream_that_is_not_there_is_told_in_the_words_of_the_wire() {
    let studio = Studio::new().await;
    for path in PATHS {
        let response = studio.post(path, &asked(true)).await;
        assert_eq!(response.status, 502);
        let body = json_of(&response);
        let message = body["error"]["message"].as_str().unwrap();
        assert!(
            message.starts_with("the upstream http://upstream.test:80 does not answer: cannot connect to"),
            "{message}"
        );
        let kind = if path == "/v1/messages" { "api_error" } else { "server_error" };
        assert_eq!(body["error"]["type"], kind);
    }
    assert!(studio.fates().iter().all(|fate| matches!(fate, Fate::Unreachable(_))));
    // Nothing is lost: once it is there, it goes on.
    let whole = json!({"choices": [{"message": {"content": "hi"}, "finish_reason": "stop"}]});
    studio.canned(vec![answer("200 OK", "application/json", &whole.to_string())]).await;
    assert_eq!(studio.post(PATHS[0], &asked(false)).await.status, 200);
    assert_eq!(studio.recorder.report().recorded, 1);
}

#[tokio::test(start_paused = true)]
async fn an_upstream_that_thinks_for_too_long_is_given_up() {
    let studio = Studio::with(|options| options.head = Duration::from_secs(30)).await;
    let _silent = studio.net.listen(super::studio::UPSTREAM).await.unwrap();
    let response = studio.post(PATHS[0], &asked(false)).await;
    assert_eq!(response.status, 504);
    assert_eq!(studio.clock.elapsed().as_secs(), 30);
}

#[tokio::test(start_paused = true)]
async fn an_answer_that_is_cut_off_is_cut_off_for_the_client_and_not_recorded() {
    let studio = Studio::new().await;
    let half = saying("Hel");
    studio
        .canned(vec![
            chunked(&[&half], false),
            chunked(&[&half], true),
            b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 500\r\n\r\n{\"choices\": [".to_vec(),
            b"HTTP/1.1 200 OK\r\n".to_vec(),
        ])
        .await;
    let cut = studio.try_send(post(PATHS[0], &asked(true))).await;
    assert!(matches!(cut, Err(Failure::Broken(_))), "{cut:?}");
    // A clean end without a reason for it is no whole answer either.
    assert_eq!(studio.post(PATHS[0], &asked(true)).await.body, half.as_bytes());
    let cut = studio.try_send(post(PATHS[0], &asked(false))).await;
    assert!(matches!(cut, Err(Failure::Broken(_))), "{cut:?}");
    assert_eq!(studio.post(PATHS[0], &asked(false)).await.status, 502);
    studio.until_told(4).await;
    let told = studio.told();
    assert!(told[0].contains("not recorded, the upstream broke off"), "{told:?}");
    assert!(told[1].contains("not recorded, the upstream ended its answer before it was whole"), "{told:?}");
    assert!(told[2].contains("not recorded, the upstream broke off"), "{told:?}");
    assert!(told[3].contains("does not answer: the connection broke"), "{told:?}");
    assert!(!studio.file().exists());
}

#[tokio::test(start_paused = true)]
async fn an_answer_that_cannot_be_read_goes_through_and_is_not_recorded() {
    let studio = Studio::new().await;
    let whole = |body: &str| answer("200 OK", "application/json", body);
    let patch = json!({"status": "completed", "output": [{"type": "custom_tool_call", "call_id": "c"}]});
    let nameless =
        json!({"choices": [{"message": {"tool_calls": [{"id": "c", "function": {"arguments": "{}"}}]}}]});
    let cases = [
        (PATHS[0], false, whole("{\"choices\": [{\"mess"), "the answer is no JSON: "),
        (PATHS[0], false, whole("{}"), "the answer has no `choices`"),
        (PATHS[1], false, whole("{\"status\": \"completed\"}"), "the answer has no `output`"),
        (PATHS[2], false, whole("[]"), "the answer has no `content`"),
        (PATHS[0], false, whole("{\"error\": {\"message\": \"no\"}}"), "an error with the status 200: no"),
        (PATHS[1], false, whole(&patch.to_string()), "a call of type `custom_tool_call`"),
        (PATHS[0], false, whole(&nameless.to_string()), "a script cannot say it: "),
        (
            PATHS[0],
            true,
            chunked(&["data: {\"choices\": [{\n\n", "data: [DONE]\n\n"], true),
            "event 0 carries no JSON",
        ),
        (PATHS[0], false, answer("302 Found", "text/html", "moved"), "the status 302 is neither"),
    ];
    let answers = cases.iter().map(|case| case.2.clone()).collect();
    studio.canned(answers).await;
    for (number, (path, stream, bytes, expected)) in cases.iter().enumerate() {
        let response = studio.post(path, &asked(*stream)).await;
        let body = std::str::from_utf8(&response.body).unwrap();
        assert!(*stream || String::from_utf8_lossy(bytes).ends_with(body), "{body}");
        let Fate::Unreadable(why) = &studio.fates()[number] else { panic!("{:?}", studio.told()) };
        assert!(why.contains(expected), "{why}");
    }
    assert!(!studio.file().exists());
}

#[tokio::test(start_paused = true)]
async fn a_compressed_answer_goes_through_and_is_not_recorded() {
    let studio = Studio::new().await;
    let bytes = b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-encoding: gzip\r\ncontent-length: 3\r\n\r\n\x1f\x8b\x08";
    studio.canned(vec![bytes.to_vec()]).await;
    let response = studio.post(PATHS[0], &asked(false)).await;
    assert_eq!(&response.body[..], b"\x1f\x8b\x08");
    assert!(matches!(&studio.fates()[0], Fate::Unreadable(why) if why.contains("compressed")));
}

#[tokio::test(start_paused = true)]
async fn a_request_that_cannot_be_read_is_passed_on_and_told_of() {
    let studio = Studio::new().await;
    studio.canned(vec![answer("400 Bad Request", "application/json", "{\"error\": {}}")]).await;
    let response = studio.send(Request::new("POST", PATHS[0]).json("{\"model\": ")).await;
    assert_eq!((response.status, &response.body[..]), (400, &b"{\"error\": {}}"[..]));
    let told = studio.told();
    assert!(told[0].contains("400: not recorded, the request cannot be read: "), "{told:?}");
}

#[tokio::test(start_paused = true)]
async fn what_a_script_cannot_say_is_told_of_and_the_rest_is_recorded() {
    let studio = Studio::new().await;
    let body = json!({"content": [{"type": "redacted_thinking", "data": "x"}, {"type": "text", "text": "Hi."}], "stop_reason": "end_turn"});
    studio.canned(vec![answer("200 OK", "application/json", &body.to_string())]).await;
    studio.post(PATHS[2], &asked(false)).await;
    assert_eq!(
        studio.told(),
        ["0 POST /v1/messages 200: recorded as hi/turn-1; left out: a block of type `redacted_thinking`"]
    );
    let report = studio.recorder.report().to_string();
    assert!(report.starts_with("1 exchange recorded in ") && report.contains("left out"), "{report}");
}
