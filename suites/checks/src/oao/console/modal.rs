//! What a modal shows (OAO-61, 64, 67, 69).

use engine::{Driver, Drove};
use model::{Answer, ToolCall, Turn};
use recording::{Finding, Judged, Recording, View};
use serde_json::{Value, json};
use spec::Spec;

use super::{
    play::{
        Asked, CALL, KEY, LIMIT_MS, SCRATCH_TEXT, TASK, finish, finish_only, of_call, play, rounds, scratch,
        slow, terminal, two_reads,
    },
    view::{Console, model_steps, steps, text},
};
use crate::table::checks;

checks! { Oao:
    "OAO-61-a" => one_that_finishes, six_kinds_of_data;
    "OAO-61-b" => a_long_task, its_length_and_not_its_text;
    "OAO-61-c" => an_invalid_result, failed_and_not_validated;
    "OAO-64-a" => three_at_once, three_places_out_of_three;
    "OAO-67-a" => six_steps, fields_on_the_list;
    "OAO-67-b" => six_steps, tokens_as_recorded;
    "OAO-69-a" => six_steps, the_tool_that_was_requested;
    "OAO-69-b" => one_that_finishes, the_validated_finish;
}

async fn six_steps(driver: &Driver<'_>) -> Drove {
    play(driver, &[KEY], two_reads(), &[CALL]).await
}

async fn one_that_finishes(driver: &Driver<'_>) -> Drove {
    play(driver, &[KEY], finish_only(), &[CALL]).await
}

fn six_kinds_of_data(recording: &Recording, _: &Spec) -> Judged {
    let console = Console::read(recording, "view")?;
    let modal = console.modal(CALL)?;
    let is_time = |name: &str| text(modal, name).parse::<jiff::Timestamp>().is_ok();
    let is_number = |name: &str| modal.get(name).and_then(Value::as_f64).is_some_and(|number| number >= 0.0);
    let kinds = [
        ("status", modal["status"] == "completed"),
        ("timing", is_time("startedAt") && is_time("endedAt") && is_number("durationMs")),
        ("time limit", modal["timeoutMs"] == LIMIT_MS),
        ("task size", is_number("taskCharacters")),
        ("validation state", modal["resultValidated"] == true),
        ("steps", !steps(modal).is_empty()),
    ];
    let missing: Vec<&str> = kinds.iter().filter(|(_, there)| !there).map(|(name, _)| *name).collect();
    let Some((published, _)) = terminal(recording, CALL).filter(|_| missing.is_empty()) else {
        let message = "the modal of a completed invocation does not show all six kinds of data";
        let expected = "status, timing, time limit, task size, a valid result, and steps";
        return Err(console.finding(message, expected, format!("without {missing:?}: {modal}")).into());
    };
    Ok(console.seen.witness().and(published.witness()))
}

/// A task of 1,234 characters of the basic plane, some of which JSON escapes.
fn long_task(token: &str) -> String {
    let mut task = format!("cnrylong{token} \"quoted\"\n");
    task.extend(std::iter::repeat_n('x', 1_234 - task.len()));
    task
}

async fn a_long_task(driver: &Driver<'_>) -> Drove {
    let task = long_task(driver.token());
    let marker = format!("cnrylong{}", driver.token());
    let turns = vec![Turn::new("scratch-1", finish("done", "read")).when(scratch(&marker))];
    play(driver, &[KEY], rounds(&[&[(CALL, KEY, &task)]], turns), &[CALL]).await
}

fn its_length_and_not_its_text(recording: &Recording, _: &Spec) -> Judged {
    let console = Console::read(recording, "view")?;
    let modal = console.modal(CALL)?;
    if console.shows(&format!("cnrylong{}", recording.token)) {
        return Err(console
            .finding("the modal shows the text of the task", "its length only", "the text")
            .into());
    }
    if modal["taskCharacters"] != 1_234 {
        let message = "the modal does not show how long the task is";
        return Err(console.finding(message, "1234", modal["taskCharacters"].to_string()).into());
    }
    Ok(console.seen.witness())
}

/// What is handed in is no result, and then the loop gives up.
async fn an_invalid_result(driver: &Driver<'_>) -> Drove {
    let wrong = ToolCall::new("wrong", "finish", json!({"answer": {"not": "a text"}}));
    let no = ToolCall::new("no", "give_up", json!({"reason": "there is no such answer"}));
    let turns = vec![
        Turn::new("scratch-1", Answer::new().call(wrong)).when(scratch(TASK).no_tool_results()),
        Turn::new("scratch-2", Answer::new().call(no)).when(scratch(TASK).tool_result_for("wrong")),
    ];
    play(driver, &[KEY], rounds(&[&[(CALL, KEY, TASK)]], turns), &[CALL]).await
}

