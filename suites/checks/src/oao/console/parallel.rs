//! Parallel groups (OAO-62, 63, 65).

use engine::{Driver, Drove};
use model::Turn;
use recording::{Judged, ModelTurn, Recording, Seen, Verdict, View, Witness};
use serde_json::{Value, json};
use spec::Spec;

use super::{
    plant::{self, lifecycle},
    play::{
        Asked, LIMIT_MS, PAIR, begin, finish, held_pair, pair, play, rounds, scratch, slow, terminal, window,
    },
    view::{Console, look, path, steps, text},
};
use crate::{
    oao::runs::{load, need_operations, operation, settle, start},
    table::checks,
};

checks! { Oao:
    "OAO-62-a" => two_that_overlap, both_have_rail_and_badge;
    "OAO-62-b" => one_after_the_other, neither_has_rail_or_badge;
    "OAO-62-c" => windows_that_touch, the_same_answer_everywhere;
    "OAO-63-a" => a_short_and_a_long_one, bars_in_proportion;
    "OAO-63-b" => two_that_overlap, each_bar_opens_its_own;
    "OAO-65-a" => watched_and_not, the_same_execution;
    "OAO-65-b" => two_with_steps_of_their_own, no_shared_list;
}

const KEYS: [&str; 1] = [PAIR[0].1];
const CALLS: [&str; 2] = [PAIR[0].0, PAIR[1].0];

async fn two_that_overlap(driver: &Driver<'_>) -> Drove {
    play(driver, &KEYS, pair([300, 200]), &CALLS).await
}

/// That the published windows of both calls overlap; without that there is no group to show.
fn need_overlap(recording: &Recording) -> Result<(), Verdict> {
    let (one, other) = (window(recording, CALLS[0]), window(recording, CALLS[1]));
    if let (Some(one), Some(other)) = (one, other)
        && one.0 < other.1
        && other.0 < one.1
    {
        return Ok(());
    }
    let run = recording.one("run")?;
    let got = format!("{one:?} and {other:?}");
    let message = "two operations of one batch have no windows that overlap";
    Err(run.finding_got(message, "two overlapping windows in the event stream", got).into())
}

fn both_have_rail_and_badge(recording: &Recording, _: &Spec) -> Judged {
    need_overlap(recording)?;
    let console = Console::read(recording, "view")?;
    let [one, other] = [&console.row(CALLS[0])?["parallel"], &console.row(CALLS[1])?["parallel"]];
    let has_badge = |rail: &Value| text(rail, "badge") == "2 parallel";
    if one["group"].is_string() && one["group"] == other["group"] && has_badge(one) && has_badge(other) {
        return Ok(console.seen.witness());
    }
    let message = "the rows of two overlapping invocations do not both have the rail and the badge";
    Err(console.finding(message, "one rail, and `2 parallel` twice", format!("{one} and {other}")).into())
}

/// As a run; and, where sessions can be planted, as one whose two calls come from one model turn, because there
/// a console that groups by turn is wrong.
async fn one_after_the_other(driver: &Driver<'_>) -> Drove {
    let turns = vec![
        slow(Turn::new("scratch-a", finish("done_a", "a")).when(scratch(PAIR[0].2)), 100),
        slow(Turn::new("scratch-b", finish("done_b", "b")).when(scratch(PAIR[1].2)), 100),
    ];
    let (agent, started) = begin(driver, &KEYS, LIMIT_MS, rounds(&[&[PAIR[0]], &[PAIR[1]]], turns)).await?;
    settle(driver, &started).await?;
    look(driver, "view", &started.session, &CALLS).await;
    if !driver.facts().list("control").contains(&"plant-events") {
        return Ok(());
    }
    let turn = |at_ms| {
        let payload = json!({
            "model": "m", "provider": "p", "inputTokens": 1, "outputTokens": 1, "cacheReadTokens": 0,
            "cacheWriteTokens": 0, "costMicrounits": 0, "finishReason": "tool_calls",
        });
        plant::event("model.invocation_completed", at_ms, &payload)
    };
    let mut events = vec![turn(500)];
    events.extend(lifecycle(CALLS[0], 1_000, Some(2_000)));
    events.extend(lifecycle(CALLS[1], 3_000, Some(4_000)));
    events.push(turn(5_000));
    plant::plant_and_look(driver, "planted", &agent.id, &events).await
}

