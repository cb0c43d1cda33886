//! Sessions, runs and messages.

use serde_json::{Value, json};

use crate::{
    model::{call, text},
    world::{SANDBOX_TOOLS, World, config, operation, path},
};

#[tokio::test(start_paused = true)]
async fn a_run_goes_from_the_queue_to_its_end() {
    let world = World::with(Box::new(|_| text("hello").after(2000))).await;
    let agent = world.publish(&config(&[])).await.expect(201);
    let body = json!({"agentId": agent["id"], "initialMessage": "hi", "title": "t"});
    let session = world.post(&path("sessions"), &body).await.expect(201);
    assert_eq!(
        (session["status"].as_str(), session["run"]["state"].as_str()),
        (Some("queued"), Some("queued"))
    );
    assert_eq!(session["latestRunId"], session["run"]["id"]);
    let run_id = session["latestRunId"].as_str().unwrap();
    let running = world.get(&path(&format!("runs/{run_id}"))).await.expect(200);
    assert_eq!((running["state"].as_str(), &running["settledAt"]), (Some("running"), &Value::Null));
    let at = path(&format!("sessions/{}", session["id"].as_str().unwrap()));
    world.post(&format!("{at}/runs"), &json!({"message": "again"})).await.refused(409, "conflict");

    let run = world.settled(run_id).await;
    assert_eq!(run["state"], "completed");
    let messages = world.get(&path(&format!("runs/{run_id}/messages"))).await.expect(200);
    let roles: Vec<_> = messages["data"]
        .as_array()
        .unwrap()
        .iter()
        .map(|m| (m["role"].as_str().unwrap(), m["redactedContent"].as_str().unwrap()))
        .collect();
    assert_eq!(roles, [("assistant", "hello"), ("user", "hi")]);
    let detail = world.get(&at).await.expect(200);
    assert_eq!(detail["status"], "completed");
    assert_eq!(detail["transcript"].as_array().unwrap().len(), 2);
    let rows = detail["debug"]["productEvents"].as_array().unwrap();
    assert!(rows.iter().all(|row| row["aggregateType"] != "thread" && row["aggregateSequence"].is_string()));

    let second = world.post(&format!("{at}/runs"), &json!({"message": "again"})).await.expect(202);
    world.settled(second["id"].as_str().unwrap()).await;
    let resumed = world
        .post(&path(&format!("runs/{run_id}/resume")), &json!({"redactedInput": "more"}))
        .await
        .expect(202);
    world.settled(resumed["id"].as_str().unwrap()).await;
    let asked = world.model.as_ref().unwrap().asked();
    let said: Vec<_> = asked[2].body["messages"]
        .as_array()
        .unwrap()
        .iter()
        .map(|m| m["content"].as_str().unwrap())
        .collect();
    assert_eq!(said, ["Coordinate.", "hi", "hello", "again", "hello", "more"]);
    assert_eq!(asked[0].body["model"], "local-default");
}

#[tokio::test(start_paused = true)]
async fn sessions_begin_with_the_latest_version() {
    let world = World::with(Box::new(|_| text("hello"))).await;
    let agent = world.publish(&config(&[])).await.expect(201);
    let versions = path(&format!("agents/{}/versions", agent["id"].as_str().unwrap()));
    let second = world.post(&versions, &config(&[operation("a")])).await.expect(201);
    let ask = |body: Value| world.write("POST", &path("sessions"), &body);
    world.ask(&ask(json!({"initialMessage": "x"}))).await.refused(400, "bad_request");
    world.ask(&ask(json!({"agentId": "x", "initialMessage": "x"}))).await.refused(400, "bad_request");
    world.ask(&ask(json!({"agentId": agent["id"], "initialMessage": ""}))).await.refused(400, "bad_request");
    world
        .ask(&ask(json!({"agentVersionId": agent["latestVersionId"], "initialMessage": "x"})))
        .await
        .refused(400, "bad_request");
    let unknown = "a0000000-0000-4000-8000-0000000000ff";
    world.ask(&ask(json!({"agentId": unknown, "initialMessage": "x"}))).await.refused(404, "not_found");
    let session =
        world.ask(&ask(json!({"agentVersionId": second["id"], "initialMessage": "x"}))).await.expect(201);
    assert_eq!(session["agentVersionId"], second["id"]);
}

#[tokio::test(start_paused = true)]
async fn a_session_keeps_its_version() {
    let world = World::with(Box::new(|_| text("hello"))).await;
    let agent = world.publish(&config(&[operation("old")])).await.expect(201);
    let session = world.session(&agent, "hi").await;
    let versions = path(&format!("agents/{}/versions", agent["id"].as_str().unwrap()));
    world.post(&versions, &config(&[operation("new")])).await.expect(201);
    let at = path(&format!("sessions/{}/runs", session["id"].as_str().unwrap()));
    let run = world.post(&at, &json!({"message": "again"})).await.expect(202);
    world.settled(run["id"].as_str().unwrap()).await;
    for asked in world.model.as_ref().unwrap().asked() {
        assert_eq!(asked.tool_names(), [&["old"], &SANDBOX_TOOLS[..]].concat());
    }
}

