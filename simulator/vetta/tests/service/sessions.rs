use serde_json::{Value, json};

use crate::desk::{ADA, Desk, FUTURE, refusal};

#[tokio::test(start_paused = true)]
async fn a_session_is_started_listed_read_and_deleted() {
    let desk = Desk::shipped().await;
    let agent = desk.agent(ADA, json!({"harness": "sim-cli"})).await;
    let (status, session) = desk.post("/v1/sessions", json!({"agent": agent, "title": "t"})).await;
    assert_eq!(status, 201);
    assert_eq!(session["agent"], json!({"id": agent, "version": 1, "harness": "sim-cli"}));
    assert_eq!((&session["status"], &session["last_turn"]), (&json!("idle"), &Value::Null));
    let path = format!("/v1/sessions/{}", session["id"].as_str().unwrap());
    assert_eq!(desk.get(&path).await, (200, session.clone()));

    let other = desk.session("pi", json!({})).await;
    assert_eq!(desk.get("/v1/sessions").await.1["data"].as_array().unwrap().len(), 2);
    assert_eq!(desk.get(&format!("/v1/sessions?agent={agent}")).await.1["data"], json!([session]));
    assert_eq!(desk.get("/v1/sessions?agent=agent_nobody").await.1["data"], json!([]));
    let (_, page) = desk.get("/v1/sessions?limit=1").await;
    let (_, next) =
        desk.get(&format!("/v1/sessions?limit=1&cursor={}", page["next_cursor"].as_str().unwrap())).await;
    assert_eq!((&next["data"][0]["id"], &next["has_more"]), (&json!(other), &json!(false)));

    assert_eq!(desk.call(ADA, "DELETE", &path, None).await.0, 204);
    for (method, path) in [("GET", path.clone()), ("DELETE", path.clone()), ("GET", format!("{path}/events"))]
    {
        let answer = desk.call(ADA, method, &path, None).await;
        assert_eq!(refusal(&answer), (404, "session_not_found", Some("id")), "{method} {path}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_refused_start_names_the_harness_and_leaves_no_session() {
    let desk = Desk::shipped().await;
    let typed = json!({"structured_output_required": true, "structured_output_schema": {"type": "object"}});
    let ask = json!({"tools": {"permission": "ask"}});
    let nothing = json!({});
    for (key, base, agent, start, refused) in [
        (ADA, "sim-cli", &ask, &nothing, (400, "validation_failed", Some("harness"))),
        (ADA, "sim-iso-noask", &ask, &nothing, (400, "validation_failed", Some("harness"))),
        (ADA, "sim-cli", &nothing, &typed, (400, "validation_failed", Some("harness"))),
        (ADA, "sim-cli", &ask, &typed, (400, "validation_failed", Some("harness"))),
        (
            FUTURE,
            "sim-mute",
            &json!({"connections": ["c"]}),
            &nothing,
            (400, "validation_failed", Some("harness")),
        ),
        (ADA, "sim-dark", &nothing, &nothing, (501, "harness_not_runnable", Some("harness"))),
        (ADA, "sim-dark-cli", &ask, &nothing, (400, "validation_failed", Some("harness"))),
        (ADA, "sim-local", &ask, &nothing, (501, "harness_not_runnable", Some("harness"))),
    ] {
        let mut body = agent.clone();
        body["harness"] = json!(base);
        let id = desk.agent(key, body).await;
        let before = desk.call(key, "GET", &format!("/v1/agents/{id}"), None).await;
        let mut body = json!({"agent": id});
        body.as_object_mut().unwrap().extend(start.as_object().unwrap().clone());
        let answer = desk.call(key, "POST", "/v1/sessions", Some(body)).await;
        assert_eq!(refusal(&answer), refused, "{base}");
        assert_eq!(desk.call(key, "GET", "/v1/sessions", None).await.1["data"], json!([]), "{base}");
        assert_eq!(desk.call(key, "GET", &format!("/v1/agents/{id}"), None).await, before, "{base}");
    }
    let ask = desk.agent(ADA, json!({"harness": "sim-cli", "tools": {"permission": "ask"}})).await;
    let (_, body) = desk.post("/v1/sessions", json!({"agent": ask})).await;
    assert_eq!(body["error"]["details"], json!({"capability": "approvals", "base": "sim-cli"}));
}

#[tokio::test(start_paused = true)]
async fn every_start_is_judged_anew() {
    let desk = Desk::shipped().await;
    let agent = desk.agent(ADA, json!({"harness": "sim-cli"})).await;
    let (path, start) = (format!("/v1/agents/{agent}"), json!({"agent": agent}));
    for (patch, status) in [
        (json!({}), 201),
        (json!({"tools": {"permission": "ask"}}), 400),
        (json!({"harness": "pi"}), 201),
        (json!({"harness": "sim-dark"}), 501),
        (json!({"harness": "sim-iso-noask"}), 400),
        (json!({"tools": {"permission": "allow"}}), 201),
    ] {
        assert_eq!(desk.call(ADA, "PATCH", &path, Some(patch.clone())).await.0, 200);
        assert_eq!(desk.post("/v1/sessions", start.clone()).await.0, status, "after {patch}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_session_keeps_the_agent_that_was_admitted() {
    let desk = Desk::shipped().await;
    let agent = desk.agent(ADA, json!({"tools": {"permission": "ask"}})).await;
    let (_, session) = desk.post("/v1/sessions", json!({"agent": agent})).await;
    let path = format!("/v1/sessions/{}", session["id"].as_str().unwrap());
    desk.call(ADA, "PATCH", &format!("/v1/agents/{agent}"), Some(json!({"harness": "sim-cli"}))).await;
    assert_eq!(desk.get(&path).await, (200, session.clone()));
    desk.call(ADA, "DELETE", &format!("/v1/agents/{agent}"), None).await;
    assert_eq!(desk.get(&path).await, (200, session));
    let answer = desk.post("/v1/sessions", json!({"agent": agent})).await;
    assert_eq!(refusal(&answer), (404, "agent_not_found", Some("agent")));
}

/// The table moved with a release: the agent is readable, and its start says why it is refused.
#[tokio::test(start_paused = true)]
async fn a_base_that_a_release_took_away_refuses_the_start() {
    let desk = Desk::edited(|parts| {
        let resolve = parts.agents.resolve.clone();
        let asked = std::sync::atomic::AtomicUsize::new(0);
        parts.agents.resolve = std::sync::Arc::new(move |environment, base| {
            let first = asked.fetch_add(1, std::sync::atomic::Ordering::Relaxed) == 0;
            resolve(environment, base).filter(|_| first)
        });
    })
    .await;
    let agent = desk.agent(ADA, json!({"harness": "sim-byo"})).await;
    assert_eq!(desk.get(&format!("/v1/agents/{agent}")).await.0, 200);
    let answer = desk.post("/v1/sessions", json!({"agent": agent})).await;
    assert_eq!(refusal(&answer), (400, "validation_failed", Some("harness")));
}
