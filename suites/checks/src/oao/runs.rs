//! Sessions and runs, as the checks start, await and read them.

use std::time::Duration;

use engine::{Call, Driver, Halt, Received};
use model::{Conditions, Script};
use recording::{Finding, ModelTurn, Seen, View};
use serde_json::{Value, json};

use super::agents::{Agent, config, need_agent, project};

/// Until a run must have settled.
pub(crate) const SETTLED: Duration = Duration::from_secs(60);
/// A healthy event stream closes every half minute or so; this many times it is opened again.
pub(crate) const STREAMS_MAX: usize = 8;
/// The states in which a run stays.
pub(crate) const TERMINAL: [&str; 4] = ["completed", "failed", "cancelled", "timed_out"];
/// What the user says to the parent model in every scripted run. Scripts know the parent by it.
pub(crate) const BEGIN: &str = "begin-parent-work";

/// The requests of the parent loop that was begun with [`BEGIN`].
pub(crate) fn parent() -> Conditions {
    Conditions::new().user_contains(BEGIN)
}

/// The requests of the scratch loop that works on `task`.
pub(crate) fn scratch(task: &str) -> Conditions {
    Conditions::new().user_contains(task)
}

/// A run that was started.
#[derive(Clone, Debug)]
pub(crate) struct Started {
    pub(crate) session: String,
    pub(crate) run: String,
}

/// An operation that answers `{"answer": string}` and nothing else.
pub(crate) fn operation(key: &str, timeout_ms: u64) -> Value {
    json!({
        "key": key,
        "description": format!("Work on one task and answer it: {key}."),
        "instructions": "Work on the task alone. Return the answer as the structured result.",
        "resultSchema": {
            "type": "object",
            "properties": {"answer": {"type": "string"}},
            "required": ["answer"],
            "additionalProperties": false,
        },
        "timeoutMs": timeout_ms,
    })
}

/// A configuration with `operations` whose runs can read the workspace.
pub(crate) fn readable(driver: &Driver<'_>, operations: &Value) -> Value {
    let mut config = config(driver, operations);
    let setting = |name: &str| driver.facts().text(name).unwrap_or("default").to_owned();
    config["sandbox"] = json!({
        "enabled": true,
        "provider": setting("sandbox_provider"),
        "snapshotId": setting("sandbox_snapshot"),
        "network": "none",
        "capabilities": ["filesystem_read"],
    });
    config
}

/// Publishes an agent with `operations`, as a step before the one under test.
pub(crate) async fn need_operations(driver: &Driver<'_>, operations: &Value) -> Result<Agent, Halt> {
    need_agent(driver, "publish", &readable(driver, operations), "publish an agent with operations").await
}

/// Loads what the model answers to this check.
pub(crate) fn load(driver: &Driver<'_>, script: Result<Script, model::ScriptError>) -> Result<(), Halt> {
    let script = script.map_err(|error| driver.broken(format!("the script is broken: {error}")))?;
    driver.model()?.load(driver.token(), &script.to_json()).map_err(|error| driver.broken(error))
}

/// Starts a session on `agent` whose first run says [`BEGIN`].
pub(crate) async fn start(driver: &Driver<'_>, label: &str, agent: &Agent) -> Result<Started, Halt> {
    start_saying(driver, label, agent, BEGIN, None).await
}

/// Starts a session on `agent` whose first run says `message`, with files as they are sent.
pub(crate) async fn start_saying(
    driver: &Driver<'_>,
    label: &str,
    agent: &Agent,
    message: &str,
    files: Option<Value>,
) -> Result<Started, Halt> {
    let mut body = json!({"agentId": agent.id, "initialMessage": message, "title": driver.token()});
    if let Some(files) = files {
        body["files"] = files;
    }
    let call = Call::post(format!("{}/sessions", project(driver)), &body);
    let reply = driver.send(label, call.header("idempotency-key", driver.fresh())).await;
    let step = "start a session with a run";
    let session = driver.need_text(&reply, "/id", step)?;
    let run = driver.need_text(&reply, "/run/id", step)?;
    Ok(Started { session, run })
}

/// Starts a further run of the session, which says `message`.
pub(crate) async fn again(
    driver: &Driver<'_>,
    label: &str,
    started: &Started,
    message: &str,
) -> Result<Started, Halt> {
    let path = format!("{}/sessions/{}/runs", project(driver), started.session);
    let call = Call::post(path, &json!({"message": message}));
    let reply = driver.send(label, call.header("idempotency-key", driver.fresh())).await;
    let run = driver.need_text(&reply, "/id", "start a further run of the session")?;
    Ok(Started { session: started.session.clone(), run })
}