#[tokio::test(start_paused = true)]
async fn files_are_there_before_the_first_turn() {
    let world = World::with(Box::new(|asked| {
        if asked.turn > 0 {
            return text("done");
        }
        let prompt = asked.prompt();
        let path = prompt[prompt.find(".oao/").unwrap()..].trim().to_owned();
        call(&[("r", "read", json!({"path": path}))])
    }))
    .await;
    let agent = world.publish(&config(&[])).await.expect(201);
    let files = json!([{"name": "order.txt", "contentType": "text/plain", "contentBase64": "U0hQLTE="}]);
    let body = json!({"agentId": agent["id"], "initialMessage": "", "files": files});
    let session = world.post(&path("sessions"), &body).await.expect(201);
    let run = world.settled(session["latestRunId"].as_str().unwrap()).await;
    assert_eq!(run["state"], "completed");
    assert_eq!(world.model.as_ref().unwrap().asked()[1].tool_results(), [("r", "SHP-1")]);
    let created = world.events_of("message.created").await;
    assert_eq!(
        (created[0]["aggregateType"].as_str(), &created[0]["publicPayload"]["fileCount"]),
        (Some("thread"), &json!(1))
    );
}

#[tokio::test(start_paused = true)]
async fn a_run_without_a_model_fails() {
    let world = World::new().await;
    let agent = world.publish(&config(&[])).await.expect(201);
    let session = world.session(&agent, "hi").await;
    let run =
        world.get(&path(&format!("runs/{}", session["latestRunId"].as_str().unwrap()))).await.expect(200);
    assert_eq!(run["state"], "failed");
    world.service.wiring().set_model_url(Some("http://nobody:1/v1".parse().unwrap()));
    let at = path(&format!("sessions/{}/runs", session["id"].as_str().unwrap()));
    let run = world.post(&at, &json!({"message": "again"})).await.expect(202);
    assert_eq!(world.settled(run["id"].as_str().unwrap()).await["state"], "failed");
}

#[tokio::test(start_paused = true)]
async fn cancelling_calls_a_run_off_and_a_settled_one_stays() {
    let world = World::with(Box::new(|_| text("late").after(60_000))).await;
    let agent = world.publish(&config(&[])).await.expect(201);
    let session = world
        .post(&path("sessions"), &json!({"agentId": agent["id"], "initialMessage": "x"}))
        .await
        .expect(201);
    let run_id = session["latestRunId"].as_str().unwrap();
    let cancel = |key: &str| {
        world.request("POST", &path(&format!("runs/{run_id}/cancel"))).header("idempotency-key", key)
    };
    world.get(&path(&format!("runs/{run_id}"))).await.expect(200);
    let accepted = world.ask(&cancel("c1")).await.expect(202);
    assert!(accepted.get("settledAt").is_none() && accepted["cancellationRequestedAt"].is_string());
    let run = world.settled(run_id).await;
    assert_eq!(run["state"], "cancelled");
    let again = world.ask(&cancel("c2")).await.expect(202);
    assert_eq!(again["state"], "cancelled");
    let outcomes: Vec<_> = world
        .events_of("run.cancellation_requested")
        .await
        .iter()
        .map(|e| e["publicPayload"]["outcome"].clone())
        .collect();
    assert_eq!(outcomes, [json!("reconcile_and_abort"), json!("already_settled")]);
}

#[tokio::test(start_paused = true)]
async fn a_queued_run_is_cancelled_without_a_change_of_state() {
    let mut parts = proofhouse_oao::Parts::default();
    parts.runs.queued_for = std::time::Duration::from_secs(5);
    let world = World::of(parts, Some(Box::new(|_| text("never")))).await;
    let agent = world.publish(&config(&[])).await.expect(201);
    let session = world
        .post(&path("sessions"), &json!({"agentId": agent["id"], "initialMessage": "x"}))
        .await
        .expect(201);
    let at = path(&format!("runs/{}/cancel", session["latestRunId"].as_str().unwrap()));
    world.ask(&world.request("POST", &at).header("idempotency-key", "c")).await.expect(202);
    world.clock.pause(std::time::Duration::from_secs(10)).await;
    assert!(world.model.as_ref().unwrap().asked().is_empty());
    let kinds: Vec<_> = world.events().await.iter().map(|e| e["kind"].as_str().unwrap().to_owned()).collect();
    assert_eq!(kinds, ["run.created", "message.created", "run.cancellation_requested"]);
}

#[tokio::test(start_paused = true)]
async fn a_run_ends_at_its_deadline() {
    let world = World::with(Box::new(|_| text("late").after(600_000))).await;
    let mut short = config(&[]);
    short["limits"]["timeoutMs"] = json!(5000);
    let agent = world.publish(&short).await.expect(201);
    let session = world.session(&agent, "x").await;
    let run =
        world.get(&path(&format!("runs/{}", session["latestRunId"].as_str().unwrap()))).await.expect(200);
    assert_eq!(run["state"], "timed_out");
    let draining = world.events_of("runtime.cancellation_draining").await;
    assert_eq!(draining[0]["publicPayload"], json!({"reason": "deadline_exceeded"}));
}
