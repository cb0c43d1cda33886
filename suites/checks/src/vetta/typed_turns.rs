//! Turns that have to give a typed answer, and the known gap (VET-28, 31).

use engine::{Driver, Drove, Halt};
use model::Turn;
use recording::{Judged, Recording, Seen, Verdict, View};
use serde_json::{Value, json};
use spec::Spec;

use super::{
    agents::{Agent, required_answer},
    environments::{Environment, starts_here},
    evidence::Evidence,
    rows::{flag, text},
    talk::{Ending, Talk, calling, ending, happened, load, must_ask, saying},
    words::{Words, kind},
};
use crate::table::checks;

checks! { Vetta:
    "VET-28-a" => fitting_answer_is_handed_in, answer_is_returned;
    "VET-28-b" => answer_against_the_schema_is_handed_in, it_is_no_success;
    "VET-28-c" => nothing_is_handed_in, nothing_is_no_success;
    "VET-31-a" => gap_is_reached, gap_fails_in_the_open;
    "VET-31-b" => gap_is_reached, gap_failure_is_kept;
    "VET-31-c" => gap_is_passed, session_answers_after_the_gap;
}

const NOT_ASKED: &str = "a message did not reach the model";
const NOT_RETURNED: &str = "a typed answer that was handed in cannot be fetched";
const NO_SUCCESS: &str = "a turn whose typed answer fits its schema did not succeed";
const AGAINST_SCHEMA: &str = "a turn succeeded with a typed answer that breaks its schema";
const WITHOUT_ANSWER: &str = "a turn that has to give a typed answer succeeded without one";
const NOT_SEEN: &str = "nothing says how a turn without its typed answer ended";
const QUIET_PROSE: &str = "the known gap passed off as a success";
const NO_ERROR: &str = "the failure of the known gap carries no error";
const NOT_KEPT: &str =
    "the failure of the known gap is recorded neither in the session nor in its list of events";
const WEDGED: &str = "after the known gap the session neither answers nor says that it cannot";

/// What the user says first.
const COUNT: &str = "count-the-parcels;";
/// What the user says afterwards.
const GREET: &str = "greet-the-carrier;";
/// The base whose gap is documented.
const GAP: &str = "vetta";
/// The base that is documented for typed answers.
const TYPED: &str = "pi";

/// An answer that keeps the schema of [`required_answer`].
fn fitting() -> Value {
    json!({"count": 2})
}

/// Whether a value keeps that schema.
fn fits(value: &Value) -> bool {
    value.as_object().is_some_and(|members| members.len() == 1 && members["count"].is_i64())
}

async fn fitting_answer_is_handed_in(driver: &Driver<'_>) -> Drove {
    handed_in(driver, Some(fitting())).await
}

async fn answer_against_the_schema_is_handed_in(driver: &Driver<'_>) -> Drove {
    handed_in(driver, Some(json!({"count": "two"}))).await
}

async fn nothing_is_handed_in(driver: &Driver<'_>) -> Drove {
    handed_in(driver, None).await
}

/// On the loop that the documentation names for it, or on another that declares typed answers.
async fn handed_in(driver: &Driver<'_>, value: Option<Value>) -> Drove {
    let environment = Environment::primary(driver).await?;
    let declares = |row: &Value| {
        starts_here(row) && flag(row, "structured_output") == Some(true) && text(row, "base") != GAP
    };
    let row = environment
        .find(|row| declares(row) && text(row, "base") == TYPED)
        .map_or_else(|| environment.pick("runnable loop with structured output", declares), Ok)?;
    let prose = "There are two parcels.";
    match value {
        Some(value) => load(driver, "handing in", handing_in("submits", &value, prose, driver))?,
        None => load(driver, "prose", [saying("prose", COUNT, prose)])?,
    }
    let mut talk = required_talk(&environment, text(&row, "base")).await?;
    talk.turn(COUNT).await?;
    talk.close().await;
    driver.record_model("model")
}

fn handing_in(id: &str, value: &Value, prose: &str, driver: &Driver<'_>) -> [Turn; 2] {
    let words = Words(driver.facts());
    calling(id, COUNT, (words.text("submit_tool"), words.submitted(value)), prose)
}

/// A session on `base` whose turns have to give a typed answer.
async fn required_talk<'a>(environment: &Environment<'a>, base: &str) -> Result<Talk<'a>, Halt> {
    let agent = environment.need_agent("agent", &Agent::on(environment, base)).await?;
    let start = environment.start("start", &agent, &required_answer()).await;
    let session =
        environment.driver().need_text(&start, "/id", "start a session that requires a typed answer")?;
    Ok(Talk::open(environment, &session, "").await)
}

