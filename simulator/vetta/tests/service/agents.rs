use serde_json::{Value, json};
use wire::http::Request;

use crate::desk::{ADA, Desk, FUTURE, refusal};

#[tokio::test(start_paused = true)]
async fn an_agent_is_written_read_changed_and_deleted() {
    let desk = Desk::shipped().await;
    let body = json!({
        "name": "desk", "model": "sim-1", "harness": "vetta", "system": "Be brief.",
        "tools": {"permission": "ask", "overrides": {"shell": "deny"}},
        "mcp_servers": [{"name": "tickets", "url": "http://127.0.0.1:9/mcp"}],
        "connections": ["conn_1"],
        "multiagent": {"type": "coordinator", "agents": ["agent_2"]},
        "metadata": {"k": [1, null]},
    });
    let (status, agent) = desk.post("/v1/agents", body.clone()).await;
    assert_eq!(status, 201);
    for (name, value) in body.as_object().unwrap() {
        assert_eq!(&agent[name], value, "{name}");
    }
    assert_eq!((&agent["version"], &agent["object"]), (&json!(1), &json!("agent")));
    assert_eq!(agent["created_at"], "2026-01-05T09:00:00.000Z");
    let path = format!("/v1/agents/{}", agent["id"].as_str().unwrap());
    assert_eq!(desk.get(&path).await, (200, agent.clone()));
    assert_eq!(desk.get("/v1/agents").await.1["data"], json!([agent]));

    desk.clock.pause(std::time::Duration::from_secs(2)).await;
    let (status, changed) = desk.call(ADA, "PATCH", &path, Some(json!({"harness": "sim-cli"}))).await;
    assert_eq!(status, 200);
    let mut expected = agent;
    expected["harness"] = json!("sim-cli");
    expected["version"] = json!(2);
    expected["updated_at"] = json!("2026-01-05T09:00:02.000Z");
    assert_eq!(changed, expected);
    assert_eq!(desk.get(&path).await, (200, changed));

    assert_eq!(desk.call(ADA, "DELETE", &path, None).await.0, 204);
    assert_eq!(refusal(&desk.get(&path).await), (404, "agent_not_found", Some("id")));
    assert_eq!(desk.call(ADA, "DELETE", &path, None).await.0, 404);
}

#[tokio::test(start_paused = true)]
async fn every_published_base_is_stored_as_written_and_no_other_word_is() {
    let desk = Desk::shipped().await;
    let (_, list) = desk.get("/v1/harnesses").await;
    let mut keys = Vec::new();
    for row in list["data"].as_array().unwrap() {
        let (status, agent) =
            desk.post("/v1/agents", json!({"name": "a", "model": "m", "harness": row["base"]})).await;
        assert_eq!((status, &agent["harness"]), (201, &row["base"]));
        keys.push(agent.as_object().unwrap().keys().cloned().collect::<Vec<_>>());
        let label =
            desk.post("/v1/agents", json!({"name": "a", "model": "m", "harness": row["label"]})).await;
        assert_eq!(refusal(&label), (400, "validation_failed", Some("harness")), "{row}");
    }
    keys.dedup();
    assert_eq!(keys.len(), 1, "agents have the same members on every loop");
    for word in ["PI", "pi ", "sim-soon", "sim-mute", "nobody"] {
        let answer = desk.post("/v1/agents", json!({"name": "a", "model": "m", "harness": word})).await;
        assert_eq!(refusal(&answer), (400, "validation_failed", Some("harness")), "{word}");
    }
    assert_eq!(desk.get("/v1/agents").await.1["data"].as_array().unwrap().len(), 8);
}

#[tokio::test(start_paused = true)]
async fn the_guards_stand_on_both_verbs_and_leave_nothing_behind() {
    let desk = Desk::shipped().await;
    let team = json!({"multiagent": {"type": "coordinator", "agents": ["agent_2"]}});
    let servers = json!({"mcp_servers": [{"name": "t", "url": "http://127.0.0.1:9/mcp"}]});
    for (extra, param) in [(team, "multiagent"), (servers, "mcp_servers")] {
        let mut body = json!({"name": "a", "model": "m", "harness": "sim-mute"});
        body.as_object_mut().unwrap().extend(extra.as_object().unwrap().clone());
        let before = desk.call(FUTURE, "GET", "/v1/agents", None).await;
        let answer = desk.call(FUTURE, "POST", "/v1/agents", Some(body)).await;
        assert_eq!(refusal(&answer), (400, "validation_failed", Some(param)));
        assert_eq!(desk.call(FUTURE, "GET", "/v1/agents", None).await, before);

        let mute = desk.agent(FUTURE, json!({"harness": "sim-mute"})).await;
        let loud = desk.agent(FUTURE, extra.clone()).await;
        let mut to_mute = extra;
        to_mute["name"] = json!("other");
        for (id, patch) in [(mute, to_mute), (loud, json!({"name": "other", "harness": "sim-mute"}))] {
            let path = format!("/v1/agents/{id}");
            let before = desk.call(FUTURE, "GET", &path, None).await;
            let answer = desk.call(FUTURE, "PATCH", &path, Some(patch)).await;
            assert_eq!(refusal(&answer), (400, "validation_failed", Some(param)));
            assert_eq!(desk.call(FUTURE, "GET", &path, None).await, before);
        }
    }
}

#[tokio::test(start_paused = true)]
async fn agents_come_in_pages() {
    let desk = Desk::shipped().await;
    let mut ids = Vec::new();
    for _ in 0..25 {
        ids.push(Value::from(desk.agent(ADA, json!({})).await));
    }
    let (_, first) = desk.get("/v1/agents").await;
    assert_eq!((first["data"].as_array().unwrap().len(), &first["has_more"]), (20, &json!(true)));
    let (_, second) =
        desk.get(&format!("/v1/agents?cursor={}", first["next_cursor"].as_str().unwrap())).await;
    let seen: Vec<Value> = [&first, &second]
        .iter()
        .flat_map(|page| page["data"].as_array().unwrap())
        .map(|agent| agent["id"].clone())
        .collect();
    assert_eq!(seen, ids);
    assert_eq!(second["next_cursor"], Value::Null);
}

#[tokio::test(start_paused = true)]
async fn a_body_that_is_no_object_is_refused() {
    let desk = Desk::shipped().await;
    for body in ["", "{", "[]", "null", "\"x\"", "{\"name\":\"a\",}", "\u{0}"] {
        let request =
            Request::new("POST", "/v1/agents").header("authorization", format!("Bearer {ADA}")).json(body);
        assert_eq!(desk.send(&request).await.status, 400, "{body}");
    }
    let long = format!("{{\"name\":\"{}\"}}", "x".repeat(1024 * 1024));
    let request =
        Request::new("POST", "/v1/agents").header("authorization", format!("Bearer {ADA}")).json(long);
    assert_eq!(desk.send(&request).await.status, 413);
    let faults = desk.post("/v1/agents", json!({"model": 1, "later": true})).await;
    assert_eq!(refusal(&faults).2, Some("name"));
    assert_eq!(faults.1["error"]["details"]["faults"].as_array().unwrap().len(), 3);
}
