//! What may come back as a result (OAO-31 to 33).

use engine::{Driver, Drove};
use model::{Answer, ToolCall, Turn};
use recording::{Judged, Recording, Verdict, View};
use serde_json::{Value, json};
use spec::Spec;

use super::{
    canonical::numbers,
    roomy,
    runs::{at, load, must_ask, operation, readable, value},
    scripted::{
        CALL, NOT_COMPLETED, NoResult, TASK, TOLD, begin, both, calling, giving_up, play, play_one, scratch,
        script, told,
    },
};
use crate::table::checks;

checks! { Oao:
    "OAO-31-a" => invalid_then_valid, the_valid_one_arrives;
    "OAO-31-b" => one_member_too_many, it_is_no_result;
    "OAO-31-c" => wrong_types_further_down, they_are_no_results;
    "OAO-32-a" => a_rich_object, it_arrives_as_it_is;
    "OAO-33-a" => prose_only, prose_is_no_result;
    "OAO-33-b" => cut_off, what_is_cut_off_is_no_result;
    "OAO-33-c" => it_gives_up, the_parent_sees_an_error;
}

const KEY: &str = "collect_facts";
const LIMIT_MS: u64 = 20_000;

/// An operation with this result schema.
fn with_schema(schema: Value) -> Value {
    let mut operation = operation(KEY, LIMIT_MS);
    operation["resultSchema"] = schema;
    operation
}

/// One turn hands in `first`, the next one has seen what came of it and answers `then`.
fn finish_then(first: Value, then: Answer) -> [Turn; 2] {
    [
        Turn::new("scratch-1", calling("finish_1", "finish", first)).when(scratch(TASK).no_tool_results()),
        Turn::new("scratch-2", then).when(scratch(TASK).tool_result_for("finish_1")),
    ]
}

fn pair() -> Value {
    json!({
        "type": "object",
        "properties": {"answer": {"type": "string"}, "sources": {"type": "array", "items": {"type": "string"}}},
        "required": ["answer", "sources"],
        "additionalProperties": false,
    })
}

fn corrected() -> Value {
    json!({"answer": "the second one", "sources": ["b.txt"]})
}

async fn invalid_then_valid(driver: &Driver<'_>) -> Drove {
    let turns = finish_then(json!({"answer": "the first one"}), calling("finish_2", "finish", corrected()));
    play_one(driver, with_schema(pair()), turns).await
}

fn the_valid_one_arrives(recording: &Recording, _: &Spec) -> Judged {
    let message = "what reached the parent is not the finish that is valid";
    let (first, _) = must_ask(recording, "scratch-1", "the scratch loop did not begin")?;
    let (second, _) = must_ask(recording, "scratch-2", message)?;
    let (seen, turn) = must_ask(recording, TOLD, message)?;
    match value(turn, CALL) {
        Some(result) if result == corrected() => Ok(both(first.witness().and(second.witness()), seen)),
        other => Err(at(&seen, message, corrected().to_string(), format!("{other:?}")).into()),
    }
}

async fn one_member_too_many(driver: &Driver<'_>) -> Drove {
    let turns = finish_then(json!({"answer": "fine", "more": "than asked"}), giving_up("no"));
    play_one(driver, operation(KEY, LIMIT_MS), turns).await
}

fn it_is_no_result(recording: &Recording, _: &Spec) -> Judged {
    let words = NoResult {
        call: CALL,
        tried: "scratch-1",
        message: "a result with a member that the schema forbids was returned",
        endings: &NOT_COMPLETED,
    };
    words.judge(recording, |value| value.get("answer").is_some())
}

const OBJECTS: [&str; 3] = ["call_objects", "task-with-objects", "finish_objects"];
const NUMBERS: [&str; 3] = ["call_numbers", "task-with-numbers", "finish_numbers"];

async fn wrong_types_further_down(driver: &Driver<'_>) -> Drove {
    let items = [json!([{"name": "a.txt"}]), json!([1, 2])];
    let turns = [OBJECTS, NUMBERS].into_iter().zip(items).flat_map(|([call, task, id], items)| {
        let value = json!({"answer": "fine", "sources": items});
        [
            Turn::new(format!("try-{call}"), calling(id, "finish", value))
                .when(scratch(task).no_tool_results()),
            Turn::new(format!("after-{call}"), giving_up(&format!("no_{call}")))
                .when(scratch(task).tool_result_for(id)),
        ]
    });
    let calls = [OBJECTS, NUMBERS].map(|[call, task, _]| (call, KEY, task));
    play(driver, &json!([with_schema(pair())]), script(&calls, turns)).await
}

/// Numbers may have become strings before they were judged (D3).
fn they_are_no_results(recording: &Recording, _: &Spec) -> Judged {
    let message = "a result with a wrong type further down was returned";
    let judge = |call: &str, tried: &str| {
        let words = NoResult { call, tried, message, endings: &NOT_COMPLETED };
        words.judge(recording, |value| value.get("answer").is_some())
    };
    let objects = judge(OBJECTS[0], "try-call_objects")?;
    let coerced = told(recording, NUMBERS[0]).filter(|(_, texts)| {
        let wanted = json!({"answer": "fine", "sources": ["1", "2"]});
        texts.iter().any(|text| serde_json::from_str::<Value>(text).is_ok_and(|value| value == wanted))
    });
    match coerced {
        Some((seen, _)) => {
            Ok(both(objects, seen).noting("D3: numbers became strings before they were judged"))
        }
        None => Ok(objects.and(judge(NUMBERS[0], "try-call_numbers")?)),
    }
}

