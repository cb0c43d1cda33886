//! How long a task may be, and how it is counted (OAO-52, 281, 282).

use engine::{Driver, Drove};
use model::{Answer, Conditions, Script, ToolCall, Turn};
use recording::{Judged, ModelTurn, Recording, Seen};
use serde_json::{Value, json};
use spec::Spec;

use super::{
    asking::finish,
    runs::{at, events_of, must_ask, operation, results, value},
    scripted::{TOLD, both, calling, must_not_ask, parent, play, scratch, script, terminal},
};
use crate::table::checks;

checks! { Oao:
    "OAO-52-a" => shortest_and_longest, both_run_complete;
    "OAO-52-b" => empty_and_overlong, neither_runs;
    "OAO-281-a" => tasks_of_known_length, the_lengths_are_told;
    "OAO-282-a" => longest_of_two_bytes_each, it_runs_complete;
}

const KEY: &str = "read_closely";
const LIMIT_MS: u64 = 20_000;
const LONGEST: usize = 100_000;
/// With it every long task begins, so that scripts know it.
const LONG: &str = "long-task ";
/// A task of one character, which no prompt has by chance.
const SHORT: &str = "∎";

fn operations() -> Value {
    json!([operation(KEY, LIMIT_MS)])
}

/// A task of `length` characters in which every place differs from the next: what is cut off and filled up
/// again is seen.
fn long(length: usize) -> String {
    let numbers = (0..).flat_map(|number: u32| format!("{number} ").chars().collect::<Vec<_>>());
    LONG.chars().chain(numbers).take(length).collect()
}

async fn shortest_and_longest(driver: &Driver<'_>) -> Drove {
    let longest = long(LONGEST);
    let turns = [
        Turn::new("scratch-long", finish("long")).when(scratch(LONG)),
        Turn::new("scratch-short", finish("short")).when(scratch(SHORT)),
    ];
    let calls = [("short", KEY, SHORT), ("long", KEY, longest.as_str())];
    play(driver, &operations(), script(&calls, turns)).await
}

fn both_run_complete(recording: &Recording, _: &Spec) -> Judged {
    let message = "a task of an allowed length did not run";
    let (told, turn) = must_ask(recording, TOLD, message)?;
    let mut witness = told.witness();
    for (call, task) in [("short", SHORT.to_owned()), ("long", long(LONGEST))] {
        let got = value(turn, call);
        if got != Some(json!({"answer": call})) {
            return Err(at(&told, message, format!("the result of `{call}`"), format!("{got:?}")).into());
        }
        witness = both(witness, complete(recording, &format!("scratch-{call}"), &task)?);
    }
    Ok(witness)
}

/// The request that the loop began with holds the whole task.
fn complete<'a>(recording: &'a Recording, turn: &str, task: &str) -> Result<Seen<'a>, recording::Verdict> {
    let message = "a task did not arrive complete";
    let (seen, asked) = must_ask(recording, turn, message)?;
    if user_texts(asked).any(|text| text.contains(task)) {
        return Ok(seen);
    }
    let longest = user_texts(asked).map(str::len).max().unwrap_or_default();
    let got = format!("user messages of at most {longest} bytes");
    Err(at(&seen, message, format!("all {} characters of the task", task.chars().count()), got).into())
}

fn user_texts(turn: &ModelTurn) -> impl Iterator<Item = &str> {
    let messages = turn.request["messages"].as_array().map_or(&[][..], Vec::as_slice);
    messages.iter().filter(|message| message["role"] == "user").filter_map(|message| message["text"].as_str())
}

async fn empty_and_overlong(driver: &Driver<'_>) -> Drove {
    let bad = [("bad_empty", String::new()), ("bad_overlong", long(LONGEST + 1))];
    let answer = bad.iter().fold(Answer::new(), |answer, (id, task)| {
        answer.call(ToolCall::new(*id, KEY, json!({"task": task})))
    });
    let after = parent().tool_result_for("bad_empty").tool_result_for("bad_overlong");
    let turns = [
        Turn::new("parent-bad", answer).when(parent().no_tool_results()),
        Turn::new("parent-good", calling("good", KEY, json!({"task": "the-good-task"}))).when(after),
        Turn::new("parent-end", Answer::new().text("Done.")).when(parent().tool_result_for("good")),
        Turn::new("scratch-good", finish("fine")).when(scratch("the-good-task")),
        // Whoever runs a bad task gets an answer too, so that it shows.
        Turn::new("scratch-bad", finish("bad")).when(Conditions::new().tool_offered("finish")).repeat(),
    ];
    play(driver, &operations(), Script::new("empty and overlong", turns)).await
}

