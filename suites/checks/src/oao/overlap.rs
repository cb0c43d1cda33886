//! Several operations in one model turn (OAO-13).

use engine::{Driver, Drove};
use model::{Script, Turn};
use recording::{Judged, Recording, Seen, View, Witness};
use serde_json::{Value, json};
use spec::Spec;

use super::{
    batch::{Asked, batch, finish, give_up, read, scratch, taking},
    lifecycle::timeline,
    runs::{at, events_of, load, must_ask, need_operations, operation, settle, start, value},
};
use crate::table::checks;

checks! { Oao:
    "OAO-13-a" => two_that_wait_for_each_other, they_run_at_the_same_time;
    "OAO-13-b" => three_of_one_key, each_call_gets_its_own_result;
    "OAO-13-c" => one_of_two_gives_up, the_other_completes;
}

/// Short, because a target that does not overlap waits for it.
const LIMIT_MS: u64 = 3_000;

async fn run(driver: &Driver<'_>, keys: &[&str], script: Result<Script, model::ScriptError>) -> Drove {
    load(driver, script)?;
    let operations: Value = keys.iter().map(|key| operation(key, LIMIT_MS)).collect();
    let agent = need_operations(driver, &operations).await?;
    let started = start(driver, "start", &agent).await?;
    settle(driver, &started).await
}

const PAIR: [Asked<'_>; 2] = [("call_a", "first_half", "task-of-a"), ("call_b", "second_half", "task-of-b")];

/// The model holds the answer to each until the other has asked too. Calls that run one after the other
/// never meet.
async fn two_that_wait_for_each_other(driver: &Driver<'_>) -> Drove {
    let held = |id: &str, task: &str, answer: &str| {
        Turn::new(id, finish(answer)).when(scratch(task)).hold("both").after_arrivals(2).stream(taking(100))
    };
    let turns = vec![held("scratch-a", "task-of-a", "a"), held("scratch-b", "task-of-b", "b")];
    run(driver, &["first_half", "second_half"], batch(&PAIR, turns)).await
}

fn they_run_at_the_same_time(recording: &Recording, _: &Spec) -> Judged {
    let message = "two operations of one batch did not run at the same time";
    let shown = || timeline(recording, &["scratch-a", "scratch-b"]);
    let mut witnesses = Vec::new();
    for turn in ["scratch-a", "scratch-b"] {
        let (seen, asked) = must_ask(recording, turn, message)?;
        if asked.journal["outcome"] != "answered" {
            let expected = "both scratch loops waiting for the model together";
            return Err(at(
                &seen,
                message,
                expected,
                format!("`{turn}` waited alone: {}", asked.journal["outcome"]),
            )
            .showing(shown())
            .into());
        }
        witnesses.push(seen.witness());
    }
    let starts = positions(recording, "harness.operation_started");
    let ends = positions(recording, "harness.operation_completed");
    let overlap = starts.len() == 2
        && ends.len() == 2
        && starts.iter().all(|(_, start)| ends.iter().all(|(_, end)| start < end));
    let run = recording.one("run")?;
    if !overlap {
        let words = |list: &[(Seen<'_>, u64)]| {
            format!("{:?}", list.iter().map(|(_, position)| *position).collect::<Vec<_>>())
        };
        let got = format!("started at {}, completed at {}", words(&starts), words(&ends));
        return Err(at(&run, message, "two started events before the first completed one", got)
            .showing(shown())
            .into());
    }
    witnesses.extend(starts.iter().chain(&ends).map(|(seen, _)| seen.witness()));
    Ok(Witness::all(witnesses).unwrap_or_else(|| run.witness()).showing(shown()))
}

fn positions<'a>(recording: &'a Recording, kind: &str) -> Vec<(Seen<'a>, u64)> {
    let position = |event: &Value| event.get("projectPosition")?.as_str()?.parse().ok();
    events_of(recording, kind)
        .into_iter()
        .filter_map(|(seen, event)| Some((seen, position(event)?)))
        .collect()
}

const TRIPLE: [Asked<'_>; 3] = [
    ("call_1", "one_key", "task-number-one"),
    ("call_2", "one_key", "task-number-two"),
    ("call_3", "one_key", "task-number-three"),
];
const ANSWERS: [(&str, &str); 3] = [("call_1", "one"), ("call_2", "two"), ("call_3", "three")];

/// The first call takes longest, so that the order in which they end is not the order of the calls.
async fn three_of_one_key(driver: &Driver<'_>) -> Drove {
    let turns = vec![
        Turn::new("scratch-1-reads", read("read", &["slow.txt"]))
            .when(scratch("task-number-one").no_tool_results()),
        Turn::new("scratch-1", finish("one")).when(scratch("task-number-one").tool_result_for("read_0")),
        Turn::new("scratch-2", finish("two")).when(scratch("task-number-two")),
        Turn::new("scratch-3", finish("three")).when(scratch("task-number-three")),
    ];
    run(driver, &["one_key"], batch(&TRIPLE, turns)).await
}

fn each_call_gets_its_own_result(recording: &Recording, _: &Spec) -> Judged {
    let message = "a call of a batch did not get the result of its own task";
    let (seen, told) = must_ask(recording, "parent-2", message)?;
    for (call, answer) in ANSWERS {
        let got = value(told, call);
        if got != Some(json!({"answer": answer})) {
            return Err(at(
                &seen,
                message,
                format!("{{\"answer\":\"{answer}\"}} for `{call}`"),
                format!("{got:?}"),
            )
            .into());
        }
    }
    Ok(seen.witness())
}

/// The sibling is still at work when the first one gives up.
async fn one_of_two_gives_up(driver: &Driver<'_>) -> Drove {
    let turns = vec![
        Turn::new("scratch-a", give_up("no")).when(scratch("task-of-a")),
        Turn::new("scratch-b-1", read("b_read", &["notes.txt"])).when(scratch("task-of-b").no_tool_results()),
        Turn::new("scratch-b-2", read("b_look", &["notes.txt"]))
            .when(scratch("task-of-b").tool_result_for("b_read_0")),
        Turn::new("scratch-b-3", finish("b")).when(scratch("task-of-b").tool_result_for("b_look_0")),
    ];
    run(driver, &["first_half", "second_half"], batch(&PAIR, turns)).await
}

fn the_other_completes(recording: &Recording, _: &Spec) -> Judged {
    let message = "the failure of one call of a batch reached another one";
    let (seen, told) = must_ask(recording, "parent-2", message)?;
    let sibling = value(told, "call_b");
    if sibling != Some(json!({"answer": "b"})) {
        return Err(at(&seen, message, "{\"answer\":\"b\"} for `call_b`", format!("{sibling:?}")).into());
    }
    let failed = value(told, "call_a").is_some_and(|result| result.get("answer").is_some());
    let of = |kind: &str| -> Vec<String> {
        let ids = events_of(recording, kind)
            .into_iter()
            .map(|(_, event)| event["publicPayload"]["toolCallId"].to_string());
        ids.collect()
    };
    let (completed, ended_badly) = (of("harness.operation_completed"), of("harness.operation_failed"));
    if failed || completed != ["\"call_b\""] || ended_badly != ["\"call_a\""] {
        let got = format!("completed {completed:?}, failed {ended_badly:?}");
        return Err(at(
            &seen,
            "a call that gave up did not fail by itself",
            "`call_a` failed, `call_b` completed",
            got,
        )
        .into());
    }
    Ok(seen.witness())
}