fn neither_has_rail_or_badge(recording: &Recording, _: &Spec) -> Judged {
    let mut witnesses = Vec::new();
    for label in ["view", "planted"] {
        // Only where sessions can be planted is there a second view.
        if label == "planted" && !recording.target.list("control").contains(&"plant-events") {
            continue;
        }
        let console = Console::read(recording, label)?;
        for call in CALLS {
            let rail = &console.row(call)?["parallel"];
            if !rail.is_null() {
                let message = "an invocation that overlaps none has a rail or a badge";
                return Err(console.finding(message, format!("none for `{call}`"), rail.to_string()).into());
            }
        }
        witnesses.push(console.seen.witness());
    }
    Witness::all(witnesses).ok_or_else(|| Verdict::Error { reason: "no view was judged".to_owned() })
}

async fn windows_that_touch(driver: &Driver<'_>) -> Drove {
    let mut events = lifecycle(CALLS[0], 1_000, Some(2_000));
    events.extend(lifecycle(CALLS[1], 2_000, Some(3_000)));
    plant::show(driver, &events).await
}

fn the_same_answer_everywhere(recording: &Recording, _: &Spec) -> Judged {
    let console = Console::read(recording, "view")?;
    let rows = [console.row(CALLS[0])?, console.row(CALLS[1])?];
    let modals = [console.modal(CALLS[0])?, console.modal(CALLS[1])?];
    let shared = |of: [&Value; 2]| {
        of[0]["parallel"]["group"].is_string() && of[0]["parallel"]["group"] == of[1]["parallel"]["group"]
    };
    let badges = rows.map(|row| text(&row["parallel"], "badge") == "2 parallel");
    let slot = slot_of(&console, &rows.map(|row| text(row, "id"))).is_some();
    let answers = [shared(rows), badges[0], badges[1], slot, shared(modals)];
    if answers.iter().any(|answer| *answer != answers[0]) {
        let message = "badge, timeline and modal disagree about windows that touch";
        let got = format!("rail {}, badges {badges:?}, one slot {slot}, modals {}", answers[0], answers[4]);
        return Err(console.finding(message, "one answer", got).into());
    }
    let note = if slot { "W11: touching windows overlap" } else { "W11: touching windows do not overlap" };
    Ok(console.seen.witness().noting(note))
}

/// The slot whose bars stand for exactly these rows.
fn slot_of<'v>(console: &'v Console<'_>, rows: &[&str]) -> Option<&'v [Value]> {
    let bars = console.slots().iter().filter_map(|slot| slot.get("bars")?.as_array());
    let mut fitting = bars.filter(|bars| {
        bars.len() == rows.len() && rows.iter().all(|row| bars.iter().any(|bar| bar["row"] == *row))
    });
    fitting.next().map(Vec::as_slice)
}

const NO_SLOT: &str = "a parallel group does not have one slot with a bar for each member";

fn need_slot<'v>(console: &'v Console<'_>) -> Result<Vec<&'v Value>, Verdict> {
    let rows = [text(console.row(CALLS[0])?, "id"), text(console.row(CALLS[1])?, "id")];
    let Some(bars) = slot_of(console, &rows) else {
        let got = Value::from(console.slots().to_vec()).to_string();
        return Err(console.finding(NO_SLOT, format!("a slot with bars of {rows:?}"), got).into());
    };
    Ok(rows.iter().filter_map(|row| bars.iter().find(|bar| bar["row"] == *row)).collect())
}

async fn a_short_and_a_long_one(driver: &Driver<'_>) -> Drove {
    let (_, started) = begin(driver, &KEYS, 8_000, pair([1_000, 4_000])).await?;
    settle(driver, &started).await?;
    look(driver, "view", &started.session, &CALLS).await;
    Ok(())
}