fn neither_runs(recording: &Recording, _: &Spec) -> Judged {
    let message = "a task outside the allowed length ran";
    must_not_ask(recording, "scratch-bad", message)?;
    let (told, turn) = must_ask(recording, "parent-good", "the parent was not told of its bad calls")?;
    for call in ["bad_empty", "bad_overlong"] {
        let texts = results(turn, call);
        let ran = |text: &&str| {
            serde_json::from_str::<Value>(text).is_ok_and(|value| value.get("answer").is_some())
        };
        if texts.is_empty() || texts.iter().any(ran) {
            return Err(
                at(&told, message, format!("one tool error for `{call}`"), format!("{texts:?}")).into()
            );
        }
        if let Some(("completed", seen, _)) = terminal(recording, call) {
            return Err(seen.finding(message, format!("no completed event for `{call}`")).into());
        }
    }
    let (end, turn) = must_ask(recording, "parent-end", "a call with a good task did not run")?;
    match value(turn, "good") {
        Some(result) if result == json!({"answer": "fine"}) => Ok(both(told.witness(), end)),
        other => {
            Err(at(&end, "a call with a good task did not run", "its result", format!("{other:?}")).into())
        }
    }
}

async fn longest_of_two_bytes_each(driver: &Driver<'_>) -> Drove {
    let task = of_two_bytes();
    let turns = [Turn::new("scratch-long", finish("long")).when(scratch(LONG))];
    play(driver, &operations(), script(&[("long", KEY, task.as_str())], turns)).await
}

fn of_two_bytes() -> String {
    LONG.chars().chain("äöüß".chars().cycle()).take(LONGEST).collect()
}

fn it_runs_complete(recording: &Recording, _: &Spec) -> Judged {
    let message = "a task of 100000 letters of two bytes each did not run";
    let (told, turn) = must_ask(recording, TOLD, message)?;
    match value(turn, "long") {
        Some(result) if result == json!({"answer": "long"}) => {
            Ok(both(told.witness(), complete(recording, "scratch-long", &of_two_bytes())?))
        }
        other => Err(at(&told, message, "its result", format!("{other:?}")).into()),
    }
}

/// Tasks, and the lengths that may be told of them: code points, or UTF-16 code units where that differs (W02).
fn known() -> [(&'static str, &'static str, Vec<u64>); 4] {
    [
        ("plain", "count-me-plain", vec![14]),
        ("two_bytes", "count-me-äöüß", vec![13]),
        ("combining", "count-me-e\u{301}e\u{301}", vec![13]),
        ("astral", "count-me-🧾🧾", vec![11, 13]),
    ]
}

async fn tasks_of_known_length(driver: &Driver<'_>) -> Drove {
    let known = known();
    let calls: Vec<_> = known.iter().map(|(id, task, _)| (*id, KEY, *task)).collect();
    let turns =
        known.iter().map(|(id, task, _)| Turn::new(format!("scratch-{id}"), finish(id)).when(scratch(task)));
    play(driver, &operations(), script(&calls, turns)).await
}

fn the_lengths_are_told(recording: &Recording, _: &Spec) -> Judged {
    let started = events_of(recording, "harness.operation_started");
    let (told, _) = must_ask(recording, TOLD, "the operations did not run")?;
    let (mut witness, mut points) = (told.witness(), false);
    for (call, _, lengths) in known() {
        let own = started.iter().find(|(_, event)| event["publicPayload"]["toolCallId"] == call);
        let Some((seen, event)) = own else {
            return Err(told
                .finding("a call that ran has no started event", format!("one for `{call}`"))
                .into());
        };
        let got = event["publicPayload"]["taskCharacters"].as_u64();
        if !got.is_some_and(|got| lengths.contains(&got)) {
            let message = "the length of a task is told wrong";
            return Err(at(seen, message, format!("{lengths:?} for `{call}`"), format!("{got:?}")).into());
        }
        points |= call == "astral" && got == lengths.first().copied();
        witness = both(witness, *seen);
    }
    Ok(if points { witness.noting("W02: the target counts code points") } else { witness })
}
