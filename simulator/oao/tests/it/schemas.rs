//! What is sent satisfies the schemas of the wire objects.

use serde_json::{Value, json};
use spec::{Contract, schemas};

use crate::{
    model::{call, finish, text},
    world::{World, config, operation, path},
};

#[track_caller]
fn fits(name: &str, value: &Value) {
    let violations = schemas::violations(Contract::Oao, name, value).unwrap();
    assert!(violations.is_empty(), "{name}: {violations:?} in {:.600}", value.to_string());
}

#[track_caller]
fn misfits(name: &str, value: &Value) {
    assert!(
        !schemas::violations(Contract::Oao, name, value).unwrap().is_empty(),
        "{name} takes {:.300}",
        value.to_string()
    );
}

#[tokio::test(start_paused = true)]
async fn everything_that_is_sent_fits() {
    let world = World::with(Box::new(|asked| match (&asked.operation, asked.turn) {
        (Some(_), 0) => call(&[("r", "read", json!({"path": "x"}))]),
        (Some(_), _) => finish("i", "x"),
        (None, 0) => call(&[("c1", "a", json!({"task": "1"}))]),
        (None, _) => text("done"),
    }))
    .await;
    let agent = world.publish(&config(&[operation("a")])).await.expect(201);
    fits("agent", &agent);
    let at = path(&format!("agents/{}", agent["id"].as_str().unwrap()));
    fits("agent", &world.get(&at).await.expect(200));
    fits("agent-page", &world.get(&path("agents?limit=1")).await.expect(200));
    let versions = world.get(&format!("{at}/versions")).await.expect(200);
    fits("version-page", &versions);
    fits("version", &versions["data"][0]);
    let session = world.session(&agent, "hi").await;
    fits("session", &session);
    fits("session-page", &world.get(&path("sessions")).await.expect(200));
    let detail = world.get(&path(&format!("sessions/{}", session["id"].as_str().unwrap()))).await.expect(200);
    fits("session-detail", &detail);
    fits("run-page", &world.get(&path("runs")).await.expect(200));
    fits(
        "run",
        &world.get(&path(&format!("runs/{}", session["latestRunId"].as_str().unwrap()))).await.expect(200),
    );
    let events = world.events().await;
    assert!(events.len() > 15);
    for event in &events {
        fits("event", event);
    }
    fits("error", &world.get("/v1/nowhere").await.body);
    fits("error", &world.publish(&json!({})).await.body);
}

#[test]
fn what_the_contract_rules_out_does_not_fit() {
    // Bodies whose members are all optional.
    const NOTHING_IS_NEEDED: [&str; 2] = ["claim-new", "webhook-change"];
    for name in schemas::names(Contract::Oao) {
        if NOTHING_IS_NEEDED.contains(&name) {
            fits(name, &json!({}));
        } else {
            misfits(name, &json!({}));
        }
        misfits(name, &json!([]));
        misfits(name, &json!("x"));
    }
    let event = |kind: &str, payload: Value| {
        json!({
            "id": "a0000000-0000-4000-8000-000000000001", "organizationId": "a0000000-0000-4000-8000-000000000001",
            "projectId": "a0000000-0000-4000-8000-000000000002", "aggregateType": "run",
            "aggregateId": "a0000000-0000-4000-8000-000000000003", "aggregateSequence": 1, "projectPosition": "1",
            "kind": kind, "publicPayload": payload, "occurredAt": "2026-01-05T09:00:00.000Z",
        })
    };
    let started = json!({"operationKey": "a", "toolCallId": "c", "taskCharacters": 1, "timeoutMs": 1000});
    fits("event", &event("harness.operation_started", started.clone()));
    fits("event", &event("kind.of_tomorrow", json!({"anything": 1})));
    let mut more = started.clone();
    more["of_tomorrow"] = json!(1);
    fits("event", &event("harness.operation_started", more));
    let mut unvalidated = started;
    unvalidated["durationMs"] = json!(1);
    unvalidated["resultValidated"] = json!(false);
    misfits("event", &event("harness.operation_completed", unvalidated.clone()));
    fits("event", &event("harness.operation_failed", unvalidated));
    misfits("error", &json!({"error": {"code": "teapot", "message": "m", "requestId": "r"}}));
}
