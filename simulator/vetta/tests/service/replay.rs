use serde_json::{Value, json};
use wire::http::{Request, Response};

use crate::desk::{ADA, BEN, Desk};

async fn post(desk: &Desk, key: &str, path: &str, once: &str, body: &Value) -> Response {
    let request = Request::new("POST", path)
        .header("authorization", format!("Bearer {key}"))
        .header("Idempotency-Key", once)
        .json(body.to_string());
    desk.send(&request).await
}

fn code(response: &Response) -> (u16, String) {
    let body: Value = serde_json::from_slice(&response.body).unwrap();
    (response.status, body["error"]["code"].as_str().unwrap().to_owned())
}

#[tokio::test(start_paused = true)]
async fn a_write_with_a_key_has_one_effect_and_one_answer() {
    let desk = Desk::shipped().await;
    let body = json!({"name": "a", "model": "m"});
    let first = post(&desk, ADA, "/v1/agents", "k1", &body).await;
    let second = post(&desk, ADA, "/v1/agents", "k1", &body).await;
    assert_eq!((first.status, &first.body), (second.status, &second.body));
    assert!(second.headers.contains(&("idempotency-replayed".into(), "true".into())));
    assert_eq!(desk.get("/v1/agents").await.1["data"].as_array().unwrap().len(), 1);

    let other = json!({"name": "b", "model": "m"});
    let reused = (409, "idempotency_key_reused".to_owned());
    assert_eq!(code(&post(&desk, ADA, "/v1/agents", "k1", &other).await), reused);
    assert_eq!(code(&post(&desk, ADA, "/v1/sessions", "k1", &body).await), reused);
    assert_eq!(post(&desk, ADA, "/v1/agents", "k2", &other).await.status, 201);
    assert_eq!(post(&desk, BEN, "/v1/agents", "k1", &other).await.status, 201, "keys belong to an account");
}

#[tokio::test(start_paused = true)]
async fn a_message_with_a_key_is_one_turn() {
    let desk = Desk::shipped().await;
    let session = desk.session("pi", json!({})).await;
    let (path, body) = (format!("/v1/sessions/{session}/messages"), json!({"content": "hello"}));
    let first = post(&desk, ADA, &path, "k", &body).await;
    desk.stream(&session, None).await.until("session.status").await;
    assert_eq!(post(&desk, ADA, &path, "k", &body).await.body, first.body);
    let started = desk.events(&session).await.iter().filter(|event| event["type"] == "turn.started").count();
    assert_eq!(started, 1);
}

#[tokio::test(start_paused = true)]
async fn a_refusal_is_not_kept() {
    let desk = Desk::shipped().await;
    let agent = desk.agent(ADA, json!({"harness": "sim-cli", "tools": {"permission": "ask"}})).await;
    let start = json!({"agent": agent});
    assert_eq!(post(&desk, ADA, "/v1/sessions", "k", &start).await.status, 400);
    desk.call(ADA, "PATCH", &format!("/v1/agents/{agent}"), Some(json!({"harness": "pi"}))).await;
    assert_eq!(post(&desk, ADA, "/v1/sessions", "k", &start).await.status, 201);
}

#[tokio::test(start_paused = true)]
async fn a_key_has_a_length() {
    let desk = Desk::shipped().await;
    let body = json!({"name": "a", "model": "m"});
    for once in [String::new(), "x".repeat(256)] {
        assert_eq!(code(&post(&desk, ADA, "/v1/agents", &once, &body).await).0, 400);
    }
    assert_eq!(post(&desk, ADA, "/v1/agents", &"x".repeat(255), &body).await.status, 201);
}
