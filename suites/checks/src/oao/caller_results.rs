//! Results of callers: once, by the schema, and never too late (OAO-249, 252, 253, 254).

use engine::{Call, Driver, Drove};
use model::{Answer, Conditions, Script, ToolCall, Turn};
use recording::{Judged, Recording, View};
use serde_json::{Value, json};
use spec::Spec;

use super::{
    agents::{listed, project},
    callers::{
        LONG_LEASE_MS, TOOL, TOOL_CALL, arguments, calls, need_call, need_claim, need_tool,
        parent_calls_the_tool, refused, submit, success, tells,
    },
    runs::{BEGIN, at, load, must_ask, results, settle, start},
};
use crate::table::checks;

checks! { Oao:
    "OAO-249-a" => three_results, only_the_first_counts;
    "OAO-252-a" => a_result_breaks_its_schema, a_failure_takes_its_place;
    "OAO-253-a" => a_run_is_cancelled_with_an_open_call, the_call_is_cancelled_too;
    "OAO-254-a" => a_tool_keeps_failing, it_is_called_three_times;
}

const RUN_MS: u64 = 60_000;

async fn three_results(driver: &Driver<'_>) -> Drove {
    load(driver, parent_calls_the_tool())?;
    let agent = need_tool(driver, &json!([]), "never", RUN_MS).await?;
    let started = start(driver, "start", &agent).await?;
    let call = need_call(driver, "calls", &started, 1).await?;
    let fence = need_claim(driver, "claim", &call, LONG_LEASE_MS).await?;
    for (label, total) in [("first", 1), ("again", 1), ("another", 2)] {
        submit(driver, label, &call, &fence, &success(json!({"total": total}))).await;
    }
    settle(driver, &started).await
}

fn only_the_first_counts(recording: &Recording, _: &Spec) -> Judged {
    let message = "a second, different result was not refused";
    let (first, again) = (recording.one("first")?, recording.one("again")?);
    for (seen, outcome) in [(&first, "submitted"), (&again, "replayed")] {
        seen.answer()?;
        if !seen.is_success() || seen.json()?["outcome"] != outcome {
            let message = "a result that was handed in is not answered with what became of it";
            return Err(seen.finding(message, format!("202 with the outcome `{outcome}`")).into());
        }
    }
    let another = recording.one("another")?;
    refused(&another, message, 409, "idempotency_conflict")?;
    let (seen, told) = must_ask(recording, "parent-2", message)?;
    let texts = results(told, TOOL_CALL);
    if tells(&texts, &json!({"total": 1})) {
        return Ok(first.witness().and(again.witness()).and(another.witness()).and(seen.witness()));
    }
    Err(at(&seen, message, "{\"total\":1}", format!("{texts:?}")).into())
}

async fn a_result_breaks_its_schema(driver: &Driver<'_>) -> Drove {
    load(driver, parent_calls_the_tool())?;
    let agent = need_tool(driver, &json!([]), "never", RUN_MS).await?;
    let started = start(driver, "start", &agent).await?;
    let call = need_call(driver, "calls", &started, 1).await?;
    let fence = need_claim(driver, "claim", &call, LONG_LEASE_MS).await?;
    submit(driver, "result", &call, &fence, &success(broken())).await;
    settle(driver, &started).await
}

/// What the output schema requires is missing, and what it closes out is there.
fn broken() -> Value {
    json!({"sum": "twelve"})
}

fn a_failure_takes_its_place(recording: &Recording, _: &Spec) -> Judged {
    let message = "a result that breaks its schema was taken as a success";
    let handed_in = recording.one("result")?;
    let body = handed_in.json()?;
    let failure = &body["normalizedFailure"];
    let told_so = failure["code"] == "invalid_tool_result" && failure["path"].is_string();
    if !handed_in.is_success() || !told_so {
        let expected =
            "202 with `normalizedFailure`: `invalid_tool_result` and the first place that is wrong";
        return Err(handed_in.finding(message, expected).into());
    }
    let (seen, told) = must_ask(recording, "parent-2", message)?;
    let texts = results(told, TOOL_CALL);
    if texts.is_empty() || tells(&texts, &broken()) {
        return Err(at(&seen, message, "a failure in the place of the result", format!("{texts:?}")).into());
    }
    Ok(handed_in.witness().and(seen.witness()))
}