/// The model was asked with the tool that hands in an answer. A loop that takes typed answers in another way
/// has to say how, so that it can be steered.
fn steered<'r>(view: &'r impl View, turn: &str) -> Result<Seen<'r>, Verdict> {
    let (seen, asked) = must_ask(view, (turn, ""), NOT_ASKED)?;
    let tool = Words(&view.recording().target).text("submit_tool");
    let offered = asked.request["tools"].as_array().is_some_and(|tools| {
        tools.iter().any(|offered| offered.get("name").and_then(Value::as_str) == Some(tool))
    });
    if offered {
        return Ok(seen);
    }
    let reason = format!("the loop offers no tool `{tool}`; name its own in `[settings] submit_tool`");
    Err(Verdict::Untested { reason })
}

/// The typed answers that can be fetched: in the session, and in the events.
fn answers<'r>(view: &'r impl View) -> Vec<(Seen<'r>, Value)> {
    let words = Words(&view.recording().target);
    let session = view.labelled("session").into_iter();
    let shown = session.filter_map(|seen| Some((seen, words.typed_answer(&seen.body()?)?.clone())));
    let told =
        happened(view, "").into_iter().filter(|(_, event)| kind(event) == "structured_output.submitted");
    shown.chain(told.filter_map(|(seen, event)| Some((seen, event.get("value")?.clone())))).collect()
}

fn answer_is_returned(recording: &Recording, _: &Spec) -> Judged {
    let mut evidence = Evidence::default();
    evidence.see(&steered(recording, "submits")?);
    let session = recording.one("session")?;
    match ending(recording, "") {
        Some((Ending::Completed, seen)) => seen.iter().for_each(|seen| evidence.see(seen)),
        _ => return Err(session.finding(NO_SUCCESS, "a turn that completed").into()),
    }
    match answers(recording).into_iter().find(|(_, value)| *value == fitting()) {
        Some((seen, _)) => evidence.see(&seen),
        None => return Err(session.finding(NOT_RETURNED, fitting().to_string()).into()),
    }
    evidence.judged()
}

fn it_is_no_success(recording: &Recording, _: &Spec) -> Judged {
    let mut evidence = Evidence::default();
    evidence.see(&steered(recording, "submits")?);
    no_success(recording, evidence, AGAINST_SCHEMA)
}

fn nothing_is_no_success(recording: &Recording, _: &Spec) -> Judged {
    let mut evidence = Evidence::default();
    evidence.see(&must_ask(recording, ("prose", ""), NOT_ASKED)?.0);
    no_success(recording, evidence, WITHOUT_ANSWER)
}

/// The turn ended, and not well.
fn no_success(recording: &Recording, mut evidence: Evidence, message: &str) -> Judged {
    match ending(recording, "") {
        Some((Ending::Completed, seen)) => {
            let seen = seen.first().copied().map_or_else(|| recording.one("session"), Ok)?;
            Err(seen.finding(message, "a turn that is seen to fail").into())
        }
        Some((_, seen)) => {
            seen.iter().for_each(|seen| evidence.see(seen));
            evidence.judged()
        }
        None => Err(recording.one("session")?.finding(NOT_SEEN, "a turn that is seen to fail").into()),
    }
}

/// A message to the base with the gap. Should its loop offer a way to hand an answer in, the model takes it.
async fn gap_is_reached(driver: &Driver<'_>) -> Drove {
    let mut talk = gap(driver).await?;
    talk.turn(COUNT).await?;
    talk.close().await;
    driver.record_model("model")
}

/// As [`gap_is_reached`], and a second message at once.
async fn gap_is_passed(driver: &Driver<'_>) -> Drove {
    let mut talk = gap(driver).await?;
    talk.turn(COUNT).await?;
    let again = talk.say("say again", GREET).await;
    if again.is_success() {
        let _ = talk.until_over().await;
    }
    talk.close().await;
    driver.record_model("model")
}

async fn gap<'a>(driver: &'a Driver<'_>) -> Result<Talk<'a>, Halt> {
    let environment = Environment::primary(driver).await?;
    let has_gap = |row: &Value| {
        text(row, "base") == GAP && starts_here(row) && flag(row, "structured_output") == Some(true)
    };
    environment.pick("runnable loop `vetta` with structured output", has_gap)?;
    let [told, ask] = handing_in("submits", &fitting(), "There are two parcels.", driver);
    let tool = Words(driver.facts()).text("submit_tool");
    let offered = ask.when.clone().tool_offered(tool);
    let turns = [
        told,
        ask.when(offered),
        saying("prose", COUNT, "There are two parcels."),
        saying("greets", GREET, "Hello."),
    ];
    load(driver, "gap", turns)?;
    required_talk(&environment, GAP).await
}