fn failed_and_not_validated(recording: &Recording, _: &Spec) -> Judged {
    let console = Console::read(recording, "view")?;
    let modal = console.modal(CALL)?;
    let failed = terminal(recording, CALL).filter(|(_, event)| event["kind"] == "harness.operation_failed");
    let Some((published, _)) = failed else {
        let run = recording.one("run")?;
        return Err(run.finding("an operation without a valid result did not fail", "a failed event").into());
    };
    if modal["status"] != "failed" || modal["resultValidated"] != false {
        let message = "the modal of a failed invocation does not say that there is no valid result";
        let got = format!("status {}, resultValidated {}", modal["status"], modal["resultValidated"]);
        return Err(console.finding(message, "status failed, resultValidated false", got).into());
    }
    Ok(console.seen.witness().and(published.witness()))
}

const TRIPLE: [Asked<'static>; 3] = [
    ("call_1", KEY, "task-number-one"),
    ("call_2", KEY, "task-number-two"),
    ("call_3", KEY, "task-number-three"),
];

async fn three_at_once(driver: &Driver<'_>) -> Drove {
    let held = |at: usize| {
        let turn = Turn::new(format!("scratch-{at}"), finish(&format!("done_{at}"), "x"));
        slow(turn.when(scratch(TRIPLE[at].2)), 200)
    };
    let script = rounds(&[&TRIPLE], (0..3).map(held).collect());
    play(driver, &[KEY], script, &TRIPLE.map(|(call, _, _)| call)).await
}

fn three_places_out_of_three(recording: &Recording, _: &Spec) -> Judged {
    let console = Console::read(recording, "view")?;
    let mut places = Vec::new();
    for (call, _, _) in TRIPLE {
        let parallel = &console.modal(call)?["parallel"];
        places.push((parallel["position"].as_u64(), parallel["count"].as_u64()));
    }
    places.sort_unstable();
    if places == [1, 2, 3].map(|place| (Some(place), Some(3))) {
        return Ok(console.seen.witness());
    }
    let message = "the modals of a group of three do not show three different places out of three";
    Err(console.finding(message, "1, 2 and 3 of 3", format!("{places:?}")).into())
}

/// What a modal may have.
const OF_MODAL: [&str; 14] = [
    "id",
    "title",
    "operationKey",
    "toolCallId",
    "status",
    "startedAt",
    "endedAt",
    "durationMs",
    "timeoutMs",
    "taskCharacters",
    "resultValidated",
    "attribution",
    "parallel",
    "steps",
];
/// What its place in a group may have.
const OF_PLACE: [&str; 3] = ["group", "position", "count"];
/// What a step may have.
const OF_STEP: [&str; 12] = [
    "id",
    "kind",
    "title",
    "summary",
    "status",
    "at",
    "durationMs",
    "inputTokens",
    "outputTokens",
    "cacheReadTokens",
    "cacheWriteTokens",
    "events",
];

/// A member of `value` that is not on `list`, or has members of its own where none belong.
fn beyond<'v>(value: &'v Value, list: &[&str]) -> Option<&'v str> {
    let nests = |name: &str, member: &Value| match name {
        "parallel" | "steps" => false,
        "events" => member.as_array().is_none_or(|ids| !ids.iter().all(Value::is_string)),
        _ => member.is_object() || member.is_array(),
    };
    let mut members = value.as_object()?.iter();
    members
        .find(|(name, member)| !list.contains(&name.as_str()) || nests(name, member))
        .map(|(name, _)| name.as_str())
}

fn fields_on_the_list(recording: &Recording, _: &Spec) -> Judged {
    let console = Console::read(recording, "view")?;
    let modal = console.modal(CALL)?;
    let of_steps = steps(modal).iter().find_map(|step| beyond(step, &OF_STEP));
    let found = beyond(modal, &OF_MODAL).or_else(|| beyond(&modal["parallel"], &OF_PLACE)).or(of_steps);
    match found {
        Some(name) => {
            let message = "a modal has a field that is not on the list";
            Err(console.finding(message, "the fields of the list only", format!("`{name}`")).into())
        }
        None if steps(modal).is_empty() => {
            Err(console.finding("a modal shows no step", "the steps of the call", modal.to_string()).into())
        }
        None => Ok(console.seen.witness()),
    }
}

