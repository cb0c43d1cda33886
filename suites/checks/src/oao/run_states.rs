//! The states of a run: what may follow what, and what a client may ask for (OAO-243 to 246).

use engine::{Call, Driver, Drove};
use model::{Answer, Conditions, Script, Turn};
use recording::{Judged, Recording, Verdict, View};
use serde_json::{Value, json};
use spec::Spec;

use super::{
    agents::{config_without_operations, need_agent, project},
    callers::{
        LONG_LEASE_MS, need_call, need_claim, need_tool, parent_calls_the_tool, post, refused, run_id,
        states, submit, success, until_shown,
    },
    runs::{BEGIN, Started, at, load, settle, start},
};
use crate::table::checks;

checks! { Oao:
    "OAO-243-a" => a_run_waits_and_goes_on, each_state_may_follow_the_last;
    "OAO-244-a" => a_message_comes_too_early, it_is_a_conflict;
    "OAO-245-a" => a_queued_run_is_cancelled, it_never_starts;
    "OAO-246-a" => a_settled_run_is_cancelled, it_stays_as_it_is;
}

const RUN_MS: u64 = 60_000;
const GATE: &str = "at-work";

/// Which state may follow which.
const NEXT: [(&str, &[&str]); 5] = [
    ("queued", &["running", "retry_scheduled", "cancelled", "failed", "timed_out"]),
    ("retry_scheduled", &["queued", "cancelled", "failed", "timed_out"]),
    (
        "running",
        &["waiting_for_tool", "waiting_for_approval", "completed", "failed", "cancelled", "timed_out"],
    ),
    ("waiting_for_tool", &["running", "waiting_for_approval", "failed", "cancelled", "timed_out"]),
    ("waiting_for_approval", &["running", "waiting_for_tool", "failed", "cancelled", "timed_out"]),
];

async fn a_run_waits_and_goes_on(driver: &Driver<'_>) -> Drove {
    load(driver, parent_calls_the_tool())?;
    let agent = need_tool(driver, &json!([]), "never", RUN_MS).await?;
    let started = start(driver, "start", &agent).await?;
    let call = need_call(driver, "calls", &started, 1).await?;
    let fence = need_claim(driver, "claim", &call, LONG_LEASE_MS).await?;
    driver.get("while it waits", format!("{}/runs/{}", project(driver), started.run)).await;
    let result = submit(driver, "result", &call, &fence, &success(json!({"total": 3}))).await;
    driver.need(&result, "hand a result in")?;
    settle(driver, &started).await
}

fn each_state_may_follow_the_last(recording: &Recording, _: &Spec) -> Judged {
    let message = "a run went from one state to another that may not follow";
    let run = recording.one("run")?;
    let mut witness = run.witness();
    let mut last = "queued".to_owned();
    for (seen, state) in states(recording, &run_id(recording)?) {
        let allowed = NEXT.iter().find(|(from, _)| *from == last).map_or(&[][..], |(_, next)| next);
        if state != last && !allowed.contains(&state.as_str()) {
            let expected = format!("after `{last}` one of {allowed:?}");
            return Err(at(&seen, message, expected, format!("`{state}`")).into());
        }
        last = state;
        witness = witness.and(seen.witness());
    }
    let (settled, before) = (run.json()?, recording.one("while it waits")?);
    if settled["state"] != last.as_str() || last != "completed" {
        return Err(run.finding("a run is in another state than its events say", last).into());
    }
    if !settled["settledAt"].is_string() || !before.json()?["settledAt"].is_null() {
        let message = "`settledAt` does not tell whether a run is over";
        return Err(run.finding(message, "a time once it is, and null before").into());
    }
    Ok(witness.and(before.witness()))
}

fn held() -> Result<Script, model::ScriptError> {
    let parent = Conditions::new().user_contains(BEGIN);
    Script::new("held", [Turn::new("parent", Answer::new().text("Done.")).when(parent).hold(GATE)])
}

async fn a_message_comes_too_early(driver: &Driver<'_>) -> Drove {
    load(driver, held())?;
    let own = config_without_operations(driver);
    let agent = need_agent(driver, "publish", &own, "publish a minimal agent").await?;
    let started = start(driver, "start", &agent).await?;
    let model = driver.model()?;
    let asked = model.wait_for_held(driver.token(), GATE, 1);
    // A run that never asks the model is judged by what it is then.
    let _ = driver.clock().within(std::time::Duration::from_secs(20), asked).await;
    let message = json!({"message": "And another thing."});
    post(driver, "message", &format!("sessions/{}/runs", started.session), &message).await;
    post(driver, "resumption", &format!("runs/{}/resume", started.run), &message).await;
    model.release(driver.token(), GATE);
    settle(driver, &started).await
}

fn it_is_a_conflict(recording: &Recording, _: &Spec) -> Judged {
    let message = "a message was taken while the run before it was at work";
    let (one, other) = (recording.one("message")?, recording.one("resumption")?);
    for seen in [&one, &other] {
        refused(seen, message, 409, "conflict")?;
    }
    let detail = recording.one("detail")?;
    if detail.json()?["runs"].as_array().is_none_or(|runs| runs.len() != 1) {
        return Err(detail.finding(message, "a session with one run").into());
    }
    Ok(one.witness().and(other.witness()).and(detail.witness()))
}

async fn cancel(driver: &Driver<'_>, label: &str, started: &Started) {
    let call = Call::new("POST", format!("{}/runs/{}/cancel", project(driver), started.run));
    driver.send(label, call.header("idempotency-key", driver.fresh())).await;
}

