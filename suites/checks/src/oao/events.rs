//! The order of events and what ties them together (OAO-39, 56, 57, 58).

use std::collections::BTreeMap;

use engine::{Driver, Drove};
use model::{Answer, Script, Turn};
use recording::{Judged, Recording, View};
use serde_json::Value;
use spec::Spec;

use super::{
    batch::{Asked, batch, finish, give_up, read, scratch},
    endings::{four_endings, must_end},
    lifecycle::{Ending, Lifecycle, feed, lifecycle, lifecycles, timeline},
    runs::{at, load, must_ask, need_operations, operation, results, start},
    watch::to_the_end,
};
use crate::table::checks;

checks! { Oao:
    "OAO-39-a" => two_reads_between_three_turns, one_id_throughout;
    "OAO-56-a" => two_reads_between_three_turns, started_steps_completed;
    "OAO-56-b" => it_gives_up, started_and_failed;
    "OAO-56-c" => four_endings, neither_looks_like_a_failure;
    "OAO-57-a" => two_reads_between_three_turns, a_step_for_each;
    "OAO-57-b" => two_reads_between_three_turns, a_failed_tool_has_a_step;
    "OAO-58-a" => two_of_two_keys, steps_stay_with_their_owner;
    "OAO-58-b" => two_of_one_key, calls_of_one_key_stay_apart;
}