fn tokens_as_recorded(recording: &Recording, _: &Spec) -> Judged {
    let message = "the token counts of a step are not those that were recorded";
    let console = Console::read(recording, "view")?;
    let shown = model_steps(console.modal(CALL)?);
    let mut recorded: Vec<_> = of_call(recording, "harnessToolCallId", CALL)
        .into_iter()
        .filter(|(_, event)| {
            event["kind"] == "harness.operation_step" && event["publicPayload"]["stepKind"] == "model"
        })
        .collect();
    recorded.sort_by_key(|(_, event)| event["publicPayload"]["stepIndex"].as_u64());
    let tokens =
        |of: &Value| ["inputTokens", "outputTokens"].map(|name| of.get(name).and_then(Value::as_u64));
    let wanted: Vec<_> = recorded.iter().map(|(_, event)| tokens(&event["publicPayload"])).collect();
    let got: Vec<_> = shown.iter().map(|step| tokens(step)).collect();
    let Some(witness) = recording::Witness::all(recorded.iter().map(|(seen, _)| seen.witness())) else {
        let run = recording.one("run")?;
        return Err(run.finding("no model step was published", "a step for each inner turn").into());
    };
    let whole = wanted.iter().flatten().all(Option::is_some);
    if got != wanted || !whole {
        return Err(console.finding(message, format!("{wanted:?}"), format!("{got:?}")).into());
    }
    Ok(witness.and(console.seen.witness()))
}

/// Whether the summary is `words`, with or without a full stop.
fn says(step: &Value, words: &str) -> bool {
    text(step, "summary").trim_end_matches('.') == words
}

fn summaries(modal: &Value) -> Vec<&str> {
    model_steps(modal).into_iter().map(|step| text(step, "summary")).collect()
}

fn wrong_summary(console: &Console<'_>, modal: &Value, message: &str, words: &str) -> Finding {
    console.finding(message, format!("`{words}`"), format!("{:?}", summaries(modal)))
}

fn the_tool_that_was_requested(recording: &Recording, _: &Spec) -> Judged {
    let message = "the summary of a model step does not name the tool that was requested, and only that";
    let console = Console::read(recording, "view")?;
    let modal = console.modal(CALL)?;
    let first = model_steps(modal).first().is_some_and(|step| says(step, "Requested read"));
    if !first || console.shows(SCRATCH_TEXT) {
        return Err(wrong_summary(&console, modal, message, "Requested read").into());
    }
    Ok(console.seen.witness())
}

fn the_validated_finish(recording: &Recording, _: &Spec) -> Judged {
    let message = "the summary of a model step does not name the validated finish, and only that";
    let words = "Returned the structured result for validation";
    let console = Console::read(recording, "view")?;
    let modal = console.modal(CALL)?;
    if !model_steps(modal).last().is_some_and(|step| says(step, words)) {
        return Err(wrong_summary(&console, modal, message, words).into());
    }
    Ok(console.seen.witness())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lists_are_those_of_the_schema() {
        let schema: Value =
            serde_json::from_str(include_str!("../../../../../spec/control/console-view.schema.json"))
                .unwrap();
        let names = |pointer: &str| -> Vec<String> {
            let mut names: Vec<String> =
                schema.pointer(pointer).unwrap().as_object().unwrap().keys().cloned().collect();
            names.sort();
            names
        };
        let sorted = |list: &[&str]| {
            let mut list: Vec<String> = list.iter().map(|name| (*name).to_owned()).collect();
            list.sort();
            list
        };
        assert_eq!(names("/$defs/modal/properties"), sorted(&OF_MODAL));
        assert_eq!(names("/$defs/modal/properties/parallel/oneOf/1/properties"), sorted(&OF_PLACE));
        assert_eq!(names("/$defs/step/properties"), sorted(&OF_STEP));
    }

    #[test]
    fn a_field_that_holds_more_than_it_may_is_beyond_the_list() {
        assert_eq!(beyond(&json!({"id": "a", "events": ["e"], "title": "t"}), &OF_STEP), None);
        for (step, name) in [
            (json!({"id": "a", "raw": 1}), "raw"),
            (json!({"title": {"hidden": 1}}), "title"),
            (json!({"events": [{"kind": "k"}]}), "events"),
        ] {
            assert_eq!(beyond(&step, &OF_STEP), Some(name));
        }
    }

    #[test]
    fn the_long_task_is_as_long_as_it_says() {
        let task = long_task("0123456789abcdef");
        assert_eq!((task.len(), task.encode_utf16().count()), (1_234, 1_234));
    }
}
