//! Operations from the parent's call to the parent's answer.

use serde_json::{Value, json};

use crate::{
    model::{Asked, Says, call, filtered, finish, raw_call, text},
    world::{SANDBOX_TOOLS, World, config, operation, path},
};

/// The parent calls, then says `done`; the scratch loops answer by `inner`.
async fn world(
    calls: &[(&'static str, &'static str, Value)],
    inner: impl Fn(&Asked) -> Says + Send + Sync + 'static,
) -> World {
    let calls = calls.to_vec();
    World::with(Box::new(move |asked| match (&asked.operation, asked.turn) {
        (Some(_), _) => inner(asked),
        (None, 0) => call(&calls),
        (None, _) => text("done"),
    }))
    .await
}

/// Runs a version with these operations and gives the session.
async fn run(world: &World, operations: &[Value]) -> Value {
    let agent = world.publish(&config(operations)).await.expect(201);
    world.session(&agent, "Secret message of the user.").await
}

fn parent_results(world: &World) -> Vec<(String, String)> {
    let asked = world.model.as_ref().unwrap().parent();
    let results = asked.last().unwrap().tool_results().into_iter();
    results.map(|(id, content)| (id.to_owned(), content.to_owned())).collect()
}

async fn kinds(world: &World) -> Vec<String> {
    let rows = world.events_of("harness.").await;
    let short =
        |row: &Value| row["kind"].as_str().unwrap().trim_start_matches("harness.operation_").to_owned();
    rows.iter().map(short).collect()
}

#[tokio::test(start_paused = true)]
async fn the_happy_path() {
    let world = world(&[("c1", "sum", json!({"task": "Total 🧾"}))], |asked| match asked.turn {
        0 => call(&[("i1", "read", json!({"path": "none.txt"}))]).after(100),
        1 => finish("i2", "42").after(50),
        _ => text("never"),
    })
    .await;
    let session = run(&world, &[operation("sum")]).await;
    let results = parent_results(&world);
    assert_eq!(results[0].0, "c1");
    assert_eq!(serde_json::from_str::<Value>(&results[0].1).unwrap(), json!({"answer": "42"}));

    let rows = world.events_of("harness.").await;
    let run_id = session["latestRunId"].as_str().unwrap();
    assert!(rows.iter().all(|row| row["aggregateId"] == run_id));
    let payloads: Vec<&Value> = rows.iter().map(|row| &row["publicPayload"]).collect();
    assert_eq!(kinds(&world).await, ["started", "step", "step", "step", "step", "completed"]);
    assert_eq!(
        *payloads[0],
        json!({"operationKey": "sum", "toolCallId": "c1", "taskCharacters": 8, "timeoutMs": 60_000})
    );
    let turn = payloads[1]["stepId"].as_str().unwrap();
    assert!(turn.starts_with("turn:"));
    assert_eq!(
        *payloads[1],
        json!({
            "operationKey": "sum", "harnessToolCallId": "c1", "stepKind": "model", "stepId": turn, "stepIndex": 0,
            "summary": "Requested read.", "status": "success", "durationMs": 100, "inputTokens": 100, "outputTokens": 7,
            "cacheReadTokens": 0, "cacheWriteTokens": 0,
        })
    );
    assert_eq!(
        *payloads[2],
        json!({
            "operationKey": "sum", "harnessToolCallId": "c1", "stepKind": "tool", "stepId": "tool:i1", "stepIndex": 1,
            "toolName": "read", "summary": "read · none.txt", "status": "error", "durationMs": 0,
        })
    );
    assert_eq!(payloads[4]["summary"], "finish");
    assert_eq!(
        *payloads[5],
        json!({
            "operationKey": "sum", "toolCallId": "c1", "taskCharacters": 8, "timeoutMs": 60_000, "durationMs": 150,
            "resultValidated": true,
        })
    );
    let inner: Vec<Value> = world.events_of("model.invocation_completed").await;
    let correlated: Vec<_> =
        inner.iter().filter(|row| !row["publicPayload"]["harnessStepId"].is_null()).collect();
    assert_eq!(correlated.len(), 2);
    assert_eq!(correlated[0]["publicPayload"]["harnessStepId"], turn);
    assert_eq!(
        correlated[1]["publicPayload"]["harnessActionSummary"],
        "Returned the structured result for validation."
    );
}

