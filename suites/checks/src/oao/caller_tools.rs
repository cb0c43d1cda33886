//! The round trip of a caller's tool inside an operation (OAO-247), and the operation's timer (OAO-255).

use std::time::Duration;

use engine::{Call, Driver, Drove, Received};
use model::{Answer, Conditions, Script, ToolCall, Turn};
use recording::{Judged, Recording, View, Witness};
use serde_json::{Value, json};
use spec::Spec;

use super::{
    agents::{listed, project},
    callers::{
        LONG_LEASE_MS, TOOL, TOOL_CALL, arguments, need_call, need_claim, need_tool, run_id, states, submit,
        success, tells,
    },
    runs::{BEGIN, at, events_of, load, must_ask, operation, results, settle, start, value},
};
use crate::table::checks;

checks! { Oao:
    "OAO-247-a" => an_operation_asks_a_caller, the_result_reaches_the_scratch_loop;
    "OAO-247-b" => an_operation_asks_a_caller, the_run_waits_for_the_tool;
    "OAO-247-c" => an_operation_asks_a_caller, the_call_is_one_of_the_parent_run;
    "OAO-247-d" => an_operation_asks_a_caller, its_events_say_what_they_may;
    "OAO-255-a" => nobody_answers, the_timer_runs_on;
}

const KEY: &str = "price_an_order";
const TASK: &str = "price-order-4831";
const OUTER: &str = "outer";
const RUN_MS: u64 = 60_000;
/// How long an operation may take whose caller never answers.
const SHORT_MS: u64 = 1_500;

fn script() -> Result<Script, model::ScriptError> {
    let parent = || Conditions::new().user_contains(BEGIN);
    let scratch = || Conditions::new().user_contains(TASK);
    let outer = Answer::new().call(ToolCall::new(OUTER, KEY, json!({"task": TASK})));
    let inner = Answer::new().call(ToolCall::new(TOOL_CALL, TOOL, arguments()));
    let finish = Answer::new().call(ToolCall::new("done", "finish", json!({"answer": "priced"})));
    Script::new(
        "an operation asks a caller",
        [
            Turn::new("parent-1", outer).when(parent().no_tool_results()),
            Turn::new("parent-2", Answer::new().text("Done.")).when(parent().tool_result_for(OUTER)),
            Turn::new("scratch-1", inner).when(scratch().no_tool_results()),
            Turn::new("scratch-2", finish).when(scratch().tool_result_for(TOOL_CALL)),
        ],
    )
}

fn total() -> Value {
    json!({"total": 120_755})
}

async fn an_operation_asks_a_caller(driver: &Driver<'_>) -> Drove {
    load(driver, script())?;
    let agent = need_tool(driver, &json!([operation(KEY, 20_000)]), "never", RUN_MS).await?;
    let started = start(driver, "start", &agent).await?;
    let call = need_call(driver, "calls", &started, 1).await?;
    let fence = need_claim(driver, "claim", &call, LONG_LEASE_MS).await?;
    submit(driver, "result", &call, &fence, &success(total())).await;
    settle(driver, &started).await?;
    let about = move |event: &Received| event.data["aggregateId"] == call.as_str();
    let stream = Call::get(format!("{}/events", project(driver)));
    if let Some(mut feed) = driver.listen_for("call events", stream, about).await {
        let handed_in = |event: &Received| event.data["kind"] == "tool_call.result_submitted";
        // What did not come is missed by the judge.
        let _ = feed.until(Duration::from_secs(5), handed_in).await;
    }
    Ok(())
}

fn the_result_reaches_the_scratch_loop(recording: &Recording, _: &Spec) -> Judged {
    let message = "the result of a caller did not reach the loop that had asked for it";
    let handed_in = recording.one("result")?;
    handed_in.answer()?;
    if !handed_in.is_success() {
        return Err(handed_in.finding(message, "202 for the first result of a claim that holds").into());
    }
    let (seen, told) = must_ask(recording, "scratch-2", message)?;
    let texts = results(told, TOOL_CALL);
    if !tells(&texts, &total()) {
        return Err(at(&seen, message, format!("{} for `{TOOL_CALL}`", total()), format!("{texts:?}")).into());
    }
    let (end, told) = must_ask(recording, "parent-2", message)?;
    match value(told, OUTER) {
        Some(result) if result == json!({"answer": "priced"}) => {
            Ok(handed_in.witness().and(seen.witness()).and(end.witness()))
        }
        other => {
            Err(at(&end, message, "the operation's own result for the parent", format!("{other:?}")).into())
        }
    }
}

