//! Calls that are held until somebody decides, judged by what the tools themselves have written down (VET-23,
//! 25).

use std::time::Duration;

use engine::{Driver, Drove, Halt, Reply};
use recording::{Judged, Recording, Seen, Verdict, View};
use serde_json::{Value, json};
use spec::Spec;

use super::{
    agents::{Agent, NAMED_TOOL, asking},
    environments::{Environment, starts_here},
    evidence::{Evidence, by_base},
    listing::mentions,
    rows::{flag, text},
    talk::{Talk, calling, happened, load, must_ask},
    words::{Decision, Words},
};
use crate::table::checks;

checks! { Vetta:
    "VET-23-a" => nobody_decides, call_waits;
    "VET-23-b" => call_is_allowed, it_runs_once;
    "VET-23-c" => call_is_denied, it_never_runs;
    "VET-25-a" => ask_is_written_everywhere, nothing_runs_unattended;
    "VET-25-c" => harness_is_switched, gate_stays;
}

const NOT_ASKED: &str = "a message did not reach the model";
const NOT_HELD: &str = "no event says that a call on `ask` waits for a decision";
const RAN_EARLY: &str = "a tool on `ask` ran before anybody had decided";
const OVER_EARLY: &str = "a turn was over although a call waits for a decision";
const NOT_DECIDED: &str = "a decision about a held call was not taken";
const NOT_ONCE: &str = "an allowed call did not run exactly once with its own arguments";
const HANGS: &str = "a turn did not end after the decision";
const RAN_DENIED: &str = "a denied call ran";
const NOT_TOLD: &str = "nothing tells that a call was denied";
const RAN_UNATTENDED: &str = "a tool on `ask` ran although nobody had answered";
const NONE_STARTED: &str = "no session with an `ask` in it started on a loop that can hold calls";
const SWITCH_ADMITTED: &str =
    "after a switch to a loop that cannot hold calls, a start was not refused with 400 naming `harness`";
const GATE_LOST: &str = "a running session lost its hold when its agent moved to another loop";

/// How long nothing may happen.
const QUIET: Duration = Duration::from_secs(2);
const WRITE: &str = "write-the-note;";
const PATH: &str = "held-note.txt";
const CONTENT: &str = "the parcel left on Monday";
/// The scripted turn that calls the tool, and the one that has its result.
const CALLS: &str = "calls";
const TOLD: &str = "calls-told";

fn holds(row: &Value) -> bool {
    starts_here(row) && flag(row, "approvals") == Some(true)
}

fn is_unable(row: &Value) -> bool {
    starts_here(row) && flag(row, "approvals") == Some(false)
}

/// A `tools` policy with one tool on `ask`.
fn asking_for(tool: &str) -> Value {
    json!({"permission": "allow", "overrides": {tool: "ask"}})
}

/// A call of the file tool: its name and its arguments.
fn writing<'f>(words: Words<'f>) -> (&'f str, Value) {
    (words.text("write_tool"), words.arguments("write_arguments", &[PATH, CONTENT]))
}

/// A session on a loop that can hold calls, with a call that waits there. The id of the call, where an event
/// tells it.
async fn held<'a>(driver: &'a Driver<'_>) -> Result<(Talk<'a>, Option<String>), Halt> {
    driver.control("effects")?;
    let environment = Environment::primary(driver).await?;
    let row = environment.pick("runnable loop that can hold calls", holds)?;
    let (tool, arguments) = writing(Words(driver.facts()));
    load(driver, "a call", calling(CALLS, WRITE, (tool, arguments), "Done."))?;
    let agent = Agent::on(&environment, text(&row, "base")).with("tools", asking_for(tool));
    let agent = environment.need_agent("agent", &agent).await?;
    let start = environment.start("start", &agent, &json!({})).await;
    let session = driver.need_text(&start, "/id", "start a session with a tool on `ask`")?;
    let mut talk = Talk::open(&environment, &session, "").await;
    talk.need_say(WRITE).await?;
    let call = talk.until_held().await;
    Ok((talk, call))
}

async fn nobody_decides(driver: &Driver<'_>) -> Drove {
    let (talk, _) = held(driver).await?;
    driver.clock().pause(QUIET).await;
    talk.effects("effects").await?;
    talk.close().await;
    driver.record_model("model")
}

async fn call_is_allowed(driver: &Driver<'_>) -> Drove {
    decided(driver, Decision::Allow).await
}

async fn call_is_denied(driver: &Driver<'_>) -> Drove {
    decided(driver, Decision::Deny).await
}

async fn decided(driver: &Driver<'_>, decision: Decision) -> Drove {
    let (mut talk, call) = held(driver).await?;
    if let Some(call) = call {
        talk.decide("decision", &call, decision).await?;
        let _ = talk.until_over().await;
    }
    talk.close().await;
    talk.effects("effects").await?;
    driver.record_model("model")
}