#[tokio::test(start_paused = true)]
async fn the_scratch_loop_is_fresh_and_inherits() {
    let world = world(&[("c1", "sum", json!({"task": "The task."}))], |_| finish("i", "x")).await;
    run(&world, &[operation("sum"), operation("a_other")]).await;
    let model = world.model.as_ref().unwrap();
    let (parent, inner) = (&model.parent()[0], &model.inner()[0]);
    assert_eq!(parent.tool_names(), [&["a_other", "sum"], &SANDBOX_TOOLS[..]].concat());
    assert_eq!(parent.body["tools"][1]["function"]["description"], "Does sum.");
    assert_eq!(parent.body["tools"][1]["function"]["parameters"]["required"], json!(["task"]));
    assert_eq!(inner.tool_names(), [&SANDBOX_TOOLS[..], &["a_other", "sum", "finish", "give_up"]].concat());
    assert_eq!(inner.body["messages"][0], parent.body["messages"][0]);
    assert_eq!(inner.body["model"], parent.body["model"]);
    assert_eq!(inner.body["messages"].as_array().unwrap().len(), 2);
    let prompt = inner.prompt();
    let places =
        ["Execute the Harness Operation \"sum\"", "Instructions of sum.", "The task.", "Do not call another"];
    let found: Vec<usize> = places.iter().map(|place| prompt.find(place).unwrap()).collect();
    assert!(found.is_sorted());
    assert!(!inner.body.to_string().contains("Secret message"));
    assert_eq!(
        inner.body["tools"][SANDBOX_TOOLS.len() + 2]["function"]["parameters"]["required"],
        json!(["answer"])
    );
}

#[tokio::test(start_paused = true)]
async fn arguments_that_do_not_hold_open_nothing() {
    for arguments in [
        json!({}),
        json!({"task": null}),
        json!({"task": []}),
        json!({"task": {}}),
        json!({"task": ""}),
        json!({"task": "t".repeat(100_001)}),
        json!({"task": "x", "system": "y"}),
        json!("x"),
    ] {
        let world = world(&[("c1", "sum", arguments)], |_| finish("i", "x")).await;
        let session = run(&world, &[operation("sum")]).await;
        assert!(world.model.as_ref().unwrap().inner().is_empty());
        assert!(world.events_of("harness.").await.is_empty());
        assert_eq!(parent_results(&world).len(), 1);
        let run =
            world.get(&path(&format!("runs/{}", session["latestRunId"].as_str().unwrap()))).await.expect(200);
        assert_eq!(run["state"], "completed");
    }
    let world = world(&[("c1", "sum", json!({"task": 7}))], |_| finish("i", "x")).await;
    run(&world, &[operation("sum")]).await;
    assert!(world.model.as_ref().unwrap().inner()[0].prompt().contains("## Task\n7\n"));
}

