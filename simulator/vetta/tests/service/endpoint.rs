//! The tool endpoint of a session, over HTTP.

use serde_json::{Value, json};
use wire::http::{Request, Response};

use crate::desk::{ADA, Desk};

fn ping() -> String {
    json!({"jsonrpc": "2.0", "id": 1, "method": "ping"}).to_string()
}

fn post(path: &str, token: &str) -> Request {
    Request::new("POST", path)
        .header("authorization", format!("Bearer {token}"))
        .header("accept", "application/json, text/event-stream")
        .json(ping())
}

fn error_code(response: &Response) -> (u16, String) {
    let body: Value = serde_json::from_slice(&response.body).unwrap();
    (response.status, body["error"]["code"].as_str().unwrap().to_owned())
}

async fn second_road(desk: &Desk) -> (String, String, String) {
    let session = desk.session("sim-cli", json!({})).await;
    let (path, token) = desk.service.tool_endpoint(&session).unwrap();
    (session, path, token)
}

#[tokio::test(start_paused = true)]
async fn a_token_opens_the_endpoint_of_its_own_session_and_nothing_else() {
    let desk = Desk::shipped().await;
    let (first, path, token) = second_road(&desk).await;
    let (second, other_path, other_token) = second_road(&desk).await;
    assert_eq!(path, format!("/v1/sessions/{first}/tools/mcp"));
    assert_ne!(token, other_token);

    let answer = desk.send(&post(&path, &token)).await;
    assert_eq!(answer.status, 200);
    assert_eq!(answer.body, json!({"jsonrpc": "2.0", "id": 1, "result": {}}).to_string());

    for wrong in ["", "nothing", ADA, &token[1..]] {
        let answer = desk.send(&post(&path, wrong)).await;
        assert_eq!(error_code(&answer), (401, "invalid_api_key".to_owned()), "{wrong}");
        assert!(answer.headers.contains(&("www-authenticate".to_owned(), "Bearer".to_owned())));
    }
    let bare = Request::new("POST", &path).json(ping());
    assert_eq!(desk.send(&bare).await.status, 401);
    for foreign in [&other_path, "/v1/sessions/sess_none/tools/mcp"] {
        assert_eq!(error_code(&desk.send(&post(foreign, &token)).await).0, 404, "{foreign}");
    }
    let key = Request::new("GET", "/v1/harnesses").header("authorization", format!("Bearer {token}"));
    assert_eq!(desk.send(&key).await.status, 401, "a token is no API key");

    assert_eq!(desk.call(ADA, "DELETE", &format!("/v1/sessions/{first}"), None).await.0, 204);
    assert_eq!(desk.send(&post(&path, &token)).await.status, 401, "the session is over");
    assert_eq!(desk.service.tool_endpoint(&first), None);
    assert_eq!(desk.send(&post(&other_path, &other_token)).await.status, 200);
    assert!(desk.service.tool_endpoint(&second).is_some());
}

#[tokio::test(start_paused = true)]
async fn a_session_on_the_first_road_has_no_endpoint() {
    let desk = Desk::shipped().await;
    let session = desk.session("pi", json!({})).await;
    assert_eq!(desk.service.tool_endpoint(&session), None);
    let answer = desk.send(&post(&format!("/v1/sessions/{session}/tools/mcp"), ADA)).await;
    assert_eq!(answer.status, 401);
}

#[tokio::test(start_paused = true)]
async fn requests_keep_to_the_transport() {
    let desk = Desk::shipped().await;
    let (_, path, token) = second_road(&desk).await;
    let with = |name: &str, value: &str| post(&path, &token).header(name, value);
    for (request, wanted) in [
        (with("origin", "http://localhost:6274"), 200),
        (with("origin", "http://evil.example.com"), 403),
        (with("origin", "null"), 403),
        (with("mcp-protocol-version", "2025-06-18"), 200),
        (with("mcp-protocol-version", "2026-07-28"), 400),
        (with("mcp-session-id", "whatever"), 200),
    ] {
        assert_eq!(desk.send(&request).await.status, wanted, "{request:?}");
    }

    let bearer =
        |method: &str| Request::new(method, &path).header("authorization", format!("Bearer {token}"));
    for method in ["GET", "DELETE", "PUT", "OPTIONS"] {
        let answer = desk.send(&bearer(method)).await;
        assert_eq!(answer.status, 405, "{method}");
        assert!(answer.headers.contains(&("allow".to_owned(), "POST".to_owned())), "{method}");
    }

    for (accept, wanted) in [
        ("application/json", 200),
        ("*/*", 200),
        ("text/event-stream, application/json;q=0.5", 200),
        ("text/event-stream", 406),
        ("text/html", 406),
    ] {
        let request = bearer("POST").header("accept", accept).json(ping());
        assert_eq!(desk.send(&request).await.status, wanted, "{accept}");
    }
    assert_eq!(desk.send(&bearer("POST").json(ping())).await.status, 200, "no header accepts anything");
    for (media, wanted) in [("Application/JSON; charset=utf-8", 200), ("text/plain", 415)] {
        let mut request = bearer("POST").header("content-type", media);
        request.body = Some(ping().into());
        assert_eq!(desk.send(&request).await.status, wanted, "{media}");
    }
    let large = bearer("POST").json(vec![b' '; 1024 * 1024 + 1]);
    assert_eq!(desk.send(&large).await.status, 413);
}
