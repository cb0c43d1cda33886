//! Approvals of tool calls (OAO-256 to 259).

use std::time::Duration;

use engine::{Driver, Drove, Halt};
use recording::{Judged, Lane, Recording, View};
use serde_json::{Value, json};
use spec::Spec;

use super::{
    agents::listed,
    callers::{
        LONG_LEASE_MS, TOOL_CALL, act, approvals, calls, need_tool, parent_calls_the_tool, post, refused,
        run_id, states, submit, success, tells, until_shown,
    },
    runs::{Started, at, load, must_ask, results, settle, start},
};
use crate::{percent::encoded, table::checks};

checks! { Oao:
    "OAO-256-a" => a_call_is_approved, it_ran_after_that;
    "OAO-256-b" => a_call_is_denied, it_never_ran;
    "OAO-257-a" => nobody_decides_for_a_day, the_approval_expires;
    "OAO-258-a" => a_decision_comes_late, the_deadline_stood_still;
    "OAO-259-a" => a_decision_is_made_twice, the_first_one_stays;
}

const RUN_MS: u64 = 60_000;
/// The day after which an approval expires.
const DAY: Duration = Duration::from_secs(24 * 60 * 60);
const MINUTE: Duration = Duration::from_secs(60);
/// A run's time limit, and a decision that comes after it.
const SHORT_RUN_MS: u64 = 2_500;
const LATE: Duration = Duration::from_millis(4_000);

/// A run whose call needs an approval; the ids of the call and of the approval, where there is one.
struct Asked {
    started: Started,
    call: Option<String>,
    approval: Option<String>,
}

async fn ask(driver: &Driver<'_>, run_ms: u64) -> Result<Asked, Halt> {
    load(driver, parent_calls_the_tool())?;
    let agent = need_tool(driver, &json!([]), "always", run_ms).await?;
    let started = start(driver, "start", &agent).await?;
    let held = |event: &Value| {
        event["kind"] == "approval.requested"
            || event["publicPayload"]["state"].as_str().is_some_and(|state| state.starts_with("waiting_for_"))
    };
    until_shown(driver, "held", &started, 1, held).await;
    let id = |reply: engine::Reply| reply.text("/data/0/id").map(str::to_owned);
    let call = id(calls(driver, "calls", &started).await);
    let approval = id(approvals(driver, "approvals", &started).await);
    Ok(Asked { started, call, approval })
}

async fn decide(driver: &Driver<'_>, label: &str, approval: &str, status: &str) {
    let path = format!("approvals/{}/decision", encoded(approval));
    post(driver, label, &path, &json!({"status": status, "note": "Looked at."})).await;
}

async fn a_call_is_approved(driver: &Driver<'_>) -> Drove {
    let asked = ask(driver, RUN_MS).await?;
    let (Some(call), Some(approval)) = (asked.call, asked.approval) else {
        return driver.record_model("model");
    };
    let lease = json!({"leaseMs": LONG_LEASE_MS});
    act(driver, "early claim", &call, "claim", &lease).await;
    decide(driver, "decision", &approval, "approved").await;
    let waits_for_tool = |event: &Value| event["publicPayload"]["state"] == "waiting_for_tool";
    until_shown(driver, "approved", &asked.started, 1, waits_for_tool).await;
    let claim = act(driver, "claim", &call, "claim", &lease).await;
    if let Some(fence) = claim.text("/fence") {
        submit(driver, "result", &call, fence, &success(json!({"total": 7}))).await;
    }
    settle(driver, &asked.started).await
}

fn it_ran_after_that(recording: &Recording, _: &Spec) -> Judged {
    let message = "a tool that needs an approval could be called without one";
    let page = recording.one("approvals")?;
    let rows = listed(&page)?;
    let pending = rows.len() == 1 && rows[0]["status"] == "pending";
    if !pending || rows[0]["runId"] != run_id(recording)?.as_str() {
        return Err(page.finding(message, "one pending approval of the run").into());
    }
    let early = recording.one("early claim")?;
    refused(&early, message, 409, "conflict")?;
    let decision = recording.one("decision")?;
    if !decision.is_success() || decision.json()?["status"] != "approved" {
        return Err(decision.finding("an approval could not be given", "200 with `approved`").into());
    }
    let states = states(recording, &run_id(recording)?);
    let Some((waiting, _)) = states.iter().find(|(_, state)| state == "waiting_for_approval") else {
        let message = "a run did not say that it waits for an approval";
        return Err(recording.one("run")?.finding(message, "a change to `waiting_for_approval`").into());
    };
    let message = "a call that was approved did not run";
    let (seen, told) = must_ask(recording, "parent-2", message)?;
    let texts = results(told, TOOL_CALL);
    if tells(&texts, &json!({"total": 7})) {
        return Ok(page.witness().and(decision.witness()).and(waiting.witness()).and(seen.witness()));
    }
    Err(at(&seen, message, "{\"total\":7}", format!("{texts:?}")).into())
}