async fn a_run_is_cancelled_with_an_open_call(driver: &Driver<'_>) -> Drove {
    load(driver, parent_calls_the_tool())?;
    let agent = need_tool(driver, &json!([]), "never", RUN_MS).await?;
    let started = start(driver, "start", &agent).await?;
    let call = need_call(driver, "calls", &started, 1).await?;
    let fence = need_claim(driver, "claim", &call, LONG_LEASE_MS).await?;
    let cancel = Call::new("POST", format!("{}/runs/{}/cancel", project(driver), started.run));
    driver.send("cancel", cancel.header("idempotency-key", driver.fresh())).await;
    settle(driver, &started).await?;
    calls(driver, "after", &started).await;
    submit(driver, "late result", &call, &fence, &success(json!({"total": 1}))).await;
    Ok(())
}

fn the_call_is_cancelled_too(recording: &Recording, _: &Spec) -> Judged {
    let message = "a tool call outlived the run that had asked for it";
    let run = recording.one("run")?;
    if run.json()?["state"] != "cancelled" {
        return Err(run.finding("a run that waits for a caller was not cancelled", "`cancelled`").into());
    }
    let page = recording.one("after")?;
    let rows = listed(&page)?;
    if rows.len() != 1 || rows[0]["stage"] != "cancelled" {
        return Err(page.finding(message, "the call in the stage `cancelled`").into());
    }
    let late = recording.one("late result")?;
    refused(&late, message, 409, "conflict")?;
    Ok(run.witness().and(page.witness()).and(late.witness()))
}

/// So many attempts has a tool in a run.
const ATTEMPTS: usize = 3;

fn id(attempt: usize) -> String {
    format!("call_{attempt}")
}

/// The model calls the tool again and again, once more than it may.
fn stubborn() -> Result<Script, model::ScriptError> {
    let parent = || Conditions::new().user_contains(BEGIN);
    let turns = (1..=ATTEMPTS + 1).map(|attempt| {
        let call = Answer::new().call(ToolCall::new(id(attempt), TOOL, arguments()));
        let when = match attempt {
            1 => parent().no_tool_results(),
            _ => parent().tool_result_for(id(attempt - 1)),
        };
        Turn::new(format!("parent-{attempt}"), call).when(when)
    });
    let end =
        Turn::new("parent-end", Answer::new().text("Done.")).when(parent().tool_result_for(id(ATTEMPTS + 1)));
    Script::new("a tool that keeps failing", turns.chain([end]))
}

async fn a_tool_keeps_failing(driver: &Driver<'_>) -> Drove {
    load(driver, stubborn())?;
    let agent = need_tool(driver, &json!([]), "never", 20_000).await?;
    let started = start(driver, "start", &agent).await?;
    let failure = json!({
        "version": 1, "status": "failure", "error": {"code": "tool_failed", "message": "The desk is closed."},
    });
    for attempt in 1..=ATTEMPTS {
        let call = need_call(driver, &format!("calls {attempt}"), &started, attempt).await?;
        let fence = need_claim(driver, &format!("claim {attempt}"), &call, LONG_LEASE_MS).await?;
        let result = submit(driver, &format!("result {attempt}"), &call, &fence, &failure).await;
        driver.need(&result, "hand a failure in")?;
    }
    settle(driver, &started).await?;
    calls(driver, "after", &started).await;
    Ok(())
}

fn it_is_called_three_times(recording: &Recording, _: &Spec) -> Judged {
    let message = "a tool that failed three times in a run was called once more";
    let page = recording.one("after")?;
    let rows = listed(&page)?;
    // A row for the refused call is fine, as long as no caller was ever asked.
    let asked = rows.iter().filter(|row| row["stage"] != "failed").count();
    if asked > ATTEMPTS {
        let got = format!("{} tool calls", rows.len());
        return Err(page.finding_got(message, format!("{ATTEMPTS} tool calls"), got).into());
    }
    let (seen, told) = must_ask(recording, "parent-end", message)?;
    if results(told, &id(ATTEMPTS + 1)).is_empty() {
        return Err(seen.finding(message, "an error for the call that was one too many").into());
    }
    Ok(page.witness().and(seen.witness()))
}
