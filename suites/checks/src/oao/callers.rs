//! Tools that a caller answers, as the checks publish them, wait for their calls and answer them.

use std::time::Duration;

use engine::{Call, Driver, Halt, Received, Reply};
use model::{Answer, Conditions, Script, ToolCall, Turn};
use recording::{Finding, Seen, View};
use serde_json::{Value, json};

use super::{
    agents::{Agent, need_agent, project},
    runs::{BEGIN, Started, readable},
};
use crate::percent::encoded;

/// Until a call must have shown in the event stream.
const SHOWN: Duration = Duration::from_secs(20);
/// The name of the tool.
pub(crate) const TOOL: &str = "look_up_order";
/// The model's id of its call.
pub(crate) const TOOL_CALL: &str = "call_look_up";
/// Longer than any check takes.
pub(crate) const LONG_LEASE_MS: u64 = 60_000;

/// The arguments of the call.
pub(crate) fn arguments() -> Value {
    json!({"order": "order-4831"})
}

/// The tool: it takes an order and gives a total. `approval` is `never` or `always`.
pub(crate) fn tool(approval: &str) -> Value {
    json!({
        "schemaVersion": 1,
        "name": TOOL,
        "description": "Look up an order and report its total.",
        "owner": "caller",
        "approval": approval,
        "inputSchema": {
            "type": "object",
            "properties": {"order": {"type": "string"}},
            "required": ["order"],
            "additionalProperties": false,
        },
        "outputSchema": {
            "type": "object",
            "properties": {"total": {"type": "integer"}},
            "required": ["total"],
            "additionalProperties": false,
        },
    })
}

/// Publishes an agent with the tool, as a step before the one under test.
pub(crate) async fn need_tool(
    driver: &Driver<'_>,
    operations: &Value,
    approval: &str,
    timeout_ms: u64,
) -> Result<Agent, Halt> {
    let mut config = readable(driver, operations);
    if operations.as_array().is_some_and(Vec::is_empty)
        && let Some(members) = config.as_object_mut()
    {
        members.remove("harnessOperations");
    }
    config["tools"] = json!([tool(approval)]);
    config["limits"]["timeoutMs"] = json!(timeout_ms);
    need_agent(driver, "publish", &config, "publish an agent with a caller's tool").await
}

/// The parent calls the tool and ends once it has the result.
pub(crate) fn parent_calls_the_tool() -> Result<Script, model::ScriptError> {
    let parent = || Conditions::new().user_contains(BEGIN);
    let call = Answer::new().call(ToolCall::new(TOOL_CALL, TOOL, arguments()));
    Script::new(
        "one call of a caller's tool",
        [
            Turn::new("parent-1", call).when(parent().no_tool_results()),
            Turn::new("parent-2", Answer::new().text("Done.")).when(parent().tool_result_for(TOOL_CALL)),
        ],
    )
}

/// Reads the event stream from its beginning until `wanted` events of the run have come `count` times.
pub(crate) async fn until_shown(
    driver: &Driver<'_>,
    label: &str,
    started: &Started,
    count: usize,
    wanted: impl Fn(&Value) -> bool,
) {
    let run = started.run.clone();
    let about = move |event: &Received| event.data["aggregateId"] == run.as_str();
    let call = Call::get(format!("{}/events", project(driver)));
    let Some(mut feed) = driver.listen_for(label, call, about).await else { return };
    let mut seen = 0;
    let enough = |event: &Received| {
        seen += usize::from(wanted(&event.data));
        seen >= count
    };
    // What has not shown by then is missing where it is needed next.
    let _ = feed.until(SHOWN, enough).await;
}

/// Waits until the run has asked for so many tool calls, and gives the id of the one that is open.
pub(crate) async fn need_call(
    driver: &Driver<'_>,
    label: &str,
    started: &Started,
    count: usize,
) -> Result<String, Halt> {
    let requested = |event: &Value| event["kind"] == "tool_call.requested";
    until_shown(driver, &format!("{label}, asked for"), started, count, requested).await;
    let reply = calls(driver, label, started).await;
    let step = "find the call of the caller's tool";
    let body = driver.need(&reply, step)?;
    let rows = body["data"].as_array().map_or(&[][..], Vec::as_slice);
    let open = rows.iter().find(|row| row["stage"] == "caller_pending").or(rows.first());
    let id = open.and_then(|row| row["id"].as_str()).map(str::to_owned);
    id.ok_or_else(|| driver.setup_failed(&reply, step, "a tool call of the run with an `id`"))
}