fn rich() -> Value {
    json!({
        "answer": "Zürich – 2 × „Größe“\n\t\"quoted\" \\ /",
        "path": "a/b.txt",
        "weights": [0.5, -12, 0, 1e15, 2.25],
        "checked": false,
        "remark": null,
        "empty": {"list": [], "object": {}, "text": ""},
        "lines": [{"name": "one", "count": 1}, {"name": "two", "count": 2}],
    })
}

fn rich_schema() -> Value {
    let line = json!({
        "type": "object",
        "properties": {"name": {"type": "string"}, "count": {"type": "integer"}},
        "required": ["name", "count"],
        "additionalProperties": false,
    });
    json!({
        "type": "object",
        "properties": {
            "answer": {"type": "string"},
            "path": {"type": "string"},
            "weights": {"type": "array", "items": {"type": "number"}},
            "checked": {"type": "boolean"},
            "remark": {"type": ["string", "null"]},
            "empty": {"type": "object"},
            "lines": {"type": "array", "items": line},
        },
        "required": ["answer", "lines"],
        "additionalProperties": false,
    })
}

/// The loop says something beside its result.
async fn a_rich_object(driver: &Driver<'_>) -> Drove {
    let finish =
        Answer::new().text("All facts are in the result.").call(ToolCall::new("done", "finish", rich()));
    play_one(driver, with_schema(rich_schema()), [Turn::new("scratch-1", finish).when(scratch(TASK))]).await
}

fn it_arrives_as_it_is(recording: &Recording, _: &Spec) -> Judged {
    let message = "the parent's result is not the object that the loop finished with";
    let (seen, turn) = must_ask(recording, TOLD, message)?;
    match value(turn, CALL).map(|result| numbers(&result)) {
        Some(result) if result == numbers(&rich()) => Ok(seen.witness()),
        other => Err(at(&seen, message, rich().to_string(), format!("{other:?}")).into()),
    }
}

/// The loop may be reminded as often as the target likes.
async fn prose_only(driver: &Driver<'_>) -> Drove {
    let prose = Answer::new().text("The facts are these: there is one file, and it is fine.");
    let turns = [Turn::new("scratch-1", prose).when(scratch(TASK)).repeat()];
    load(driver, script(&[(CALL, KEY, TASK)], turns))?;
    let config = readable(driver, &json!([operation(KEY, LIMIT_MS)]));
    let agent = roomy::need_agent(driver, config).await?;
    begin(driver, &agent).await
}

fn prose_is_no_result(recording: &Recording, _: &Spec) -> Judged {
    no_result(recording, "prose was returned as a result")
}

/// First the arguments of `finish` break off, then a text does.
async fn cut_off(driver: &Driver<'_>) -> Drove {
    let broken = ToolCall::with_text("finish_1", "finish", "{\"answer\": \"three of the five fac");
    let text = Answer::new().text("{\"answer\": \"four of the five fac");
    let turns = [
        Turn::new("scratch-1", Answer::new().call(broken)).when(scratch(TASK).no_tool_results()),
        Turn::new("scratch-2", text).when(scratch(TASK).tool_result_for("finish_1")),
        Turn::new("scratch-3", giving_up("no")).when(scratch(TASK)).repeat(),
    ];
    play_one(driver, operation(KEY, LIMIT_MS), turns).await
}

fn what_is_cut_off_is_no_result(recording: &Recording, _: &Spec) -> Judged {
    no_result(recording, "a result that was cut off was returned")
}

/// Any object that is not empty passes for a result here: the schema has nothing to do with it.
fn no_result(recording: &Recording, message: &'static str) -> Judged {
    let words = NoResult { call: CALL, tried: "scratch-1", message, endings: &["failed"] };
    words.judge(recording, |value| value.get("answer").or(value.get("text")).is_some())
}

async fn it_gives_up(driver: &Driver<'_>) -> Drove {
    let turns = [Turn::new("scratch-1", giving_up("no")).when(scratch(TASK))];
    play_one(driver, operation(KEY, LIMIT_MS), turns).await
}

/// An error has words. What it says, and whether they are JSON, is up to the target.
fn the_parent_sees_an_error(recording: &Recording, _: &Spec) -> Judged {
    let message = "the parent does not see the failure of its call";
    let (tried, _) = must_ask(recording, "scratch-1", "the scratch loop did not begin")?;
    let Some((seen, texts)) = told(recording, CALL) else {
        let run = recording.one("run")?;
        let state = run.json()?["state"].clone();
        // The run itself may end over it (D5).
        return if ["failed", "cancelled", "timed_out"].iter().any(|ended| state == *ended) {
            Ok(both(tried.witness(), run).noting("D5: the failure of a call ended the run"))
        } else {
            Err(run.finding(message, "the error in the parent's next model turn").into())
        };
    };
    let says_nothing = |text: &&str| {
        let empty = matches!(text.trim(), "" | "{}" | "[]" | "null" | "\"\"");
        empty || serde_json::from_str::<Value>(text).is_ok_and(|value| value.get("answer").is_some())
    };
    match texts.as_slice() {
        [text] if !says_nothing(text) => Ok(both(tried.witness(), seen)),
        [] => Err(Verdict::Error { reason: "no text was found".to_owned() }),
        texts => Err(at(&seen, message, "one error as the outcome of the call", format!("{texts:?}")).into()),
    }
}