/// Waits until the run has settled, and records its events as `events`, the run as `run`, the session's
/// details as `detail` and what the model was asked as `model`.
pub(crate) async fn settle(driver: &Driver<'_>, started: &Started) -> Result<(), Halt> {
    let whole = async {
        let mut last: Option<String> = None;
        for _ in 0..STREAMS_MAX {
            if follow(driver, "events", started, &mut last).await {
                return;
            }
        }
    };
    // A run that does not settle is judged by what was seen of it.
    let _ = driver.clock().within(SETTLED, whole).await;
    driver.get("run", format!("{}/runs/{}", project(driver), started.run)).await;
    driver.get("detail", format!("{}/sessions/{}", project(driver), started.session)).await;
    driver.record_model("model")
}

/// Waits until a run is over that only prepares the one under test; its events are recorded as `label`.
pub(crate) async fn need_end(driver: &Driver<'_>, label: &str, started: &Started) {
    let whole = async {
        let mut last: Option<String> = None;
        for _ in 0..STREAMS_MAX {
            if follow(driver, label, started, &mut last).await {
                return;
            }
        }
    };
    let _ = driver.clock().within(SETTLED, whole).await;
}

/// Reads the event feed until the run is over; false when the stream ended before.
async fn follow(driver: &Driver<'_>, label: &str, started: &Started, last: &mut Option<String>) -> bool {
    let mut call = Call::get(format!("{}/events", project(driver)));
    if let Some(id) = last.clone() {
        call = call.header("last-event-id", id);
    }
    let about = |event: &Received| is_about(&event.data, started);
    let Some(mut feed) = driver.listen_for(label, call, about).await else { return false };
    let is_over = |event: &Received| {
        last.clone_from(&event.id);
        let state = event.data.pointer("/publicPayload/state").and_then(Value::as_str);
        event.data["kind"] == "run.state_changed" && state.is_some_and(|state| TERMINAL.contains(&state))
    };
    feed.until(SETTLED, is_over).await.is_some()
}

/// Whether an event belongs to a run or its session.
pub(crate) fn is_about(event: &Value, started: &Started) -> bool {
    let aggregate = event.get("aggregateId").and_then(Value::as_str);
    aggregate == Some(&started.run) || aggregate == Some(&started.session)
}

/// The events of one kind, in the order of the feed.
pub(crate) fn events_of<'a>(view: &'a impl View, kind: &str) -> Vec<(Seen<'a>, &'a Value)> {
    view.events("events").into_iter().filter(|(_, event)| event["kind"] == kind).collect()
}

/// The first request that the scripted turn called `turn` answered.
pub(crate) fn asked<'a>(view: &'a impl View, turn: &str) -> Option<(Seen<'a>, &'a ModelTurn)> {
    view.model_turns().into_iter().find(|(_, asked)| asked.turn.as_deref() == Some(turn))
}

/// The request that the scripted turn called `turn` answered; a finding with `message` where the model
/// was never asked for it.
pub(crate) fn must_ask<'a>(
    view: &'a impl View,
    turn: &str,
    message: &str,
) -> Result<(Seen<'a>, &'a ModelTurn), recording::Verdict> {
    match asked(view, turn) {
        Some(found) => Ok(found),
        None => Err(view.one("run")?.finding(message, format!("a model request for `{turn}`")).into()),
    }
}

/// The tools that a model request offers, by name.
pub(crate) fn tools(turn: &ModelTurn) -> Vec<(&str, &Value)> {
    let tools = turn.request.get("tools").and_then(Value::as_array);
    tools.into_iter().flatten().filter_map(|tool| Some((tool.get("name")?.as_str()?, tool))).collect()
}

/// The texts of the tool results for `call` in a model request.
pub(crate) fn results<'a>(turn: &'a ModelTurn, call: &str) -> Vec<&'a str> {
    let messages = turn.request.get("messages").and_then(Value::as_array);
    let results = messages.into_iter().flatten().filter(|message| message["tool_call_id"] == call);
    results.filter_map(|message| message.get("text")?.as_str()).collect()
}

/// The last tool result for `call`, as JSON; `None` where there is none or it is no JSON. That there is one
/// only is OAO-04's business.
pub(crate) fn value(turn: &ModelTurn, call: &str) -> Option<Value> {
    serde_json::from_str(results(turn, call).last()?).ok()
}

/// A finding at a model request.
pub(crate) fn at(
    seen: &Seen<'_>,
    message: &str,
    expected: impl Into<String>,
    got: impl Into<String>,
) -> Finding {
    seen.finding_got(message, expected, got)
}
