use serde_json::json;
use wire::http::Request;

use crate::desk::{ADA, BEN, Desk, FUTURE, refusal};

#[tokio::test(start_paused = true)]
async fn nobody_gets_in_without_a_key() {
    let desk = Desk::shipped().await;
    for path in
        ["/v1/harnesses", "/v1/harnesses/pi", "/v1/models", "/v1/agents", "/v1/sessions", "/v1/nothing"]
    {
        for header in [None, Some("Bearer nobody"), Some("Basic sk_sim_ada")] {
            let mut request = Request::new("GET", path);
            if let Some(header) = header {
                request = request.header("authorization", header);
            }
            let response = desk.send(&request).await;
            assert_eq!(response.status, 401, "{path} with {header:?}");
            let body: serde_json::Value = serde_json::from_slice(&response.body).unwrap();
            assert_eq!(body["error"]["type"], "authentication_error");
            assert!(response.headers.contains(&("www-authenticate".into(), "Bearer".into())));
        }
    }
}

#[tokio::test(start_paused = true)]
async fn the_name_of_the_header_may_be_spelled_either_way() {
    let desk = Desk::shipped().await;
    for title_case in [false, true] {
        let mut request =
            Request::new("GET", "/v1/harnesses").header("authorization", format!("Bearer {ADA}"));
        request.title_case = title_case;
        assert_eq!(desk.send(&request).await.status, 200);
    }
}

#[tokio::test(start_paused = true)]
async fn objects_are_invisible_to_other_accounts_and_environments() {
    let desk = Desk::shipped().await;
    let agent = desk.agent(ADA, json!({})).await;
    let (_, session) = desk.post("/v1/sessions", json!({"agent": agent})).await;
    let session = session["id"].as_str().unwrap();
    for key in [BEN, FUTURE] {
        for path in ["/v1/agents", "/v1/sessions"] {
            assert_eq!(desk.call(key, "GET", path, None).await.1["data"], json!([]), "{path}");
        }
        for (method, path) in [
            ("GET", format!("/v1/agents/{agent}")),
            ("DELETE", format!("/v1/agents/{agent}")),
            ("GET", format!("/v1/sessions/{session}")),
            ("GET", format!("/v1/sessions/{session}/events")),
            ("DELETE", format!("/v1/sessions/{session}")),
        ] {
            assert_eq!(desk.call(key, method, &path, None).await.0, 404, "{method} {path}");
        }
        let start = desk.call(key, "POST", "/v1/sessions", Some(json!({"agent": agent}))).await;
        assert_eq!(refusal(&start), (404, "agent_not_found", Some("agent")));
        let patch = desk.call(key, "PATCH", &format!("/v1/agents/{agent}"), Some(json!({"name": "x"}))).await;
        assert_eq!(patch.0, 404);
        let message = json!({"content": "hi"});
        assert_eq!(
            desk.call(key, "POST", &format!("/v1/sessions/{session}/messages"), Some(message)).await.0,
            404
        );
    }
}