fn the_run_waits_for_the_tool(recording: &Recording, _: &Spec) -> Judged {
    let message = "a run did not say that it waits for a caller's tool";
    let states = states(recording, &run_id(recording)?);
    let waiting = states.iter().find(|(_, state)| state == "waiting_for_tool");
    let run = recording.one("run")?;
    let Some((seen, _)) = waiting else {
        let got: Vec<&String> = states.iter().map(|(_, state)| state).collect();
        return Err(at(&run, message, "a change to `waiting_for_tool`", format!("{got:?}")).into());
    };
    let payload = seen.value().map(|event| event["publicPayload"].clone()).unwrap_or_default();
    if payload["reason"] != "tool_pending" || payload["toolName"] != TOOL {
        let expected = format!("the reason `tool_pending` and the tool `{TOOL}`");
        return Err(seen.finding("the wait for a tool does not say what it is for", expected).into());
    }
    if run.json()?["state"] == "completed" {
        return Ok(seen.witness().and(run.witness()));
    }
    Err(run.finding("a run did not complete after its caller had answered", "the state `completed`").into())
}

fn the_call_is_one_of_the_parent_run(recording: &Recording, _: &Spec) -> Judged {
    let message = "a call inside an operation is not one tool call of the run";
    let run = run_id(recording)?;
    let page = recording.one("calls")?;
    let rows = listed(&page)?;
    let [row] = rows.as_slice() else {
        return Err(page.finding(message, "one tool call: that of the caller's tool").into());
    };
    let same = row["runId"] == run.as_str()
        && row["toolName"] == TOOL
        && row["owner"] == "caller"
        && row["safeArguments"] == arguments();
    if same {
        return Ok(page.witness());
    }
    let expected = format!("`{TOOL}` of the run {run}, owned by the caller, with {}", arguments());
    Err(page.finding(message, expected).into())
}

/// The members of each kind of event, and those that may be left out.
const MEMBERS: [(&str, &[&str], &[&str]); 4] = [
    ("tool_call.requested", &["toolCallId", "toolName", "owner", "attempt", "maximumAttempts"], &[]),
    ("tool_call.claimed", &["action", "fence"], &[]),
    ("tool_call.result_submitted", &["outcome", "fence", "normalizedFailure"], &["path"]),
    ("tool_call.result_committed", &["toolCallId", "owner"], &[]),
];

fn its_events_say_what_they_may(recording: &Recording, _: &Spec) -> Judged {
    let rows = listed(&recording.one("calls")?)?;
    let id = rows.first().map(|row| row["id"].clone()).unwrap_or_default();
    let mut witness: Option<Witness> = None;
    for (kind, needed, allowed) in MEMBERS {
        let on_the_run = events_of(recording, kind);
        let on_the_call = recording.events("call events");
        let all =
            on_the_run.into_iter().chain(on_the_call.into_iter().filter(|(_, event)| event["kind"] == kind));
        let mut seen_one = false;
        for (seen, event) in all {
            let payload = event["publicPayload"].as_object().cloned().unwrap_or_default();
            let has_all = needed.iter().all(|name| payload.contains_key(*name));
            let has_more = payload
                .keys()
                .any(|name| !needed.contains(&name.as_str()) && !allowed.contains(&name.as_str()));
            if !has_all || has_more {
                let message = "an event of a tool call has other members than it may have";
                return Err(seen.finding(message, format!("{} {needed:?}", kind)).into());
            }
            if payload.get("toolCallId").is_some_and(|named| *named != id) {
                let message = "an event of a tool call names another call";
                return Err(seen.finding(message, format!("`toolCallId` {id}")).into());
            }
            seen_one = true;
            witness = Some(witness.map_or_else(|| seen.witness(), |before| before.and(seen.witness())));
        }
        if !seen_one {
            let message = "a step of a tool call has no event";
            return Err(recording.one("run")?.finding(message, kind).into());
        }
    }
    Ok(witness.unwrap_or(recording.one("run")?.witness()))
}

async fn nobody_answers(driver: &Driver<'_>) -> Drove {
    load(driver, script())?;
    let agent = need_tool(driver, &json!([operation(KEY, SHORT_MS)]), "never", 20_000).await?;
    let started = start(driver, "start", &agent).await?;
    need_call(driver, "calls", &started, 1).await?;
    settle(driver, &started).await
}

fn the_timer_runs_on(recording: &Recording, _: &Spec) -> Judged {
    let message = "an operation outlived its timeout while it waited for a caller";
    let run = recording.one("run")?;
    let ended: Vec<_> = ["harness.operation_cancelled", "harness.operation_timed_out"]
        .iter()
        .flat_map(|kind| events_of(recording, kind))
        .collect();
    let (Some((seen, event)), "completed") =
        (ended.first(), run.json()?["state"].as_str().unwrap_or_default())
    else {
        return Err(run
            .finding(message, "an operation that ended at its timer, and a run that went on")
            .into());
    };
    if event["publicPayload"]["resultValidated"] != false {
        return Err(seen.finding(message, "`resultValidated` false").into());
    }
    let (told, _) = must_ask(recording, "parent-2", message)?;
    Ok(seen.witness().and(run.witness()).and(told.witness()))
}
