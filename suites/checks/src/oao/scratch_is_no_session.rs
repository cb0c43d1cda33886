//! The scratch loop has no identity and is no session, and is kept all the same (OAO-10, OAO-23, OAO-24).

use engine::{Call, Driver, Drove};
use model::{Answer, Conditions, Turn};
use recording::{Judged, Recording, Verdict, View, Witness};
use serde_json::{Value, json};
use spec::Spec;

use super::{
    agents::{self, Agent, listed_on_all, need_agent, project},
    inner::{self, OUTER, at_once, call, finish, said, scratch},
    runs::{BEGIN, again, at, events_of, load, must_ask, readable, settle, start, start_saying, value},
};
use crate::{percent::encoded, table::checks};

checks! { Oao:
    "OAO-10-a" => a_loop_that_reads, everything_is_booked_to_the_parent;
    "OAO-23-a" => lists_before_and_after, nothing_new_is_listed;
    "OAO-23-b" => a_message_to_the_record, it_is_turned_away;
    "OAO-24-a" => records_are_looked_at, one_record_below_the_session;
}

async fn a_loop_that_reads(driver: &Driver<'_>) -> Drove {
    let inside = vec![
        Turn::new("scratch-1", call("look", "read", json!({"path": "any.txt"})))
            .when(scratch().no_tool_results()),
        Turn::new("scratch-2", finish()).when(scratch().tool_result_for("look")),
    ];
    inner::run(driver, &readable(driver, &inner::operations()), inner::script(inside)).await
}

/// Model usage and tool steps of the loop are published for the run of the parent, and no record behind them
/// names another version or agent.
fn everything_is_booked_to_the_parent(recording: &Recording, _: &Spec) -> Judged {
    let message = "what a scratch loop used is booked to somebody else than its parent";
    must_ask(recording, "parent-2", "the operation did not end")?;
    let created = recording.one("publish")?;
    let Some(agent) = Agent::of(&created.json()?) else {
        return Err(Verdict::Error { reason: "the agent was not published".to_owned() });
    };
    let (run, detail) = (recording.one("run")?, recording.one("detail")?);
    let (run_id, version) = (run.json()?["id"].clone(), run.json()?["agentVersionId"].clone());
    if version != agent.version.as_str() {
        return Err(run.finding(message, format!("`agentVersionId` {}", agent.version)).into());
    }
    let mut witness = run.witness().and(detail.witness());
    for (kind, member) in
        [("model.invocation_completed", "/toolName"), ("harness.operation_step", "/toolName")]
    {
        let inner = |event: &Value| event["publicPayload"]["harnessToolCallId"] == OUTER;
        let of_tools = kind == "harness.operation_step";
        let found: Vec<_> = events_of(recording, kind)
            .into_iter()
            .filter(|(_, event)| {
                inner(event) && (!of_tools || event["publicPayload"].pointer(member).is_some())
            })
            .collect();
        if found.is_empty() {
            return Err(run.finding_got(message, format!("`{kind}` for the call"), "none").into());
        }
        for (seen, event) in found {
            if event["aggregateId"] != run_id {
                return Err(at(
                    &seen,
                    message,
                    format!("the run {run_id}"),
                    event["aggregateId"].to_string(),
                )
                .into());
            }
            witness = witness.and(seen.witness());
        }
    }
    let body = detail.json()?;
    for (name, own) in [("agentVersionId", &agent.version), ("agentId", &agent.id)] {
        let mut named = Vec::new();
        if let Some(debug) = body.get("debug") {
            values_of(debug, name, &mut named);
        }
        if let Some(other) = named.iter().find(|value| **value != own.as_str()) {
            return Err(at(&detail, message, format!("`{name}` {own}"), other.to_string()).into());
        }
    }
    Ok(witness)
}

/// The strings that members called `name` have, at any depth.
fn values_of<'a>(value: &'a Value, name: &str, found: &mut Vec<&'a Value>) {
    match value {
        Value::Object(members) => {
            for (key, member) in members {
                if key == name && member.is_string() {
                    found.push(member);
                }
                values_of(member, name, found);
            }
        }
        Value::Array(items) => items.iter().for_each(|item| values_of(item, name, found)),
        _ => {}
    }
}

/// What the user says before anything is listed.
const BEFORE: &str = "say-something-first";

async fn lists_before_and_after(driver: &Driver<'_>) -> Drove {
    let words = Turn::new("before", Answer::new().text("Something."))
        .when(Conditions::new().last_user_contains(BEFORE));
    let turns = inner::script(at_once()).map(|script| script.turns().cloned().collect::<Vec<_>>());
    load(
        driver,
        turns.and_then(|turns| model::Script::new("before and after", [words].into_iter().chain(turns))),
    )?;
    let config = readable(driver, &inner::operations());
    let agent = need_agent(driver, "publish", &config, "publish an agent with an operation").await?;
    let first = start_saying(driver, "start", &agent, BEFORE, None).await?;
    settle(driver, &first).await?;
    list(driver, "before", &agent).await;
    let second = again(driver, "again", &first, BEGIN).await?;
    settle(driver, &second).await?;
    list(driver, "after", &agent).await;
    Ok(())
}

/// The most pages of sessions that are read: what is looked for is among the newest.
const PAGES_MAX: usize = 3;