async fn hold(driver: &Driver<'_>, label: &str, agent: &str, held: bool) -> engine::Reply {
    let body = json!({"agentId": agent, "held": held});
    driver.send(label, Call::control("PUT", "/queue").json(&body)).await
}

async fn a_queued_run_is_cancelled(driver: &Driver<'_>) -> Drove {
    driver.control("hold-queue")?;
    load(driver, words_only())?;
    let own = config_without_operations(driver);
    let agent = need_agent(driver, "publish", &own, "publish a minimal agent").await?;
    let reply = hold(driver, "hold", &agent.id, true).await;
    if !reply.is_success() {
        return Err(driver.setup_failed(&reply, "keep runs in the queue", "2xx from the control port"));
    }
    let started = start(driver, "start", &agent).await?;
    let run = format!("{}/runs/{}", project(driver), started.run);
    driver.get("queued", run.clone()).await;
    cancel(driver, "cancel", &started).await;
    driver.get("cancelled", run).await;
    hold(driver, "release", &agent.id, false).await;
    // A second run shows that the queue moves again, and that the first one did not start meanwhile.
    let again = json!({"message": BEGIN});
    let next = post(driver, "next", &format!("sessions/{}/runs", started.session), &again).await;
    let next = driver.need_text(&next, "/id", "start a further run")?;
    settle(driver, &Started { session: started.session, run: next }).await
}

fn words_only() -> Result<Script, model::ScriptError> {
    let parent = Conditions::new().user_contains(BEGIN);
    Script::new("words only", [Turn::new("parent", Answer::new().text("Done.")).when(parent).repeat()])
}

fn it_never_starts(recording: &Recording, _: &Spec) -> Judged {
    let message = "a run that was cancelled in the queue was not settled there";
    let (queued, cancel) = (recording.one("queued")?, recording.one("cancel")?);
    if queued.json()?["state"] != "queued" {
        return Err(Verdict::Untested {
            reason: "the control port took `held` for an agent and admitted its run all the same".to_owned(),
        });
    }
    cancel.answer()?;
    let cancelled = recording.one("cancelled")?;
    let body = cancelled.json()?;
    if cancel.status() != Some(202) || body["state"] != "cancelled" || !body["settledAt"].is_string() {
        return Err(cancelled.finding(message, "202, and then a run that is `cancelled` and settled").into());
    }
    let asked = recording.model_turns();
    if asked.len() != 1 {
        let got = format!("{} model requests", asked.len());
        return Err(cancelled.finding_got(message, "one model request: that of the next run", got).into());
    }
    let own = cancelled.json()?["id"].clone();
    let detail = recording.one("detail")?;
    let rows = detail.json()?["debug"]["productEvents"].as_array().cloned().unwrap_or_default();
    let of = |kind: &str| -> Vec<Value> {
        let own = rows.iter().filter(|row| row["aggregateId"] == own && row["eventKind"] == kind);
        own.map(|row| row["publicPayload"].clone()).collect()
    };
    if of("run.cancellation_requested") != [json!({"outcome": "cancelled_pre_admission"})] {
        let expected = "one request for cancellation with the outcome `cancelled_pre_admission`";
        return Err(detail.finding(message, expected).into());
    }
    Ok(queued.witness().and(cancel.witness()).and(cancelled.witness()).and(detail.witness()))
}

async fn a_settled_run_is_cancelled(driver: &Driver<'_>) -> Drove {
    load(driver, words_only())?;
    let own = config_without_operations(driver);
    let agent = need_agent(driver, "publish", &own, "publish a minimal agent").await?;
    let started = start(driver, "start", &agent).await?;
    let settled = |event: &Value| event["publicPayload"]["state"] == "completed";
    until_shown(driver, "settled", &started, 1, settled).await;
    let run = format!("{}/runs/{}", project(driver), started.run);
    driver.get("before", run.clone()).await;
    cancel(driver, "cancel", &started).await;
    driver.get("after", run).await;
    let requested = |event: &Value| event["kind"] == "run.cancellation_requested";
    until_shown(driver, "requested", &started, 1, requested).await;
    driver.record_model("model")
}

fn it_stays_as_it_is(recording: &Recording, _: &Spec) -> Judged {
    let message = "to cancel a run that is over changed something, or was refused";
    let (before, cancel, after) =
        (recording.one("before")?, recording.one("cancel")?, recording.one("after")?);
    if before.json()?["state"] != "completed" {
        return Err(before.finding("a run did not complete", "`completed`").into());
    }
    cancel.answer()?;
    if cancel.status() != Some(202) {
        return Err(cancel.finding(message, "202").into());
    }
    let (was, is) = (before.json()?, after.json()?);
    for member in ["state", "settledAt"] {
        if was[member] != is[member] || cancel.json()?["state"] != was["state"] {
            return Err(after.finding(message, format!("`{member}` as before: {}", was[member])).into());
        }
    }
    let outcome = recording.events("requested").into_iter().find(|(_, event)| {
        event["kind"] == "run.cancellation_requested"
            && event["publicPayload"]["outcome"] == "already_settled"
    });
    match outcome {
        Some((seen, _)) => Ok(cancel.witness().and(after.witness()).and(seen.witness())),
        None => {
            let expected = "`run.cancellation_requested` with the outcome `already_settled`";
            Err(cancel.finding(message, expected).into())
        }
    }
}