#[tokio::test(start_paused = true)]
async fn an_invalid_finish_may_be_corrected_and_a_valid_one_is_coerced() {
    let world = world(&[("c1", "sum", json!({"task": "t"}))], |asked| match asked.turn {
        0 => call(&[("i0", "finish", json!({"path": "canary"}))]),
        1 => call(&[("i1", "finish", json!({"answer": "x", "more": 1}))]),
        2 => raw_call("i2", "finish", r#"{"answer":"#),
        3 => text("not yet"),
        _ => call(&[
            ("i3", "finish", json!({"answer": 4})),
            ("i4", "finish", json!({"answer": "late"})),
            ("i5", "give_up", json!({"reason": "no"})),
        ]),
    })
    .await;
    run(&world, &[operation("sum")]).await;
    assert_eq!(parent_results(&world), [("c1".to_owned(), r#"{"answer":"4"}"#.to_owned())]);
    let steps: Vec<Value> = world
        .events_of("harness.operation_step")
        .await
        .into_iter()
        .map(|row| row["publicPayload"].clone())
        .collect();
    let tools: Vec<_> = steps
        .iter()
        .filter(|step| step["stepKind"] == "tool")
        .map(|step| step["status"].as_str().unwrap())
        .collect();
    assert_eq!(tools, ["error", "error", "error", "success", "error", "error"]);
    let indexes: Vec<_> = steps.iter().map(|step| step["stepIndex"].as_u64().unwrap()).collect();
    assert_eq!(indexes, (0..steps.len() as u64).collect::<Vec<_>>());
    assert_eq!(kinds(&world).await.last().unwrap(), "completed");
    let reminded = &world.model.as_ref().unwrap().inner()[4];
    assert_eq!(reminded.body["messages"].as_array().unwrap().last().unwrap()["role"], "user");
    let all = serde_json::to_string(&world.events().await).unwrap();
    assert!(!all.contains("canary"));
}

#[tokio::test(start_paused = true)]
async fn failures_reach_the_parent_as_errors_and_the_run_completes() {
    type Inner = fn(&Asked) -> Says;
    let cases: [(Inner, &str); 3] = [
        (|_| call(&[("i", "give_up", json!({"reason": "no file"}))]), "no file"),
        (|_| text("just prose"), "after 33 prompts"),
        (|_| filtered(), "content filter"),
    ];
    for (inner, expected) in cases {
        let world = world(&[("c1", "sum", json!({"task": "t"}))], inner).await;
        let session = run(&world, &[operation("sum")]).await;
        let results = parent_results(&world);
        assert!(results[0].1.contains(expected), "{}", results[0].1);
        let kinds = kinds(&world).await;
        assert_eq!((kinds.first().unwrap().as_str(), kinds.last().unwrap().as_str()), ("started", "failed"));
        let terminal = world.events_of("harness.operation_failed").await;
        assert_eq!(terminal[0]["publicPayload"]["resultValidated"], false);
        let run =
            world.get(&path(&format!("runs/{}", session["latestRunId"].as_str().unwrap()))).await.expect(200);
        assert_eq!(run["state"], "completed");
    }
}

#[tokio::test(start_paused = true)]
async fn nested_calls_are_refused_inside_and_leave_no_lifecycle() {
    let world = world(&[("c1", "sum", json!({"task": "t"}))], |asked| match asked.turn {
        0 => call(&[("n1", "sum", json!({"task": "x"})), ("n2", "check", json!({"task": "x"}))]),
        _ => finish("i", "x"),
    })
    .await;
    run(&world, &[operation("sum"), operation("check")]).await;
    let inner = world.model.as_ref().unwrap().inner();
    assert_eq!(inner.len(), 2);
    for ((_, content), pair) in inner[1].tool_results().iter().zip(["(sum -> sum)", "(sum -> check)"]) {
        assert!(content.contains("Nested Harness Operation calls are not allowed") && content.contains(pair));
    }
    assert_eq!(kinds(&world).await, ["started", "step", "step", "step", "step", "step", "completed"]);
    let steps = world.events_of("harness.operation_step").await;
    assert_eq!(
        (steps[1]["publicPayload"]["status"].as_str(), steps[1]["publicPayload"]["summary"].as_str()),
        (Some("error"), Some("sum"))
    );
}

#[tokio::test(start_paused = true)]
async fn a_batch_overlaps_and_its_terminal_events_come_together() {
    let calls = [
        ("c1", "a", json!({"task": "1"})),
        ("c2", "b", json!({"task": "2"})),
        ("c3", "a", json!({"task": "3"})),
    ];
    let world = world(&calls, |asked| {
        let task = asked.prompt().split("## Task\n").nth(1).unwrap()[..1].to_owned();
        match task.as_str() {
            "2" => filtered().after(100),
            task => finish(&format!("i{task}"), task).after(if task == "1" { 3000 } else { 1000 }),
        }
    })
    .await;
    run(&world, &[operation("a"), operation("b")]).await;
    let results = parent_results(&world);
    let ids: Vec<_> = results.iter().map(|(id, _)| id.as_str()).collect();
    assert_eq!(ids, ["c1", "c2", "c3"]);
    assert!(
        results[0].1.contains("\"1\"")
            && results[2].1.contains("\"3\"")
            && results[1].1.contains("content filter")
    );
    let rows = world.events_of("harness.").await;
    let named: Vec<String> = kinds(&world).await.into_iter().filter(|kind| kind != "step").collect();
    assert_eq!(named, ["started", "started", "started", "completed", "failed", "completed"]);
    let terminal = &rows[rows.len() - 3..];
    let durations: Vec<_> =
        terminal.iter().map(|row| row["publicPayload"]["durationMs"].as_u64().unwrap()).collect();
    assert_eq!(durations, [3000, 100, 1000]);
    assert!(terminal.iter().all(|row| row["occurredAt"] == terminal[0]["occurredAt"]));
    let times = world.model.as_ref().unwrap().times_ms();
    assert_eq!((times[1], times[2]), (times[3], times[3]));
}

#[tokio::test(start_paused = true)]
async fn an_operation_ends_at_its_own_limit_and_the_run_goes_on() {
    let world = world(&[("c1", "slow", json!({"task": "t"}))], |_| finish("i", "x").after(50_000)).await;
    let mut slow = operation("slow");
    slow["timeoutMs"] = json!(1000);
    let session = run(&world, &[slow]).await;
    assert_eq!(kinds(&world).await, ["started", "cancelled"]);
    let terminal = world.events_of("harness.operation_cancelled").await;
    assert_eq!(terminal[0]["publicPayload"]["durationMs"], 1000);
    assert!(parent_results(&world)[0].1.contains("timeout"));
    let run =
        world.get(&path(&format!("runs/{}", session["latestRunId"].as_str().unwrap()))).await.expect(200);
    assert_eq!(run["state"], "completed");
}

#[tokio::test(start_paused = true)]
async fn a_cancelled_run_takes_its_operations_with_it() {
    let calls = [("c1", "a", json!({"task": "1"})), ("c2", "b", json!({"task": "2"}))];
    let world = world(&calls, |_| finish("i", "x").after(50_000)).await;
    let agent = world.publish(&config(&[operation("a"), operation("b")])).await.expect(201);
    let session = world
        .post(&path("sessions"), &json!({"agentId": agent["id"], "initialMessage": "x"}))
        .await
        .expect(201);
    let run_id = session["latestRunId"].as_str().unwrap();
    world.clock.pause(std::time::Duration::from_secs(2)).await;
    let cancel = path(&format!("runs/{run_id}/cancel"));
    world.ask(&world.request("POST", &cancel).header("idempotency-key", "c")).await.expect(202);
    assert_eq!(world.settled(run_id).await["state"], "cancelled");
    assert_eq!(kinds(&world).await, ["started", "started", "cancelled", "cancelled"]);
    assert!(world.clock.elapsed_ms() < 10_000);
    let before = world.events().await.len();
    world.clock.pause(std::time::Duration::from_secs(100)).await;
    assert_eq!(world.events().await.len(), before);
    assert_eq!(world.model.as_ref().unwrap().parent().len(), 1);
}

#[tokio::test(start_paused = true)]
async fn scratch_turns_count_against_the_budget_of_the_run() {
    let world = world(&[("c1", "sum", json!({"task": "t"}))], |_| text("prose")).await;
    let mut tight = config(&[operation("sum")]);
    tight["limits"]["maxTurns"] = json!(5);
    let agent = world.publish(&tight).await.expect(201);
    let session = world.session(&agent, "x").await;
    assert_eq!(world.model.as_ref().unwrap().asked().len(), 5);
    let failed = world.events_of("model.invocation_failed").await;
    assert_eq!(failed[0]["publicPayload"]["errorCode"], "model_turn_limit_exceeded");
    let run =
        world.get(&path(&format!("runs/{}", session["latestRunId"].as_str().unwrap()))).await.expect(200);
    assert_eq!(run["state"], "failed");
}

#[tokio::test(start_paused = true)]
async fn nothing_private_is_in_any_event() {
    let world = world(&[("c1", "sum", json!({"task": "canary-task"}))], |asked| match asked.turn {
        0 => call(&[("i0", "finish", json!({"path": "canary-path", "wrong": "canary-wrong"}))]),
        _ => call(&[("i1", "finish", json!({"answer": "canary-answer", "path": "canary-path"}))]),
    })
    .await;
    run(&world, &[operation("sum")]).await;
    let all = serde_json::to_string(&world.events().await).unwrap();
    for private in ["canary", "Instructions of", "Secret message"] {
        assert!(!all.contains(private), "{private}");
    }
    assert!(parent_results(&world)[0].1.contains("canary-answer"));
}

#[tokio::test(start_paused = true)]
async fn two_worlds_of_one_seed_are_the_same_to_the_byte() {
    let mut logs = Vec::new();
    for _ in 0..2 {
        let calls = [("c1", "a", json!({"task": "1"})), ("c2", "b", json!({"task": "2"}))];
        let world = world(&calls, |asked| finish("i", asked.operation.as_deref().unwrap()).after(700)).await;
        run(&world, &[operation("a"), operation("b")]).await;
        logs.push(serde_json::to_string(&world.events().await).unwrap());
    }
    assert_eq!(logs[0], logs[1]);
}

#[tokio::test(start_paused = true)]
async fn a_call_under_a_known_id_gets_the_first_outcome_and_does_not_run() {
    let world = World::with(Box::new(|asked| match (&asked.operation, asked.turn) {
        (Some(_), _) => finish("i", "first"),
        (None, 0) => call(&[("c1", "sum", json!({"task": "one"}))]),
        (None, 1) => call(&[("c1", "sum", json!({"task": "two"})), ("c2", "sum", json!({"task": "three"}))]),
        (None, _) => text("done"),
    }))
    .await;
    run(&world, &[operation("sum")]).await;
    let prompts: Vec<String> =
        world.model.as_ref().unwrap().inner().iter().map(|asked| asked.prompt().to_owned()).collect();
    assert_eq!(prompts.len(), 2);
    assert!(prompts[0].contains("## Task\none\n") && prompts[1].contains("## Task\nthree\n"));
    let named: Vec<String> = kinds(&world).await.into_iter().filter(|kind| kind != "step").collect();
    assert_eq!(named, ["started", "completed", "started", "completed"]);
    assert!(parent_results(&world).iter().all(|(_, content)| content.contains("first")));
}