/// The event that says that a call waits, after the model had asked for it.
fn waiting<'r>(view: &'r impl View, evidence: &mut Evidence) -> Result<(Seen<'r>, String), Verdict> {
    let words = Words(&view.recording().target);
    let (asked, _) = must_ask(view, (CALLS, ""), NOT_ASKED)?;
    evidence.see(&asked);
    let found = happened(view, "").into_iter().find_map(|(seen, event)| {
        let call = words.pending(&event)?.to_owned();
        Some((seen, call))
    });
    match found {
        Some((seen, call)) => {
            evidence.see(&seen);
            Ok((seen, call))
        }
        None => {
            let expected = format!("an event `{}` with the id of the call", words.text("pending_event"));
            Err(asked.finding_got(NOT_HELD, expected, "no such event").into())
        }
    }
}

/// The times that a tool did its work, as it has written them down.
fn effects_of(seen: &Seen<'_>, tool: &str) -> Vec<Value> {
    let body = seen.body().unwrap_or_default();
    let all = body.get("effects").and_then(Value::as_array).cloned().unwrap_or_default();
    all.into_iter().filter(|effect| text(effect, "tool") == tool).collect()
}

fn call_waits(recording: &Recording, _: &Spec) -> Judged {
    let mut evidence = Evidence::default();
    let words = Words(&recording.target);
    waiting(recording, &mut evidence)?;
    let effects = recording.one("effects")?;
    if !effects_of(&effects, words.text("write_tool")).is_empty() {
        return Err(effects.finding(RAN_EARLY, "no work of the tool").into());
    }
    if let Some((seen, _)) = happened(recording, "").into_iter().find(|(_, event)| words.is_over(event)) {
        return Err(seen.finding(OVER_EARLY, "a turn that is not over").into());
    }
    evidence.see(&effects);
    evidence.judged()
}

/// The decision was taken, and the turn ended after it.
fn decision_is_taken(view: &impl View, evidence: &mut Evidence) -> Result<(), Verdict> {
    let words = Words(&view.recording().target);
    let decision = view.one("decision")?;
    if !decision.is_success() {
        return Err(decision.finding(NOT_DECIDED, "a 2xx answer").into());
    }
    evidence.see(&decision);
    match happened(view, "").into_iter().find(|(_, event)| words.is_over(event)) {
        Some((seen, _)) => {
            evidence.see(&seen);
            Ok(())
        }
        None => Err(decision.finding(HANGS, "an event that ends the turn").into()),
    }
}

fn it_runs_once(recording: &Recording, _: &Spec) -> Judged {
    let mut evidence = Evidence::default();
    let (tool, arguments) = writing(Words(&recording.target));
    waiting(recording, &mut evidence)?;
    decision_is_taken(recording, &mut evidence)?;
    let effects = recording.one("effects")?;
    let done = effects_of(&effects, tool);
    if done.len() != 1 || done[0].get("arguments") != Some(&arguments) {
        let expected = format!("one time of `{tool}` with {arguments}");
        return Err(effects.finding(NOT_ONCE, expected).into());
    }
    evidence.see(&effects);
    evidence.judged()
}

fn it_never_runs(recording: &Recording, _: &Spec) -> Judged {
    let mut evidence = Evidence::default();
    let words = Words(&recording.target);
    let (held, call) = waiting(recording, &mut evidence)?;
    decision_is_taken(recording, &mut evidence)?;
    let effects = recording.one("effects")?;
    if !effects_of(&effects, words.text("write_tool")).is_empty() {
        return Err(effects.finding(RAN_DENIED, "no work of the tool").into());
    }
    evidence.see(&effects);
    let result = must_ask(recording, (TOLD, ""), NOT_TOLD).map(|(seen, _)| seen).ok();
    let event = happened(recording, "").into_iter().find(|(seen, event)| {
        seen.at() > held.at() && words.pending(event).is_none() && mentions(event, &call)
    });
    match result.or(event.map(|(seen, _)| seen)) {
        Some(seen) => evidence.see(&seen),
        None => {
            let expected = "an event about the call, or a result of it for the model";
            return Err(recording.one("decision")?.finding(NOT_TOLD, expected).into());
        }
    }
    evidence.judged()
}

/// A place where `ask` can be written: its name, the policy, the tool that is called, and its arguments.
type Place<'f> = (&'static str, Value, &'f str, Value);

/// All places where `ask` can be written.
fn places<'f>(words: Words<'f>) -> [Place<'f>; 3] {
    let (write, arguments) = writing(words);
    let published = words.arguments("read_arguments", &[PATH]);
    [
        ("toolset", asking(), write, arguments.clone()),
        ("native", asking_for(write), write, arguments),
        ("platform", asking_for(NAMED_TOOL), NAMED_TOOL, published),
    ]
}