/// Lists the tool calls of the run, newest first.
pub(crate) async fn calls(driver: &Driver<'_>, label: &str, started: &Started) -> Reply {
    driver.get(label, format!("{}/tool-calls?runId={}", project(driver), encoded(&started.run))).await
}

/// Lists the approvals of the run, newest first.
pub(crate) async fn approvals(driver: &Driver<'_>, label: &str, started: &Started) -> Reply {
    driver.get(label, format!("{}/approvals?runId={}", project(driver), encoded(&started.run))).await
}

/// Posts `body` to a path of the project.
pub(crate) async fn post(driver: &Driver<'_>, label: &str, path: &str, body: &Value) -> Reply {
    let call = Call::post(format!("{}/{path}", project(driver)), body);
    driver.send(label, call.header("idempotency-key", driver.fresh())).await
}

/// Does `action` (claim, renew, release, result) with a tool call.
pub(crate) async fn act(driver: &Driver<'_>, label: &str, call: &str, action: &str, body: &Value) -> Reply {
    post(driver, label, &format!("tool-calls/{}/{action}", encoded(call)), body).await
}

/// Claims a tool call, as a step before the one under test, and gives the fence.
pub(crate) async fn need_claim(
    driver: &Driver<'_>,
    label: &str,
    call: &str,
    lease_ms: u64,
) -> Result<String, Halt> {
    let reply = act(driver, label, call, "claim", &json!({"leaseMs": lease_ms})).await;
    driver.need_text(&reply, "/fence", "claim a tool call")
}

/// A successful result.
pub(crate) fn success(value: Value) -> Value {
    json!({"version": 1, "status": "success", "value": value})
}

/// Hands a result in.
pub(crate) async fn submit(
    driver: &Driver<'_>,
    label: &str,
    call: &str,
    fence: &str,
    result: &Value,
) -> Reply {
    act(driver, label, call, "result", &json!({"fence": fence, "safeResult": result})).await
}

/// Whether one of `texts`, which a model was told, is or holds the value.
pub(crate) fn tells(texts: &[&str], value: &Value) -> bool {
    let is = |text: &&str| {
        serde_json::from_str::<Value>(text)
            .is_ok_and(|told| told == *value || told.get("value") == Some(value))
    };
    texts.iter().any(is)
}

/// The states that the run went through, in the order of the feed, with their entries.
pub(crate) fn states<'a>(view: &'a impl View, run: &str) -> Vec<(Seen<'a>, String)> {
    let of_run = |event: &Value| event["kind"] == "run.state_changed" && event["aggregateId"] == run;
    view.events("events")
        .into_iter()
        .filter(|(_, event)| of_run(event))
        .filter_map(|(seen, event)| Some((seen, event["publicPayload"]["state"].as_str()?.to_owned())))
        .collect()
}

/// The id of the run that was started.
pub(crate) fn run_id(view: &impl View) -> Result<String, recording::Verdict> {
    let start = view.one("start")?;
    let body = start.json()?;
    let id = body.pointer("/run/id").and_then(Value::as_str).map(str::to_owned);
    id.ok_or_else(|| start.finding("the session has no run", "an id at `/run/id`").into())
}

/// A finding unless the answer has this status and error code.
pub(crate) fn refused(seen: &Seen<'_>, message: &str, status: u16, code: &str) -> Result<(), Finding> {
    seen.answer()?;
    let said = seen.body().and_then(|body| body["error"]["code"].as_str().map(str::to_owned));
    if seen.status() == Some(status) && said.as_deref() == Some(code) {
        return Ok(());
    }
    Err(seen.finding(message, format!("{status} with the code `{code}`")))
}