async fn list(driver: &Driver<'_>, label: &str, agent: &Agent) {
    agents::list_agents(driver, &format!("{label}: agents"), &agent.id).await;
    list_sessions(driver, &format!("{label}: sessions")).await;
}

/// The newest sessions of the project.
pub(super) async fn list_sessions(driver: &Driver<'_>, label: &str) {
    let path = format!("{}/sessions?limit=50", project(driver));
    let mut page = driver.get(label, path.clone()).await;
    for _ in 1..PAGES_MAX {
        let Some(cursor) = page.text("/pageInfo/nextCursor") else { return };
        page = driver.get(label, format!("{path}&cursor={}", encoded(cursor))).await;
    }
}

fn nothing_new_is_listed(recording: &Recording, _: &Spec) -> Judged {
    let message = "an operation left an agent or a session behind";
    let (_, told) = must_ask(recording, "parent-2", "the operation did not end")?;
    if value(told, OUTER).is_none() {
        return Err(recording.one("run")?.finding("the operation did not end", "its result").into());
    }
    let agent = recording.one("publish")?.json()?;
    let session = recording.one("start")?.json()?["id"].clone();
    let (id, session) = (text(&agent["id"]), text(&session));
    let mut witness: Option<Witness> = None;
    for what in ["agents", "sessions"] {
        let before = listed_on_all(recording, &format!("before: {what}"))?;
        let after = listed_on_all(recording, &format!("after: {what}"))?;
        let page = recording.one(&format!("after: {what}"))?;
        let own = if what == "agents" { id } else { session };
        if !before.iter().chain(&after).any(|row| row["id"] == own) {
            return Err(page.finding("what was made is not listed", format!("`id` {own}")).into());
        }
        let ours = |row: &&Value| {
            let row = row.to_string();
            [id, session, recording.token.as_str()].iter().any(|mark| row.contains(*mark))
        };
        let known = |row: &&Value| before.iter().any(|other| other["id"] == row["id"]);
        if let Some(new) = after.iter().filter(ours).find(|row| !known(row)) {
            return Err(at(&page, message, format!("the same {what} as before"), new.to_string()).into());
        }
        witness = Some(witness.map_or_else(|| page.witness(), |before| before.and(page.witness())));
    }
    let detail = recording.labelled("detail").into_iter().next_back();
    if let Some(detail) = detail
        && detail.json()?["delegations"].as_array().is_some_and(|list| !list.is_empty())
    {
        return Err(detail.finding(message, "no `delegations`").into());
    }
    witness.ok_or_else(|| Verdict::Error { reason: "nothing was listed".to_owned() })
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

async fn with_records(driver: &Driver<'_>) -> Result<super::runs::Started, engine::Halt> {
    driver.control("records")?;
    load(driver, inner::script(at_once()))?;
    let config = readable(driver, &inner::operations());
    let agent = need_agent(driver, "publish", &config, "publish an agent with an operation").await?;
    let started = start(driver, "start", &agent).await?;
    settle(driver, &started).await?;
    Ok(started)
}

fn records_of(session: &str) -> Call {
    Call::control("GET", &format!("/records?session={}", encoded(session)))
}

/// What is sent to the conversation that is over.
const LATER: &str = "a-message-that-comes-too-late";

async fn a_message_to_the_record(driver: &Driver<'_>) -> Drove {
    let started = with_records(driver).await?;
    let records = driver.send("records", records_of(&started.session)).await;
    let id = driver.need_text(&records, "/records/0/id", "find the record of the scratch conversation")?;
    let path = format!("{}/sessions/{}/runs", project(driver), encoded(&id));
    let call = Call::post(path, &json!({"message": LATER}));
    driver.send("later", call.header("idempotency-key", driver.fresh())).await;
    // A run that was started all the same has a moment to ask the model.
    driver.clock().pause(std::time::Duration::from_millis(300)).await;
    driver.record_model("model")
}

fn it_is_turned_away(recording: &Recording, _: &Spec) -> Judged {
    let message = "a scratch conversation that had ended took a message";
    must_ask(recording, "parent-2", "the operation did not end")?;
    let later = recording.one("later")?;
    if !matches!(later.answer()?.status, 400 | 403..=407 | 409..=428) {
        return Err(later.finding(message, "a 4xx for the id of the conversation").into());
    }
    if let Some((seen, turn)) =
        recording.model_turns().into_iter().find(|(_, turn)| said(turn).contains(LATER))
    {
        return Err(at(&seen, message, "no model request with the message", said(turn)).into());
    }
    Ok(recording.one("records")?.witness().and(later.witness()))
}

async fn records_are_looked_at(driver: &Driver<'_>) -> Drove {
    let started = with_records(driver).await?;
    driver.send("records", records_of(&started.session)).await;
    Ok(())
}

fn one_record_below_the_session(recording: &Recording, _: &Spec) -> Judged {
    let message = "the record of a scratch conversation is not there below its parent";
    must_ask(recording, "parent-2", "the operation did not end")?;
    let session = recording.one("start")?.json()?["id"].clone();
    let seen = recording.one("records")?;
    let body = seen.json()?;
    match body["records"].as_array().map(Vec::as_slice) {
        Some([record]) if record["parentSessionId"] == session => Ok(seen.witness()),
        _ => Err(seen.finding(message, format!("one record with `parentSessionId` {session}")).into()),
    }
}
