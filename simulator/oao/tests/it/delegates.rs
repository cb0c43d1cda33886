//! Delegates: child sessions, follow-up messages, the shared workspace, and limits.

use std::time::Duration;

use serde_json::{Value, json};

use crate::{
    model::{Asked, Says, call, finish, text},
    world::{World, config, operation, path},
};

/// A delegate's configuration, known by its system prompt.
fn worker(snapshot: &str) -> Value {
    let mut config = config(&[]);
    config["systemPrompt"] = json!(format!("Review on {snapshot}."));
    config["sandbox"]["snapshotId"] = json!(snapshot);
    config
}

fn is_worker(asked: &Asked) -> bool {
    asked.body["messages"][0]["content"].as_str().is_some_and(|text| text.starts_with("Review on"))
}

fn last(asked: &Asked) -> &str {
    let messages = asked.body["messages"].as_array().unwrap();
    messages.last().unwrap()["content"].as_str().unwrap_or_default()
}

/// Publishes a delegate per snapshot, called `d0`, `d1`, and an agent that has them.
async fn agent(world: &World, snapshots: &[&str], max_parallel: u64, operations: &[Value]) -> Value {
    let mut delegates = Vec::new();
    for (at, snapshot) in snapshots.iter().enumerate() {
        let version = world.publish(&worker(snapshot)).await.expect(201)["latestVersionId"].clone();
        delegates.push(json!({
            "key": format!("d{at}"), "description": "Reviews.", "agentVersionId": version,
            "maxParallel": max_parallel,
        }));
    }
    let mut config = config(operations);
    config["delegates"] = json!(delegates);
    world.publish(&config).await.expect(201)
}

fn to(id: &'static str, key: &'static str, task: &str) -> (&'static str, &'static str, Value) {
    (id, "delegate_agent", json!({"key": key, "task": task}))
}

#[tokio::test(start_paused = true)]
async fn a_child_is_a_session_that_goes_on() {
    let world = World::with(Box::new(|asked| match (is_worker(asked), last(asked)) {
        (true, task) => text(&format!("answer to {task}")),
        (false, "Begin.") => call(&[to("c1", "d0", "first")]),
        (false, "Again.") => call(&[("m1", "message_agent", json!({"key": "d0", "message": "second"}))]),
        _ => text("done"),
    }))
    .await;
    let agent = agent(&world, &["base"], 1, &[]).await;
    let session = world.session(&agent, "Begin.").await;
    let id = session["id"].as_str().unwrap();
    let listed = world.get(&path("sessions")).await.expect(200)["data"].as_array().unwrap().clone();
    let child = listed.iter().find(|row| row["parentSessionId"] == id).unwrap();
    assert_eq!((listed.len(), &child["status"]), (2, &json!("completed")));

    let run =
        world.post(&path(&format!("sessions/{id}/runs")), &json!({"message": "Again."})).await.expect(202);
    world.settled(run["id"].as_str().unwrap()).await;
    let asked = world.model.as_ref().unwrap().asked();
    let second = asked.iter().rfind(|asked| is_worker(asked)).unwrap().body["messages"].to_string();
    for said in ["first", "answer to first", "second"] {
        assert!(second.contains(said), "{said}: {second}");
    }
    assert!(last(asked.last().unwrap()).contains("answer to second"));
    let detail = world.get(&path(&format!("sessions/{id}"))).await.expect(200);
    let delegations = detail["delegations"].as_array().unwrap();
    assert_eq!((delegations.len(), &delegations[0]["sessionId"]), (1, &child["id"]));
    // The child has runs and events of its own.
    let child = world.get(&path(&format!("sessions/{}", child["id"].as_str().unwrap()))).await.expect(200);
    assert_eq!(child["runs"].as_array().unwrap().len(), 2);
    assert!(!child["debug"]["productEvents"].as_array().unwrap().is_empty());
    // Whoever may write to a session may write to this one.
    let path = path(&format!("sessions/{}/runs", child["id"].as_str().unwrap()));
    world.post(&path, &json!({"message": "third"})).await.expect(202);
}

#[tokio::test(start_paused = true)]
async fn one_sandbox_identity_is_one_workspace() {
    let world = World::with(Box::new(|asked| match (is_worker(asked), asked.turn) {
        (true, 0) => call(&[("r", "read", json!({"path": "root.txt"}))]),
        (true, _) => text(last(asked)),
        (false, 0) => call(&[to("c1", "d0", "same"), to("c2", "d1", "other")]),
        _ => text("done"),
    }))
    .await;
    let agent = agent(&world, &["base", "elsewhere"], 1, &[]).await;
    let session = world.session(&agent, "Begin.").await;
    let detail = world.get(&path(&format!("sessions/{}", session["id"].as_str().unwrap()))).await.expect(200);
    let shared: Vec<&Value> =
        detail["delegations"].as_array().unwrap().iter().map(|row| &row["workspaceShared"]).collect();
    assert_eq!(shared, [&json!(true), &json!(false)]);
}