/// How far a length may be from the duration that it stands for, in per cent of the slot. It leaves room for a
/// least length, so that a short bar can be clicked.
const SLACK: f64 = 12.0;

fn bars_in_proportion(recording: &Recording, _: &Spec) -> Judged {
    let message = "the bars of a group are not as long as their invocations took";
    need_overlap(recording)?;
    let console = Console::read(recording, "view")?;
    let widths: Vec<f64> = need_slot(&console)?.iter().filter_map(|bar| bar.get("width")?.as_f64()).collect();
    let took = |call: &str| terminal(recording, call)?.1["publicPayload"]["durationMs"].as_f64();
    let (Some(short), Some(long)) = (took(CALLS[0]), took(CALLS[1])) else {
        let run = recording.one("run")?;
        return Err(run.finding("a terminal event does not say how long it took", "`durationMs`").into());
    };
    let expected = 100.0 * short / long;
    let got = match widths.as_slice() {
        [one, other] if *other > 0.0 => 100.0 * one / other,
        _ => f64::NAN,
    };
    if (got - expected).abs() <= SLACK && got < 100.0 {
        return Ok(console.seen.witness());
    }
    let expected = format!("the first about {expected:.0} % as long as the second");
    Err(console.finding(message, expected, format!("lengths {widths:?}")).into())
}

fn each_bar_opens_its_own(recording: &Recording, _: &Spec) -> Judged {
    need_overlap(recording)?;
    let console = Console::read(recording, "view")?;
    for (bar, call) in need_slot(&console)?.into_iter().zip(CALLS) {
        let modal = &console.modal(call)?["id"];
        if bar["opens"] != *modal {
            let message = "a bar does not open the modal of its own invocation";
            let expected = format!("the bar of `{call}` opens {modal}");
            return Err(console.finding(message, expected, bar.to_string()).into());
        }
    }
    Ok(console.seen.witness())
}

/// The same work twice. Both runs are held at their first turn; the view of one is read then and again while its
/// operations wait, and that of the other never.
async fn watched_and_not(driver: &Driver<'_>) -> Drove {
    load(driver, held_pair([200, 100]))?;
    let operations: Value = KEYS.iter().map(|key| operation(key, LIMIT_MS)).collect();
    let agent = need_operations(driver, &operations).await?;
    for watched in [false, true] {
        load(driver, held_pair([200, 100]))?;
        let started = start(driver, "start", &agent).await?;
        let model = driver.model()?;
        let held = model.wait_for_held(driver.token(), "begin", 1);
        // A target that never asks is judged by what was seen of its run.
        let _ = driver.clock().within(std::time::Duration::from_secs(5), held).await;
        if watched {
            for _ in 0..3 {
                driver.get("watching", path(driver, &started.session)).await;
            }
        }
        model.release(driver.token(), "begin");
        settle(driver, &started).await?;
    }
    Ok(())
}

/// What can be told of a run: which calls began in which order, how they ended, and whether both were inside
/// at once.
#[derive(Debug, PartialEq)]
struct Execution {
    started: Vec<String>,
    ended: Vec<(String, String)>,
    answered: Vec<(String, String)>,
}