async fn a_call_is_denied(driver: &Driver<'_>) -> Drove {
    let asked = ask(driver, RUN_MS).await?;
    let (Some(call), Some(approval)) = (asked.call, asked.approval) else {
        return driver.record_model("model");
    };
    decide(driver, "decision", &approval, "denied").await;
    act(driver, "claim", &call, "claim", &json!({"leaseMs": LONG_LEASE_MS})).await;
    settle(driver, &asked.started).await?;
    calls(driver, "after", &asked.started).await;
    Ok(())
}

fn it_never_ran(recording: &Recording, _: &Spec) -> Judged {
    let message = "a call ran although it was denied";
    need_approval(recording)?;
    let decision = recording.one("decision")?;
    if !decision.is_success() || decision.json()?["status"] != "denied" {
        return Err(decision.finding("an approval could not be refused", "200 with `denied`").into());
    }
    let claim = recording.one("claim")?;
    refused(&claim, message, 409, "conflict")?;
    let page = recording.one("after")?;
    if listed(&page)?.first().is_none_or(|row| row["stage"] != "approval_denied") {
        return Err(page.finding(message, "the call in the stage `approval_denied`").into());
    }
    let (seen, told) = must_ask(recording, "parent-2", "the model was not told that its call was denied")?;
    let run = recording.one("run")?;
    let texts = results(told, TOOL_CALL);
    if texts.is_empty() || run.json()?["state"] != "completed" {
        let message = "the model was not told that its call was denied";
        return Err(at(&seen, message, "a tool error, and a run that goes on", format!("{texts:?}")).into());
    }
    Ok(decision.witness().and(claim.witness()).and(page.witness()).and(seen.witness()))
}

/// A finding where no approval was asked for, so that the drive ended early.
fn need_approval(recording: &Recording) -> Result<(), recording::Verdict> {
    let page = recording.one("approvals")?;
    if listed(&page)?.is_empty() {
        return Err(page.finding("no approval was asked for", "one pending approval of the run").into());
    }
    Ok(())
}

async fn nobody_decides_for_a_day(driver: &Driver<'_>) -> Drove {
    driver.claimed("approval-expiry")?;
    if driver.facts().lane == Lane::Wall {
        return Err(driver.unmet("a clock that can be moved by a day: only a target in process has one"));
    }
    let asked = ask(driver, RUN_MS).await?;
    if asked.approval.is_none() {
        return driver.record_model("model");
    }
    driver.clock().pause(DAY - MINUTE).await;
    approvals(driver, "before", &asked.started).await;
    driver.clock().pause(2 * MINUTE).await;
    approvals(driver, "after", &asked.started).await;
    settle(driver, &asked.started).await
}

fn the_approval_expires(recording: &Recording, _: &Spec) -> Judged {
    need_approval(recording)?;
    let (before, after) = (recording.one("before")?, recording.one("after")?);
    if listed(&before)?.first().is_none_or(|row| row["status"] != "pending") {
        return Err(before.finding("an approval expired before its day was over", "`pending`").into());
    }
    let message = "an approval did not expire after a day";
    if listed(&after)?.first().is_none_or(|row| row["status"] == "pending" || row["status"] == "approved") {
        return Err(after.finding(message, "`expired`").into());
    }
    let (seen, told) = must_ask(recording, "parent-2", message)?;
    if results(told, TOOL_CALL).is_empty() {
        return Err(seen.finding(message, "a tool error for the call").into());
    }
    Ok(before.witness().and(after.witness()).and(seen.witness()))
}

async fn a_decision_comes_late(driver: &Driver<'_>) -> Drove {
    driver.claimed("approval-expiry")?;
    let asked = ask(driver, SHORT_RUN_MS).await?;
    let Some(approval) = asked.approval else {
        return driver.record_model("model");
    };
    driver.clock().pause(LATE).await;
    decide(driver, "decision", &approval, "denied").await;
    settle(driver, &asked.started).await
}

fn the_deadline_stood_still(recording: &Recording, _: &Spec) -> Judged {
    need_approval(recording)?;
    let message = "the time limit of a run ran on while it waited for an approval";
    let run = recording.one("run")?;
    if run.json()?["state"] != "completed" {
        return Err(run.finding(message, "a run that goes on after the decision and completes").into());
    }
    let (seen, _) = must_ask(recording, "parent-2", message)?;
    Ok(run.witness().and(seen.witness()))
}

async fn a_decision_is_made_twice(driver: &Driver<'_>) -> Drove {
    let asked = ask(driver, RUN_MS).await?;
    let Some(approval) = asked.approval else {
        return driver.record_model("model");
    };
    decide(driver, "first", &approval, "denied").await;
    decide(driver, "second", &approval, "approved").await;
    approvals(driver, "after", &asked.started).await;
    driver.record_model("model")
}

fn the_first_one_stays(recording: &Recording, _: &Spec) -> Judged {
    need_approval(recording)?;
    let message = "a decision was made over another one";
    let (first, second, after) = (recording.one("first")?, recording.one("second")?, recording.one("after")?);
    if !first.is_success() {
        return Err(first.finding("an approval could not be refused", "200 with `denied`").into());
    }
    refused(&second, message, 409, "conflict")?;
    if listed(&after)?.first().is_none_or(|row| row["status"] != "denied") {
        return Err(after.finding(message, "`denied`, as it was decided first").into());
    }
    Ok(first.witness().and(second.witness()).and(after.witness()))
}