/// Every base and every place: what starts calls its tool, and nobody answers.
async fn ask_is_written_everywhere(driver: &Driver<'_>) -> Drove {
    driver.control("effects")?;
    let environment = Environment::primary(driver).await?;
    environment.pick("runnable loop that can hold calls", holds)?;
    let bases = environment.pick_all("runnable loop", starts_here)?;
    let places = places(Words(driver.facts()));
    let pairs: Vec<(String, &Place<'_>)> = bases
        .iter()
        .flat_map(|base| places.iter().map(move |place| (format!("{base}/{}", place.0), place)))
        .collect();
    let turns = pairs.iter().enumerate().flat_map(|(at, (pair, (_, _, tool, arguments)))| {
        calling(&turn_of(at), &format!("go-on-{pair};"), (tool, arguments.clone()), "Done.")
    });
    load(driver, "calls", turns)?;
    let mut talks = Vec::new();
    for (pair, (_, policy, ..)) in &pairs {
        let base = pair.split('/').next().unwrap_or_default();
        let agent = Agent::on(&environment, base).with("tools", policy.clone());
        let agent = environment.need_agent("agent", &agent).await?;
        let start = environment.start(&format!("start: {pair}"), &agent, &json!({})).await;
        if let Some(session) = need_answer(driver, &start)? {
            talks.push((pair, Talk::open(&environment, &session, &format!(": {pair}")).await));
        }
    }
    for (pair, talk) in &mut talks {
        talk.need_say(&format!("go-on-{pair};")).await?;
        let _ = talk.until_held().await;
    }
    driver.clock().pause(QUIET).await;
    for (_, talk) in &talks {
        talk.effects("effects").await?;
    }
    driver.record_model("model")
}

fn turn_of(pair: usize) -> String {
    format!("calls-{pair}")
}

/// The session that started; `None` where the start was refused by name.
fn need_answer(driver: &Driver<'_>, start: &Reply) -> Result<Option<String>, Halt> {
    match start.status {
        Some(400 | 422 | 501) => Ok(None),
        _ => driver.need_text(start, "/id", "start a session, or have it refused").map(Some),
    }
}

fn nothing_runs_unattended(recording: &Recording, _: &Spec) -> Judged {
    let mut evidence = Evidence::default();
    let places = places(Words(&recording.target));
    let starts = by_base(recording, "start")?;
    for (at, (pair, start)) in starts.iter().enumerate() {
        if !start.is_success() {
            evidence.see(start);
            continue;
        }
        let of = format!(": {pair}");
        evidence.see(&must_ask(recording, (&turn_of(at), &of), NOT_ASKED)?.0);
        let (_, _, tool, _) = &places[at % places.len()];
        let effects = recording.one(&format!("effects{of}"))?;
        if !effects_of(&effects, tool).is_empty() {
            return Err(effects.finding(RAN_UNATTENDED, format!("no work of `{tool}` on {pair}")).into());
        }
        evidence.see(&effects);
    }
    if let Some((_, start)) = starts.first().filter(|_| !starts.iter().any(|(_, start)| start.is_success())) {
        return Err(start.finding(NONE_STARTED, "a 2xx answer").into());
    }
    evidence.judged()
}

async fn harness_is_switched(driver: &Driver<'_>) -> Drove {
    driver.control("effects")?;
    let environment = Environment::primary(driver).await?;
    let able = environment.pick("runnable loop that can hold calls", holds)?;
    let unable = environment.pick("runnable loop that cannot hold calls", is_unable)?;
    let call = writing(Words(driver.facts()));
    load(driver, "a call", calling(CALLS, WRITE, call, "Done."))?;
    let agent = Agent::on(&environment, text(&able, "base")).asking();
    let agent = environment.need_agent("agent", &agent).await?;
    let start = environment.start("start", &agent, &json!({})).await;
    let session = driver.need_text(&start, "/id", "start a session with a toolset on `ask`")?;
    let mut talk = Talk::open(&environment, &session, "").await;
    let moved = environment.patch("patch", &agent, &json!({"harness": text(&unable, "base")})).await;
    driver.need(&moved, "move an agent to another loop")?;
    environment.start("second start", &agent, &json!({})).await;
    if talk.say("say", WRITE).await.is_success() {
        let _ = talk.until_held().await;
        driver.clock().pause(QUIET).await;
    }
    talk.effects("effects").await?;
    driver.record_model("model")
}

fn gate_stays(recording: &Recording, _: &Spec) -> Judged {
    let mut evidence = Evidence::default();
    let words = Words(&recording.target);
    evidence.refused(&recording.one("second start")?, SWITCH_ADMITTED, &[400], &["harness"])?;
    let (said, effects) = (recording.one("say")?, recording.one("effects")?);
    if !effects_of(&effects, words.text("write_tool")).is_empty() {
        return Err(effects.finding(GATE_LOST, "no work of the tool").into());
    }
    evidence.see(&effects);
    // A session that goes by the agent as it is now may also refuse (open point U52).
    if !said.is_success() {
        said.answer()?;
        evidence.see(&said);
        evidence.note("a running session goes by the agent as it is now, and takes no message");
        return evidence.judged();
    }
    evidence.see(&must_ask(recording, (CALLS, ""), NOT_ASKED)?.0);
    if !happened(recording, "").iter().any(|(_, event)| words.pending(event).is_some()) {
        evidence.note("the call was neither held nor run");
    }
    evidence.judged()
}