fn execution(recording: &Recording, run: &str, turns: &[(Seen<'_>, &ModelTurn)]) -> Execution {
    let mut found = Execution { started: Vec::new(), ended: Vec::new(), answered: Vec::new() };
    for (_, event) in recording.events("events") {
        let call = text(&event["publicPayload"], "toolCallId").to_owned();
        match text(event, "kind") {
            _ if event["aggregateId"] != run => {}
            "harness.operation_started" => found.started.push(call),
            "harness.operation_step" => {}
            kind if kind.starts_with("harness.operation_") => found.ended.push((call, kind.to_owned())),
            _ => {}
        }
    }
    found.ended.sort();
    let scratch =
        turns.iter().filter(|(_, turn)| turn.turn.as_deref().is_some_and(|id| id.starts_with("scratch")));
    found.answered = scratch
        .map(|(_, turn)| (turn.turn.clone().unwrap_or_default(), text(&turn.journal, "outcome").to_owned()))
        .collect();
    found.answered.sort();
    found
}

fn the_same_execution(recording: &Recording, _: &Spec) -> Judged {
    let message = "a run that is watched goes another way than one that is not";
    let starts = recording.labelled("start");
    let ids: Vec<String> = starts
        .iter()
        .filter_map(|seen| seen.json().ok()?.pointer("/run/id")?.as_str().map(str::to_owned))
        .collect();
    let [plain, watched] = ids.as_slice() else {
        return Err(recording.one("start")?.finding("a run could not be started twice", "two runs").into());
    };
    // The model's journal is written down after each run.
    let between = starts[1].at();
    let (before, after): (Vec<_>, Vec<_>) =
        recording.model_turns().into_iter().partition(|(seen, _)| seen.at() < between);
    let (plain, watched) = (execution(recording, plain, &before), execution(recording, watched, &after));
    let looked = recording.labelled("watching");
    let Some(view) = looked.iter().find(|seen| seen.is_success()) else {
        return Err(recording
            .one("watching")?
            .finding("what the console shows of a session cannot be read", "200")
            .into());
    };
    if before.is_empty() || after.is_empty() {
        return Err(starts[0].finding("a run did not ask the model", "model requests of both runs").into());
    }
    if plain.started.len() != 2 {
        let expected = "two operations in one batch";
        return Err(starts[0]
            .finding_got("two operations of one batch did not both begin", expected, format!("{plain:?}"))
            .into());
    }
    if plain != watched {
        return Err(view.finding_got(message, format!("{plain:?}"), format!("{watched:?}")).into());
    }
    let turns = before.iter().chain(&after).map(|(seen, _)| seen.witness());
    Ok(Witness::all(turns).into_iter().fold(view.witness(), Witness::and))
}

const APART: [Asked<'static>; 2] = PAIR;
const FILES: [&str; 2] = ["only-of-a.txt", "only-of-b.txt"];

async fn two_with_steps_of_their_own(driver: &Driver<'_>) -> Drove {
    let mut turns = Vec::new();
    for (at, name) in ["a", "b"].into_iter().enumerate() {
        let (task, id) = (APART[at].2, format!("read_{name}"));
        let first = Turn::new(format!("scratch-{name}-1"), super::play::read(&id, FILES[at]));
        let first = first.when(scratch(task).no_tool_results());
        turns.push(slow(first, 150));
        let last = Turn::new(format!("scratch-{name}-2"), finish(&format!("done_{name}"), name));
        turns.push(slow(last.when(scratch(task).tool_result_for(id)), 100));
    }
    play(driver, &KEYS, rounds(&[&APART], turns), &CALLS).await
}

fn no_shared_list(recording: &Recording, _: &Spec) -> Judged {
    need_overlap(recording)?;
    let console = Console::read(recording, "view")?;
    for (at, call) in CALLS.into_iter().enumerate() {
        let modal = console.modal(call)?;
        let holds = |file: &str| steps(modal).iter().any(|step| step.to_string().contains(file));
        if holds(FILES[1 - at]) {
            let message = "the steps of a parallel group are shown as one list";
            let expected = format!("the steps of `{call}` only");
            return Err(console.finding(message, expected, modal["steps"].to_string()).into());
        }
        if !holds(FILES[at]) {
            let message = "a modal does not show the path of a step of its own";
            return Err(console.finding(message, FILES[at], modal["steps"].to_string()).into());
        }
        if let Some(name) = conversation(modal) {
            let message = "a parallel group has a conversation of its own";
            return Err(console.finding(message, "no id of a conversation", name).into());
        }
    }
    match console.slots().iter().find_map(conversation) {
        Some(name) => {
            let message = "a parallel group has a conversation of its own";
            Err(console.finding(message, "no id of a conversation", name).into())
        }
        None => Ok(console.seen.witness()),
    }
}

/// A member whose name speaks of a conversation or a thread.
fn conversation(value: &Value) -> Option<String> {
    let speaks = |name: &str| {
        let name = name.to_ascii_lowercase();
        name.contains("conversation") || name.contains("thread")
    };
    value.as_object()?.keys().find(|name| speaks(name)).cloned()
}
