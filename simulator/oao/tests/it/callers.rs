//! Tools that callers answer, approvals, and what becomes of both.

use std::time::Duration;

use serde_json::{Value, json};

use crate::{
    model::{Script, call, finish, text},
    world::{World, config, operation, path, tool},
};

/// The parent calls `lookup` once; `a` is an operation whose loop calls it.
fn script(by_operation: bool) -> Script {
    Box::new(move |asked| match (&asked.operation, asked.turn) {
        (Some(_), 0) => call(&[("inner", "lookup", json!({"q": 1}))]),
        (Some(_), _) => finish("f", "found"),
        (None, 0) if by_operation => call(&[("outer", "a", json!({"task": "t"}))]),
        (None, 0) => call(&[("inner", "lookup", json!({"q": 1}))]),
        (None, _) => text("done"),
    })
}

/// A run that waits, and the id of its tool call.
async fn waiting(world: &World, by_operation: bool, approval: &str, run_ms: u64) -> (String, String) {
    let operations = if by_operation { vec![operation("a")] } else { Vec::new() };
    let mut config = config(&operations);
    let mut lookup = tool("lookup");
    lookup["approval"] = json!(approval);
    lookup["outputSchema"] =
        json!({"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]});
    config["tools"] = json!([lookup]);
    config["limits"]["timeoutMs"] = json!(run_ms);
    let agent = world.publish(&config).await.expect(201);
    let body = json!({"agentId": agent["id"], "initialMessage": "hi"});
    let session = world.post(&path("sessions"), &body).await.expect(201);
    let run = session["latestRunId"].as_str().unwrap().to_owned();
    world.clock.pause(Duration::from_millis(50)).await;
    let rows = world.get(&path(&format!("tool-calls?runId={run}"))).await.expect(200);
    (run, rows["data"][0]["id"].as_str().unwrap().to_owned())
}

async fn act(world: &World, call: &str, action: &str, body: Value) -> crate::world::Answer {
    world.post(&path(&format!("tool-calls/{call}/{action}")), &body).await
}

async fn claim(world: &World, call: &str) -> String {
    act(world, call, "claim", json!({})).await.expect(200)["fence"].as_str().unwrap().to_owned()
}

fn success(value: Value) -> Value {
    json!({"version": 1, "status": "success", "value": value})
}

async fn stage(world: &World, run: &str) -> Value {
    world.get(&path(&format!("tool-calls?runId={run}"))).await.expect(200)["data"][0]["stage"].clone()
}

#[tokio::test(start_paused = true)]
async fn a_call_inside_an_operation_goes_to_a_caller_and_back() {
    let world = World::with(script(true)).await;
    let (run, call) = waiting(&world, true, "never", 600_000).await;
    let pending = world.get(&path("pending-work")).await.expect(200);
    assert_eq!((&pending["data"][0]["kind"], &pending["data"][0]["id"]), (&json!("tool"), &json!(call)));
    assert_eq!(world.get(&path(&format!("runs/{run}"))).await.body["state"], "waiting_for_tool");
    let fence = claim(&world, &call).await;
    let body = json!({"fence": fence, "safeResult": success(json!({"n": 7}))});
    assert_eq!(act(&world, &call, "result", body).await.expect(202), json!({"outcome": "submitted"}));
    assert_eq!(world.settled(&run).await["state"], "completed");
    assert_eq!(stage(&world, &run).await, "result_committed");
    let reasons: Vec<Value> = world
        .events_of("run.state_changed")
        .await
        .iter()
        .map(|event| event["publicPayload"]["reason"].clone())
        .collect();
    assert_eq!(
        reasons,
        [json!("dispatch_admitted"), json!("tool_pending"), json!("tool_gate_resolved"), Value::Null]
    );
    assert_eq!(world.events_of("harness.operation_completed").await.len(), 1);
    assert!(world.get(&path("pending-work")).await.expect(200)["data"].as_array().unwrap().is_empty());
}

#[tokio::test(start_paused = true)]
async fn fields_are_looked_at_and_strangers_find_nothing() {
    let world = World::with(script(false)).await;
    let (_, call) = waiting(&world, false, "never", 600_000).await;
    for lease in [json!(999), json!(300_001), json!("30000"), json!(1.5)] {
        act(&world, &call, "claim", json!({"leaseMs": lease})).await.refused(400, "bad_request");
    }
    let fence = claim(&world, &call).await;
    for bad in [json!("0"), json!("01"), json!(1), json!(""), json!("x"), json!(null)] {
        let body = json!({"fence": bad, "safeResult": success(json!({"n": 1}))});
        act(&world, &call, "result", body).await.refused(400, "bad_request");
    }
    act(&world, &call, "renew", json!({"fence": "99999999999999999999999"})).await.refused(409, "conflict");
    act(&world, &call, "result", json!({"fence": fence, "safeResult": {}})).await.refused(400, "bad_request");
    let nobody = "a0000000-0000-4000-8000-0000000000ff";
    act(&world, nobody, "claim", json!({})).await.refused(404, "not_found");
    act(&world, "x", "claim", json!({})).await.refused(400, "bad_request");
}

#[tokio::test(start_paused = true)]
async fn a_deadline_ends_what_waits_for_a_caller() {
    let world = World::with(script(false)).await;
    let (run, call) = waiting(&world, false, "never", 2_000).await;
    assert_eq!(world.settled(&run).await["state"], "timed_out");
    assert_eq!(stage(&world, &run).await, "cancelled");
    act(&world, &call, "claim", json!({})).await.refused(409, "conflict");
}

#[tokio::test(start_paused = true)]
async fn an_approval_comes_first_and_stops_the_deadline() {
    let world = World::with(script(false)).await;
    let (run, call) = waiting(&world, false, "always", 5_000).await;
    act(&world, &call, "claim", json!({})).await.refused(409, "conflict");
    world.clock.pause(Duration::from_secs(3_600)).await;
    assert_eq!(world.get(&path(&format!("runs/{run}"))).await.body["state"], "waiting_for_approval");
    let rows = world.get(&path(&format!("approvals?runId={run}"))).await.expect(200);
    let approval = rows["data"][0]["id"].as_str().unwrap();
    let decision = path(&format!("approvals/{approval}/decision"));
    world.post(&decision, &json!({"status": "maybe"})).await.refused(400, "bad_request");
    assert_eq!(world.post(&decision, &json!({"status": "approved"})).await.expect(200)["status"], "approved");
    world.clock.pause(Duration::from_millis(50)).await;
    let fence = claim(&world, &call).await;
    let body = json!({"fence": fence, "safeResult": success(json!({"n": "seven"}))});
    let answer = act(&world, &call, "result", body).await.expect(202);
    assert_eq!(answer["normalizedFailure"], json!({"code": "invalid_tool_result", "path": "$.n"}));
    assert_eq!(world.settled(&run).await["state"], "completed");
    let resolved = world.events_of("approval.resolved").await;
    let aggregates: Vec<&Value> = resolved.iter().map(|event| &event["aggregateType"]).collect();
    assert_eq!(aggregates, ["approval", "run"]);
}

#[tokio::test(start_paused = true)]
async fn an_approval_that_nobody_gives_expires() {
    let world = World::with(script(false)).await;
    let (run, _) = waiting(&world, false, "always", 5_000).await;
    world.clock.pause(Duration::from_secs(86_401)).await;
    assert_eq!(world.settled(&run).await["state"], "completed");
    assert_eq!(stage(&world, &run).await, "approval_expired");
}

#[tokio::test(start_paused = true)]
async fn the_platform_answers_from_its_table() {
    let world = World::with(Box::new(|asked| match asked.turn {
        0 => call(&[("e", "echo", json!({"q": 1})), ("n", "nowhere", json!({}))]),
        _ => text("done"),
    }))
    .await;
    let mut config = config(&[]);
    let platform = |name: &str| {
        let mut tool = tool(name);
        tool["owner"] = json!("platform");
        tool
    };
    config["tools"] = json!([platform("echo"), platform("nowhere")]);
    let agent = world.publish(&config).await.expect(201);
    let session = world.session(&agent, "hi").await;
    let detail = world.get(&path(&format!("sessions/{}", session["id"].as_str().unwrap()))).await.expect(200);
    let calls = detail["debug"]["toolCalls"].as_array().unwrap();
    assert_eq!(calls.len(), 2);
    assert!(calls.iter().all(|call| call["stage"] == "result_committed" && call["owner"] == "platform"));
}