/// Two calls of one delegate, each of which keeps the model busy for a second.
async fn two_calls(max_parallel: u64) -> World {
    let world = World::with(Box::new(|asked| match (is_worker(asked), asked.turn) {
        (true, _) => text("answer").after(1000),
        (false, 0) => call(&[to("c1", "d0", "one"), to("c2", "d0", "two")]),
        _ => text("done"),
    }))
    .await;
    let agent = agent(&world, &["base"], max_parallel, &[]).await;
    world.session(&agent, "Begin.").await;
    world
}

#[tokio::test(start_paused = true)]
async fn no_more_children_than_allowed_work_at_once() {
    for (max_parallel, apart) in [(1, 1000), (2, 0)] {
        let world = two_calls(max_parallel).await;
        let model = world.model.as_ref().unwrap();
        let times = model.times_ms();
        let children: Vec<u64> = model
            .asked()
            .iter()
            .zip(times)
            .filter(|(asked, _)| is_worker(asked))
            .map(|(_, time)| time)
            .collect();
        assert_eq!(children[1] - children[0], apart, "maxParallel {max_parallel}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_parent_that_is_called_off_calls_its_child_off() {
    let world = World::with(Box::new(|asked| match (is_worker(asked), asked.turn) {
        (true, _) => text("answer").after(60_000),
        _ => call(&[to("c1", "d0", "long")]),
    }))
    .await;
    let agent = agent(&world, &["base"], 1, &[]).await;
    let body = json!({"agentId": agent["id"], "initialMessage": "Begin."});
    let session = world.post(&path("sessions"), &body).await.expect(201);
    world.clock.pause(Duration::from_secs(5)).await;
    let run = session["latestRunId"].as_str().unwrap();
    world.post(&path(&format!("runs/{run}/cancel")), &json!({})).await.expect(202);
    assert_eq!(world.settled(run).await["state"], "cancelled");
    let listed = world.get(&path("sessions")).await.expect(200);
    for row in listed["data"].as_array().unwrap() {
        assert_eq!(row["status"], "cancelled", "{row}");
    }
}

#[tokio::test(start_paused = true)]
async fn bad_calls_are_tool_errors() {
    let bad = [
        ("b1", "delegate_agent", json!({"key": "nobody", "task": "t"})),
        ("b2", "delegate_agent", json!({"key": "d0"})),
        ("b3", "delegate_agent", json!({"key": "d0", "task": ""})),
        ("b4", "message_agent", json!({"message": "m"})),
        ("b5", "message_agent", json!({"key": "d0", "message": "m"})),
        ("b6", "message_agent", json!({"sessionId": "no-session", "message": "m"})),
    ];
    let calls = bad.clone();
    let world =
        World::with(Box::new(move |asked| if asked.turn == 0 { call(&calls) } else { text("done") })).await;
    let agent = agent(&world, &["base"], 1, &[]).await;
    let session = world.session(&agent, "Begin.").await;
    let told = world.model.as_ref().unwrap().asked();
    assert_eq!(told.last().unwrap().tool_results().len(), bad.len());
    assert_eq!(world.get(&path("sessions")).await.expect(200)["data"].as_array().unwrap().len(), 1);
    let run = world.settled(session["latestRunId"].as_str().unwrap()).await;
    assert_eq!(run["state"], "completed");
}

#[tokio::test(start_paused = true)]
async fn a_scratch_loop_may_delegate_and_a_failing_child_is_a_tool_error() {
    fn says(asked: &Asked) -> Says {
        match (is_worker(asked), &asked.operation, asked.turn) {
            (true, ..) if last(asked) == "bad" => crate::model::filtered(),
            (true, ..) => text("fine"),
            (_, Some(_), 0) => call(&[to("c1", "d0", "good"), to("c2", "d0", "bad")]),
            (_, Some(_), _) => finish("f", "42"),
            (_, None, 0) => call(&[("o", "sum", json!({"task": "t"}))]),
            _ => text("done"),
        }
    }
    let world = World::with(Box::new(says)).await;
    let agent = agent(&world, &["base"], 2, &[operation("sum")]).await;
    world.session(&agent, "Begin.").await;
    let inside = world.model.as_ref().unwrap().inner();
    let results = inside[1].tool_results();
    assert!(results[0].1.contains("fine") && results[1].1.contains("failed"), "{results:?}");
    assert!(world.model.as_ref().unwrap().parent().last().unwrap().body.to_string().contains("42"));
}