/// The model was asked for the first message, and what it was asked.
fn reached<'r>(view: &'r impl View) -> Result<Seen<'r>, Verdict> {
    let submits = must_ask(view, ("submits", ""), NOT_ASKED);
    submits.or_else(|_| must_ask(view, ("prose", ""), NOT_ASKED)).map(|(seen, _)| seen)
}

/// The gap is closed where the turn succeeded with a typed answer that keeps its schema.
fn closed<'r>(view: &'r impl View) -> Option<Vec<Seen<'r>>> {
    let (seen, _) = answers(view).into_iter().find(|(_, value)| fits(value))?;
    match ending(view, "")? {
        (Ending::Completed, mut ends) => {
            ends.push(seen);
            Some(ends)
        }
        _ => None,
    }
}

fn pass_as_closed(mut evidence: Evidence, seen: &[Seen<'_>]) -> Judged {
    seen.iter().for_each(|seen| evidence.see(seen));
    evidence.note("the known gap is closed");
    evidence.judged()
}

fn gap_fails_in_the_open(recording: &Recording, _: &Spec) -> Judged {
    let mut evidence = Evidence::default();
    evidence.see(&reached(recording)?);
    if let Some(seen) = closed(recording) {
        return pass_as_closed(evidence, &seen);
    }
    let session = recording.one("session")?;
    match ending(recording, "") {
        Some((Ending::Completed, seen)) => {
            let seen = seen.first().copied().unwrap_or(session);
            Err(seen.finding(QUIET_PROSE, "a turn that is seen to fail").into())
        }
        Some((Ending::Failed, seen)) if seen.iter().any(|seen| has_error(&said(seen))) => {
            seen.iter().for_each(|seen| evidence.see(seen));
            evidence.judged()
        }
        Some((Ending::Failed, _)) => Err(session.finding(NO_ERROR, "an `error`").into()),
        _ => Err(session.finding(NOT_SEEN, "a turn that is seen to fail").into()),
    }
}

/// What an entry says: the data of an event, or the body of an answer.
fn said(seen: &Seen<'_>) -> Value {
    seen.value().cloned().or_else(|| seen.body()).unwrap_or_default()
}

/// Whether a value has a member `error` that says something, at any depth.
fn has_error(value: &Value) -> bool {
    match value {
        Value::Object(members) => members.iter().any(|(name, value)| {
            (name == "error" && !matches!(value, Value::Null | Value::Bool(false))) || has_error(value)
        }),
        Value::Array(items) => items.iter().any(has_error),
        _ => false,
    }
}

fn gap_failure_is_kept(recording: &Recording, _: &Spec) -> Judged {
    let mut evidence = Evidence::default();
    evidence.see(&reached(recording)?);
    if let Some(seen) = closed(recording) {
        return pass_as_closed(evidence, &seen);
    }
    let words = Words(&recording.target);
    let (session, listed) = (recording.one("session")?, recording.one("listed")?);
    session.answer()?;
    let shown = session.body().unwrap_or_default();
    let in_session = words.turn_status(&shown) == Some("failed") || text(&shown, "status") == "failed";
    let events = listed.body().unwrap_or_default();
    let events = super::listing::entries_of(&events).cloned().unwrap_or_default();
    let in_list = events.iter().any(|event| words.ends(event, &["failed_events"]));
    for (kept, seen, note) in [
        (in_session, session, "the session shows the failure"),
        (in_list, listed, "the list of events shows the failure"),
    ] {
        if kept {
            evidence.see(&seen);
            evidence.note(note);
        }
    }
    if in_session || in_list {
        return evidence.judged();
    }
    Err(session.finding(NOT_KEPT, "a turn that is recorded as failed").into())
}

fn session_answers_after_the_gap(recording: &Recording, _: &Spec) -> Judged {
    let mut evidence = Evidence::default();
    evidence.see(&reached(recording)?);
    let words = Words(&recording.target);
    let again = recording.one("say again")?;
    let session = recording.one("session")?;
    if again.is_success() {
        let ends = happened(recording, "").into_iter().filter(|(_, event)| words.is_over(event)).count();
        let asked =
            recording.model_turns().into_iter().any(|(_, asked)| asked.turn.as_deref() == Some("greets"));
        if ends < 2 || !asked {
            return Err(session.finding(WEDGED, "a second turn, and its end").into());
        }
        evidence.see(&again);
        return evidence.judged();
    }
    again.answer()?;
    let over = session.body().is_some_and(|shown| ["failed", "ended"].contains(&text(&shown, "status")));
    if over && again.status().is_some_and(|status| (400..500).contains(&status)) {
        evidence.see(&again);
        evidence.see(&session);
        evidence.note("the session is over after the failure");
        return evidence.judged();
    }
    Err(again.finding(WEDGED, "2xx, or a refusal by a session that is over").into())
}