const LIMIT_MS: u64 = 20_000;
const ONE: [Asked<'_>; 1] = [("outer_call", "look_twice", "look-at-two-files")];

/// Publishes the operations of `calls`, starts a run with `script` and follows it to its end.
pub(super) async fn play(
    driver: &Driver<'_>,
    calls: &[Asked<'_>],
    script: Result<Script, model::ScriptError>,
) -> Drove {
    load(driver, script)?;
    let mut keys: Vec<&str> = calls.iter().map(|(_, key, _)| *key).collect();
    keys.sort_unstable();
    keys.dedup();
    let operations: Value = keys.iter().map(|key| operation(key, LIMIT_MS)).collect();
    let agent = need_operations(driver, &operations).await?;
    let started = start(driver, "start", &agent).await?;
    to_the_end(driver, &started).await
}

/// Neither of the files is there, so both tools fail.
pub(super) async fn two_reads_between_three_turns(driver: &Driver<'_>) -> Drove {
    let of = |when| scratch(ONE[0].2).tool_result_for(when);
    let turns = vec![
        Turn::new("scratch-1", read("one", &["one.txt"])).when(scratch(ONE[0].2).no_tool_results()),
        Turn::new("scratch-2", read("two", &["two.txt"])).when(of("one_0")),
        Turn::new("scratch-3", finish("both")).when(of("two_0")),
    ];
    play(driver, &ONE, batch(&ONE, turns)).await
}

async fn it_gives_up(driver: &Driver<'_>) -> Drove {
    let turns = vec![Turn::new("scratch-1", give_up("no")).when(scratch(ONE[0].2))];
    play(driver, &ONE, batch(&ONE, turns)).await
}

fn one_id_throughout(recording: &Recording, _: &Spec) -> Judged {
    let message = "what belongs to one call does not carry the id of that call";
    let (seen, told) = must_ask(recording, "parent-2", "the run did not go on after its operation")?;
    let call = ONE[0].0;
    let mut witness = seen.witness();
    if results(told, call).is_empty() {
        return Err(at(&seen, message, format!("a tool result for `{call}`"), "none").into());
    }
    let mut kinds = (0, 0, 0);
    for event in feed(recording) {
        let (name, count) = match event.kind() {
            "harness.operation_started" => ("toolCallId", &mut kinds.0),
            "harness.operation_step" => ("harnessToolCallId", &mut kinds.1),
            kind if kind.starts_with("harness.") => ("toolCallId", &mut kinds.2),
            _ => continue,
        };
        *count += 1;
        if event.text(name) != call {
            let expected = format!("`{name}` {call} in {}", event.kind());
            return Err(at(&event.seen, message, expected, event.payload()[name].to_string()).into());
        }
        witness = witness.and(event.seen.witness());
    }
    if kinds.0 == 0 || kinds.1 == 0 || kinds.2 == 0 {
        let got = format!("{} started, {} steps, {} ends", kinds.0, kinds.1, kinds.2);
        return Err(at(&seen, message, "a started event, steps and a terminal event", got).into());
    }
    each_id_is_its_own(recording)?;
    Ok(witness)
}

/// A stream that is opened again may repeat an event; two different events never share an id.
fn each_id_is_its_own(recording: &Recording) -> Result<(), recording::Verdict> {
    let mut places: BTreeMap<String, u64> = BTreeMap::new();
    for event in feed(recording) {
        let (id, Some(place)) = (event.data["id"].to_string(), event.position()) else { continue };
        if places.insert(id.clone(), place).is_some_and(|before| before != place) {
            let expected = "an id of its own for every event";
            return Err(at(&event.seen, "two events have one id", expected, id).into());
        }
    }
    Ok(())
}

/// Started, steps and end of the one call of `recording`, in this order; a finding otherwise.
fn in_order(recording: &Recording, ending: Ending, message: &str) -> Judged {
    let life = lifecycle(recording, ONE[0].0);
    let (run, (seen, _)) =
        (recording.one("run")?, must_ask(recording, "scratch-1", "a scratch loop did not begin")?);
    let ([started], Some(end)) = (life.started.as_slice(), life.end()) else {
        let got = format!("{} started, {} terminal", life.started.len(), life.ends.len());
        return Err(at(&run, message, "one started event and one terminal event", got).into());
    };
    let between = life.steps.iter().all(|step| started.is_before(step) && step.is_before(&end));
    if !between || !started.is_before(&end) || Ending::of(&end) != ending {
        let mut all: Vec<_> = life.started.iter().chain(&life.steps).chain(&life.ends).collect();
        all.sort_by_key(|event| event.position());
        let kinds: Vec<&str> = all.iter().map(|event| event.kind()).collect();
        let expected = "started, then the steps, then the terminal event";
        return Err(at(&started.seen, message, expected, format!("{kinds:?}")).into());
    }
    Ok(seen.witness().and(life.witness().unwrap_or_else(|| run.witness())))
}

fn started_steps_completed(recording: &Recording, _: &Spec) -> Judged {
    let message = "the events of an operation that succeeds are not in their order";
    let witness = in_order(recording, Ending::Completed, message)?;
    if lifecycle(recording, ONE[0].0).steps.is_empty() {
        return Err(recording.one("run")?.finding(message, "steps between start and end").into());
    }
    Ok(witness)
}

fn started_and_failed(recording: &Recording, _: &Spec) -> Judged {
    in_order(
        recording,
        Ending::Failed,
        "an operation that fails has no started event with a failed one after it",
    )
}

fn neither_looks_like_a_failure(recording: &Recording, _: &Spec) -> Judged {
    let message = "a timeout or a cancellation looks like a failure or cannot be told from the other";
    let state = |label: &str| -> Result<(recording::Seen<'_>, String), recording::Verdict> {
        let run = recording.one(label)?;
        let state = run.json()?["state"].as_str().unwrap_or_default().to_owned();
        Ok((run, state))
    };
    let ((first, first_state), (second, second_state)) = (state("run")?, state("run: second")?);
    let mut kinds = Vec::new();
    let mut witness = first.witness().and(second.witness());
    for (call, run) in [("call_slow", &first), ("call_held", &second)] {
        let life = lifecycle(recording, call);
        let Some(end) = life.ends.first() else {
            return Err(at(run, message, format!("a terminal event for `{call}`"), "none").into());
        };
        if Ending::of(end) != Ending::Stopped || end.payload()["resultValidated"] != false {
            let expected = format!("`{call}` timed out or cancelled, `resultValidated` false");
            return Err(at(&end.seen, message, expected, end.kind()).into());
        }
        kinds.push(end.kind());
        witness = witness.and(end.seen.witness());
    }
    // Where one kind stands for both, the state of the run tells them apart (D1).
    let run_tells =
        second_state == "cancelled" && !["cancelled", "timed_out"].contains(&first_state.as_str());
    if !run_tells {
        let expected = "a run that goes on after the timeout, and one that is cancelled";
        return Err(at(&first, message, expected, format!("{first_state}, {second_state}")).into());
    }
    must_end(recording, "call_fail", Ending::Failed)?;
    let words =
        if kinds[0] == kinds[1] { "D1: one kind for both; the run tells them apart" } else { "two kinds" };
    Ok(witness.noting(words))
}

fn a_step_for_each(recording: &Recording, _: &Spec) -> Judged {
    let message = "a model turn or a tool call of an operation has no step of its own";
    let life = lifecycle(recording, ONE[0].0);
    let (seen, _) = must_ask(recording, "scratch-3", "the scratch loop did not reach its third turn")?;
    let turns = life.steps.iter().filter(|step| step.text("stepKind") == "model").count();
    let reads = life.steps.iter().filter(|step| step.text("toolName") == "read").count();
    if turns != 3 || reads != 2 {
        let got = format!("{turns} model steps, {reads} steps of `read`");
        return Err(at(&seen, message, "3 model steps and 2 of `read`", got).into());
    }
    Ok(seen.witness().and(life.witness().unwrap_or_else(|| seen.witness())))
}

fn a_failed_tool_has_a_step(recording: &Recording, _: &Spec) -> Judged {
    let message = "a tool that failed inside an operation has no step that says so";
    let (seen, _) = must_ask(recording, "scratch-3", "the scratch loop did not reach its third turn")?;
    let life = lifecycle(recording, ONE[0].0);
    let failed: Vec<_> = life
        .steps
        .iter()
        .filter(|step| step.text("toolName") == "read" && step.text("status") == "error")
        .collect();
    if failed.len() != 2 {
        let expected = "two steps of `read` with status error, one for each missing file";
        return Err(at(&seen, message, expected, format!("{}", failed.len())).into());
    }
    Ok(failed.iter().fold(seen.witness(), |witness, step| witness.and(step.seen.witness())))
}

const KEYS: [Asked<'_>; 2] = [("call_a", "first_half", "task-of-a"), ("call_b", "second_half", "task-of-b")];
const SAME: [Asked<'_>; 2] = [("call_a", "one_key", "task-of-a"), ("call_b", "one_key", "task-of-b")];
/// What each loop does: model turns, and the tools that it calls, `finish` aside.
const SHAPES: [(&str, &[&str]); 2] =
    [("call_a", &["model", "read", "model"]), ("call_b", &["model", "read", "read", "model", "model"])];

/// Two loops of different shapes. They meet at their first and at their last turn, so they run side by side.
fn two_shapes(calls: &[Asked<'_>]) -> Result<Script, model::ScriptError> {
    let (a, b) = (|| scratch("task-of-a"), || scratch("task-of-b"));
    let meet = |turn: Turn, gate: &str| turn.hold(gate).after_arrivals(2);
    let turns = vec![
        meet(Turn::new("a-1", read("a", &["a.txt"])).when(a().no_tool_results()), "first"),
        meet(Turn::new("a-2", finish("a")).when(a().tool_result_for("a_0")), "last"),
        meet(Turn::new("b-1", read("b", &["b.txt", "c.txt"])).when(b().no_tool_results()), "first"),
        Turn::new("b-2", Answer::new().text("Not yet."))
            .when(b().tool_result_for("b_0").tool_result_for("b_1")),
        meet(Turn::new("b-3", finish("b")).when(b().has_tool_results()), "last"),
    ];
    batch(calls, turns)
}

pub(super) async fn two_of_two_keys(driver: &Driver<'_>) -> Drove {
    play(driver, &KEYS, two_shapes(&KEYS)).await
}

async fn two_of_one_key(driver: &Driver<'_>) -> Drove {
    play(driver, &SAME, two_shapes(&SAME)).await
}

/// The shape of a loop by its steps; whether `finish` has a step is open.
fn shape<'a>(life: &Lifecycle<'a>) -> Vec<&'a str> {
    let mut steps = life.steps.clone();
    steps.sort_by_key(|step| step.payload()["stepIndex"].as_u64());
    let word = |kind: &'a str, tool: &'a str| if kind == "model" { kind } else { tool };
    let words = steps.iter().map(|step| word(step.text("stepKind"), step.text("toolName")));
    words.filter(|word| *word != "finish").collect()
}

/// Whether the steps of both loops stand under the ids of their calls, each in its own order.
fn sorted_by_owner(recording: &Recording, message: &str) -> Judged {
    let mut witness = recording.one("run")?.witness();
    for turn in ["a-2", "b-3"] {
        let (seen, _) = must_ask(recording, turn, "a scratch loop did not reach its last turn")?;
        witness = witness.and(seen.witness());
    }
    let run = recording.one("run")?;
    let orphan = |life: &&Lifecycle<'_>| !life.steps.is_empty() && life.started.is_empty();
    if let Some(life) = lifecycles(recording).iter().find(orphan) {
        let got = format!("steps of `{}`", life.call);
        return Err(at(&life.steps[0].seen, message, "the id of a call that was started", got).into());
    }
    for (call, expected) in SHAPES {
        let life = lifecycle(recording, call);
        let got = shape(&life);
        if got != expected {
            return Err(at(&run, message, format!("`{call}`: {expected:?}"), format!("{got:?}")).into());
        }
        witness = witness.and(life.witness().unwrap_or_else(|| run.witness()));
    }
    Ok(witness.showing(timeline(recording, &["a-1", "a-2", "b-1", "b-2", "b-3"])))
}

fn steps_stay_with_their_owner(recording: &Recording, _: &Spec) -> Judged {
    sorted_by_owner(recording, "the steps of loops side by side do not stand under their own calls")
}

fn calls_of_one_key_stay_apart(recording: &Recording, _: &Spec) -> Judged {
    sorted_by_owner(recording, "the steps of two calls of one key do not stand under their own calls")
}

/// The one call of [`two_reads_between_three_turns`], for checks that look at the same run.
pub(super) const CALL: &str = ONE[0].0;
