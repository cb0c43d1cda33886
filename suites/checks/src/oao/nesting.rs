//! Operations do not call operations (OAO-36).

use engine::{Driver, Drove};
use model::{Answer, Conditions, ToolCall, Turn};
use recording::{Judged, Recording, Seen, View, Witness};
use serde_json::{Value, json};
use spec::Spec;

use super::{
    asking::finish,
    runs::{at, events_of, must_ask, operation, results},
    scripted::{
        CALL, NOT_COMPLETED, TASK, TOLD, both, calling, must_not_ask, play, scratch, script, terminal,
    },
};
use crate::table::checks;

checks! { Oao:
    "OAO-36-a" => it_calls_itself, it_is_not_called;
    "OAO-36-b" => it_calls_another_one, the_other_one_is_not_called;
    "OAO-36-c" => it_tries_twenty_times, the_run_survives;
}

const OWN: &str = "plan_route";
const OTHER: &str = "check_route";
const LIMIT_MS: u64 = 20_000;
/// Of the operation whose loop does not end by itself.
const SHORT_MS: u64 = 2_000;
/// Until the parent is asked again after that limit: the model's answer has to be dropped and a turn begun.
const GRACE_MS: u64 = 5_000;
/// The task of every nested call.
const NESTED: &str = "task-of-a-nested-call";
/// The turn of a scratch loop that must not be.
const INNER: &str = "nested-loop";

/// Whoever runs a nested call gets an answer, so that it shows. It comes first: its prompt may hold the
/// outer task too.
fn nested_loop() -> Turn {
    Turn::new(INNER, finish("nested")).when(Conditions::new().user_contains(NESTED)).repeat()
}

async fn one_nested_call(driver: &Driver<'_>, key: &str) -> Drove {
    let turns = [
        nested_loop(),
        Turn::new("scratch-1", calling("nested", key, json!({"task": NESTED})))
            .when(scratch(TASK).no_tool_results()),
        Turn::new("scratch-2", finish("outer")).when(scratch(TASK).tool_result_for("nested")),
    ];
    let operations = json!([operation(OWN, LIMIT_MS), operation(OTHER, LIMIT_MS)]);
    play(driver, &operations, script(&[(CALL, OWN, TASK)], turns)).await
}

async fn it_calls_itself(driver: &Driver<'_>) -> Drove {
    one_nested_call(driver, OWN).await
}

async fn it_calls_another_one(driver: &Driver<'_>) -> Drove {
    one_nested_call(driver, OTHER).await
}

fn it_is_not_called(recording: &Recording, _: &Spec) -> Judged {
    refused(recording, "an operation ran inside its own loop")
}

fn the_other_one_is_not_called(recording: &Recording, _: &Spec) -> Judged {
    refused(recording, "an operation ran inside the loop of another one")
}

/// The nested call opened nothing, and the outer operation went on or failed over it (D2).
fn refused(recording: &Recording, message: &'static str) -> Judged {
    let (tried, _) = must_ask(recording, "scratch-1", "the scratch loop did not begin")?;
    let Some(started) = none_ran(recording, message)? else {
        return Err(tried.finding("the outer call has no started event", "one started event").into());
    };
    let witness = both(tried.witness(), started);
    if let Some((seen, turn)) = super::runs::asked(recording, "scratch-2") {
        is_refused(&seen, &results(turn, "nested"), message)?;
        return Ok(both(witness, seen));
    }
    match terminal(recording, CALL) {
        Some((ending, seen, _)) if NOT_COMPLETED.contains(&ending) => {
            Ok(both(witness, seen).noting("D2: the refusal failed the outer operation as well"))
        }
        _ => Err(recording
            .one("run")?
            .finding("the loop was not told of the refusal", "the refusal as a tool error")
            .into()),
    }
}

/// No nested loop was opened and no nested call started; the started event of the outer call, if there is one.
fn none_ran<'a>(
    recording: &'a Recording,
    message: &'static str,
) -> Result<Option<Seen<'a>>, recording::Verdict> {
    must_not_ask(recording, INNER, message)?;
    let started = events_of(recording, "harness.operation_started");
    for (seen, event) in &started {
        if event["publicPayload"]["toolCallId"] != CALL {
            return Err(seen.finding(message, "one started event, for the outer call").into());
        }
    }
    Ok(started.first().map(|(seen, _)| *seen))
}

fn is_refused(seen: &Seen<'_>, texts: &[&str], message: &'static str) -> Result<(), recording::Verdict> {
    let is_result =
        |text: &&str| serde_json::from_str::<Value>(text).is_ok_and(|value| value.get("answer").is_some());
    if texts.is_empty() || texts.iter().any(is_result) {
        return Err(at(seen, message, "one tool error for the nested call", format!("{texts:?}")).into());
    }
    Ok(())
}

const TIMES: usize = 20;

fn attempts(from: usize) -> Vec<String> {
    (from..from + TIMES / 2).map(|number| format!("nested_{number}")).collect()
}

/// Twice ten calls; then the model does not answer any more.
async fn it_tries_twenty_times(driver: &Driver<'_>) -> Drove {
    let all = |ids: &[String]| {
        ids.iter().fold(Answer::new(), |answer, id| {
            answer.call(ToolCall::new(id.as_str(), OWN, json!({"task": NESTED})))
        })
    };
    let (first, second) = (attempts(1), attempts(11));
    let after = |ids: &[String]| ids.iter().fold(scratch(TASK), |when, id| when.tool_result_for(id.as_str()));
    let turns = [
        nested_loop(),
        Turn::new("scratch-1", all(&first)).when(scratch(TASK).no_tool_results()),
        Turn::new("scratch-2", all(&second)).when(after(&first)),
        Turn::new("scratch-3", finish("never")).when(after(&second)).hold("nobody-releases-it"),
    ];
    play(driver, &json!([operation(OWN, SHORT_MS)]), script(&[(CALL, OWN, TASK)], turns)).await
}

fn the_run_survives(recording: &Recording, _: &Spec) -> Judged {
    let ran = "an operation ran inside its own loop";
    let (first, began) = must_ask(recording, "scratch-1", "the scratch loop did not begin")?;
    none_ran(recording, ran)?;
    let mut witness = first.witness();
    for (turn, ids) in [("scratch-2", attempts(1)), ("scratch-3", attempts(11))] {
        let Some((seen, told)) = super::runs::asked(recording, turn) else { continue };
        for id in ids {
            is_refused(&seen, &results(told, &id), ran)?;
        }
        witness = both(witness, seen);
    }
    let run = recording.one("run")?;
    let message = "the run did not survive the refusals";
    if run.json()?["state"] != "completed" {
        return Err(run.finding(message, "a run that completed").into());
    }
    let (seen, told) = must_ask(recording, TOLD, message)?;
    let took = told.arrived_ms.saturating_sub(began.arrived_ms);
    if took > SHORT_MS + GRACE_MS {
        let expected = format!("the parent's next turn within {} ms", SHORT_MS + GRACE_MS);
        return Err(at(&seen, "the operation outlived its timeout", expected, format!("{took} ms")).into());
    }
    let Some((ending, ended, _)) = terminal(recording, CALL) else {
        return Err(run.finding("a call that began has no terminal event", "one for the outer call").into());
    };
    if !NOT_COMPLETED.contains(&ending) {
        return Err(ended.finding("a loop that was never answered completed", "no completed event").into());
    }
    Ok(Witness::and(both(witness, seen), ended.witness()))
}
