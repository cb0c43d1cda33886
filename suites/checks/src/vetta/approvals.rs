//! Holding a tool call for a decision, as far as admission goes (VET-24 to 26).

use engine::{Call, Driver, Drove};
use recording::{Judged, Recording, View};
use serde_json::{Value, json};
use spec::Spec;

use super::{
    agents::{Agent, NAMED_TOOL, asking},
    environments::{Environment, starts_here},
    evidence::{Evidence, by_base},
    rows::{flag, text},
};
use crate::{percent::encoded, table::checks};

checks! { Vetta:
    "VET-24-a" => ask_is_started_without_approvals, every_start_names_harness;
    "VET-24-b" => ask_is_started_without_approvals, every_refusal_is_on_the_start;
    "VET-24-c" => one_ask_is_started_without_approvals, refused_start_changes_nothing;
    "VET-25-b" => ask_is_written, ask_comes_back;
    "VET-26-a" => ask_is_written_without_approvals, both_writes_are_accepted;
}

const NOT_REFUSED: &str =
    "a toolset on `ask` was not refused with 400 naming `harness` on a loop without approvals";
const REFUSED_LATE: &str = "the refusal does not come on the start call";
const STARTED: &str = "a start that had to be refused was accepted";
const AGENT_CHANGED: &str = "a refused start changed the agent";
const ASK_REWRITTEN: &str = "`ask` does not come back as it was written";
const NOT_WRITTEN: &str = "an agent on `ask` could not be written on a loop without approvals";

const WHAT: &str = "hosted loop that is runnable and has no approvals";

fn cannot_hold(row: &Value) -> bool {
    flag(row, "approvals") == Some(false)
}

/// A start on every loop without approvals; where one is accepted, a first message follows.
async fn ask_is_started_without_approvals(driver: &Driver<'_>) -> Drove {
    let environment = Environment::primary(driver).await?;
    for base in environment.pick_all(WHAT, |row| starts_here(row) && cannot_hold(row))? {
        environment.need_twin(&base).await?;
        let agent = environment.need_agent("agent", &Agent::on(&environment, &base).asking()).await?;
        let start = environment.start(&format!("start: {base}"), &agent, &json!({})).await;
        if let Some(session) = start.text("/id").filter(|_| start.is_success()) {
            let path = format!("/v1/sessions/{}/messages", encoded(session));
            let message = Call::post(path, &json!({"content": driver.marker()}));
            environment.send(&format!("message: {base}"), message).await;
        }
    }
    Ok(())
}

fn every_start_names_harness(recording: &Recording, _: &Spec) -> Judged {
    let mut evidence = Evidence::default();
    for (_, start) in by_base(recording, "start")? {
        evidence.refused(&start, NOT_REFUSED, &[400], &["harness"])?;
    }
    evidence.judged()
}

fn every_refusal_is_on_the_start(recording: &Recording, _: &Spec) -> Judged {
    let mut evidence = Evidence::default();
    for (base, start) in by_base(recording, "start")? {
        let status = start.answer()?.status;
        if status != 400 {
            let message = recording.labelled(&format!("message: {base}")).first().map(|seen| seen.summary());
            let then = message.map(|answer| format!("; the first message got {answer}")).unwrap_or_default();
            let got = format!("{}{then}", start.summary());
            return Err(start.finding_got(REFUSED_LATE, "400 to the start", got).into());
        }
        evidence.see(&start);
    }
    evidence.judged()
}

async fn one_ask_is_started_without_approvals(driver: &Driver<'_>) -> Drove {
    let environment = Environment::primary(driver).await?;
    let row = environment.pick(WHAT, |row| starts_here(row) && cannot_hold(row))?;
    let base = text(&row, "base");
    environment.need_listed_twin(base).await?;
    let agent = environment.need_agent("agent", &Agent::on(&environment, base).asking()).await?;
    let before = environment.read("before", &agent).await;
    driver.need(&before, "read the agent")?;
    environment.start("start", &agent, &json!({})).await;
    environment.list_sessions("sessions", &agent).await?;
    environment.read("after", &agent).await;
    Ok(())
}

fn refused_start_changes_nothing(recording: &Recording, _: &Spec) -> Judged {
    let mut evidence = Evidence::default();
    let start = recording.one("start")?;
    start.answer()?;
    if start.is_success() {
        return Err(start.finding(STARTED, "400").into());
    }
    evidence.no_session(recording, &start, ("sessions", None))?;
    let (before, after) = (recording.one("before")?, recording.one("after")?);
    let agent = evidence.accepted(&after, AGENT_CHANGED)?;
    if agent != before.json()? || agent.pointer("/tools/permission") != Some(&json!("ask")) {
        return Err(after.finding(AGENT_CHANGED, "the agent as it was, its toolset on `ask`").into());
    }
    evidence.judged()
}

async fn ask_is_written(driver: &Driver<'_>) -> Drove {
    let environment = Environment::primary(driver).await?;
    let row = environment.preferring(starts_here);
    let tools = json!({"permission": "ask", "overrides": {NAMED_TOOL: "ask"}});
    let agent = Agent::on(&environment, text(&row, "base")).with("tools", tools);
    let id = environment.need_agent("create", &agent).await?;
    environment.read("read", &id).await;
    Ok(())
}

fn ask_comes_back(recording: &Recording, _: &Spec) -> Judged {
    let places = ["/tools/permission".to_owned(), format!("/tools/overrides/{NAMED_TOOL}")];
    let mut evidence = Evidence::default();
    for seen in [recording.one("create")?, recording.one("read")?] {
        let agent = evidence.accepted(&seen, ASK_REWRITTEN)?;
        if let Some(place) = places.iter().find(|place| agent.pointer(place) != Some(&json!("ask"))) {
            return Err(seen.finding(ASK_REWRITTEN, format!("`ask` at `{place}`")).into());
        }
    }
    evidence.judged()
}

async fn ask_is_written_without_approvals(driver: &Driver<'_>) -> Drove {
    let environment = Environment::primary(driver).await?;
    for base in environment.pick_all(WHAT, |row| starts_here(row) && cannot_hold(row))? {
        let plain = Agent::on(&environment, &base);
        environment.create(&format!("create: {base}"), &plain.clone().asking()).await;
        let agent = environment.need_agent("agent", &plain).await?;
        environment.patch(&format!("patch: {base}"), &agent, &json!({"tools": asking()})).await;
    }
    Ok(())
}

fn both_writes_are_accepted(recording: &Recording, _: &Spec) -> Judged {
    let mut evidence = Evidence::default();
    for write in ["create", "patch"] {
        for (_, seen) in by_base(recording, write)? {
            let agent = evidence.accepted(&seen, NOT_WRITTEN)?;
            if agent.pointer("/tools/permission") != Some(&json!("ask")) {
                return Err(seen.finding(NOT_WRITTEN, "2xx with the toolset on `ask`").into());
            }
        }
    }
    evidence.judged()
}
