//! Sessions whose events are given.

use engine::{Call, Driver, Halt};
use serde_json::{Value, json};

use super::view::look;
use crate::oao::{
    agents::Agent,
    runs::{need_operations, operation},
};

/// The operation of the agent whose sessions are planted. Their calls are of operations called as they are.
const KEY: &str = "planted";

/// An instant, so many milliseconds (less than an hour) after the one that planted sessions count from.
pub(super) fn time(at_ms: u64) -> String {
    let (minutes, seconds) = (at_ms / 60_000, at_ms / 1_000 % 60);
    format!("2026-01-05T09:{minutes:02}:{seconds:02}.{:03}Z", at_ms % 1_000)
}

/// An event.
pub(super) fn event(kind: &str, at_ms: u64, payload: &Value) -> Value {
    json!({"kind": kind, "occurredAt": time(at_ms), "payload": payload})
}

/// The started event of `call`.
pub(super) fn started(call: &str, at_ms: u64) -> Value {
    let payload =
        json!({"operationKey": call, "toolCallId": call, "taskCharacters": 12, "timeoutMs": 60_000});
    event("harness.operation_started", at_ms, &payload)
}

/// The terminal event of `call`: `completed`, `failed`, `cancelled` or `timed_out`.
pub(super) fn ended(call: &str, how: &str, at_ms: u64, took_ms: u64) -> Value {
    let payload = json!({
        "operationKey": call, "toolCallId": call, "taskCharacters": 12, "timeoutMs": 60_000,
        "durationMs": took_ms, "resultValidated": how == "completed",
    });
    event(&format!("harness.operation_{how}"), at_ms, &payload)
}

/// The lifecycle of a call that completed; an end of `None` is not reached.
pub(super) fn lifecycle(call: &str, start_ms: u64, end_ms: Option<u64>) -> Vec<Value> {
    let end = end_ms.map(|end_ms| ended(call, "completed", end_ms, end_ms - start_ms));
    std::iter::once(started(call, start_ms)).chain(end).collect()
}

/// The tool step `name` of `call`, with its place in the order of steps.
pub(super) fn step(call: &str, name: &str, index: u64, at_ms: u64) -> Value {
    let payload = json!({
        "operationKey": call, "harnessToolCallId": call, "stepKind": "tool", "stepId": format!("tool:{name}"),
        "stepIndex": index, "toolName": name, "summary": name, "status": "success", "durationMs": 1,
    });
    event("harness.operation_step", at_ms, &payload)
}

/// A call of the tool `name` that does not say whose it is.
pub(super) fn loose(name: &str, at_ms: u64) -> Value {
    let payload = json!({
        "toolCallId": "a0000000-0000-4000-8000-0000000000aa", "toolName": name, "owner": "platform", "attempt": 1,
        "maximumAttempts": 3,
    });
    event("tool_call.requested", at_ms, &payload)
}

/// Publishes the agent of planted sessions, if the target can plant any.
pub(super) async fn need_agent(driver: &Driver<'_>) -> Result<Agent, Halt> {
    driver.control("plant-events")?;
    need_operations(driver, &json!([operation(KEY, 60_000)])).await
}

/// Plants a session of `agent` with these events and reads its view as `label`.
pub(super) async fn plant_and_look(
    driver: &Driver<'_>,
    label: &str,
    agent: &str,
    events: &[Value],
) -> Result<(), Halt> {
    let body = json!({"agentId": agent, "events": events});
    let reply =
        driver.send(&format!("plant {label}"), Call::control("POST", "/plant-events").json(&body)).await;
    let session = driver.need_text(&reply, "/session", "plant a session with given events")?;
    look(driver, label, &session, &[]).await;
    Ok(())
}

/// Publishes an agent, plants a session of it, and reads its view as `view`.
pub(super) async fn show(driver: &Driver<'_>, events: &[Value]) -> Result<(), Halt> {
    let agent = need_agent(driver).await?;
    plant_and_look(driver, "view", &agent.id, events).await
}
