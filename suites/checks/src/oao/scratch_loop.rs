//! The scratch loop of one call (OAO-03, OAO-04).

use engine::{Driver, Drove};
use model::{Answer, Conditions, Script, ToolCall, Turn};
use recording::{Judged, Recording, View};
use serde_json::{Value, json};
use spec::Spec;

use super::runs::{BEGIN, at, load, must_ask, need_operations, operation, results, settle, start, value};
use crate::table::checks;

checks! { Oao:
    "OAO-03-a" => two_reads_and_a_finish, three_turns_come_before_the_answer;
    "OAO-03-b" => two_reads_and_a_finish, each_turn_knows_the_results_before_it;
    "OAO-04-a" => two_reads_and_a_finish, the_parent_gets_one_result;
}

const KEY: &str = "look_twice";
const TASK: &str = "look-at-two-files";
const LIMIT_MS: u64 = 20_000;
/// The scratch turns, and the call of each but the last.
const SCRATCH: [(&str, &str); 2] = [("scratch-1", "read_1"), ("scratch-2", "read_2")];

fn script() -> Result<Script, model::ScriptError> {
    let parent = || Conditions::new().user_contains(BEGIN);
    let scratch = || Conditions::new().user_contains(TASK);
    let read = |id: &str, path: &str| Answer::new().call(ToolCall::new(id, "read", json!({"path": path})));
    Script::new(
        "read, read, finish",
        [
            Turn::new("parent-1", Answer::new().call(ToolCall::new("outer", KEY, json!({"task": TASK}))))
                .when(parent().no_tool_results()),
            Turn::new("parent-2", Answer::new().text("Done.")).when(parent().tool_result_for("outer")),
            Turn::new("scratch-1", read("read_1", "one.txt")).when(scratch().no_tool_results()),
            Turn::new("scratch-2", read("read_2", "two.txt")).when(scratch().tool_result_for("read_1")),
            Turn::new(
                "scratch-3",
                Answer::new().call(ToolCall::new("done", "finish", json!({"answer": "both"}))),
            )
            .when(scratch().tool_result_for("read_2")),
        ],
    )
}

async fn two_reads_and_a_finish(driver: &Driver<'_>) -> Drove {
    load(driver, script())?;
    let agent = need_operations(driver, &json!([operation(KEY, LIMIT_MS)])).await?;
    let started = start(driver, "start", &agent).await?;
    settle(driver, &started).await
}

fn three_turns_come_before_the_answer(recording: &Recording, _: &Spec) -> Judged {
    let message = "the scratch loop did not take its three turns before it answered";
    let mut last = None;
    let mut witness = None;
    for turn in ["scratch-1", "scratch-2", "scratch-3", "parent-2"] {
        let (seen, asked) = must_ask(recording, turn, message)?;
        if last.is_some_and(|last| asked.sequence <= last) {
            return Err(seen.finding(message, format!("`{turn}` after the turns before it")).into());
        }
        last = Some(asked.sequence);
        witness = Some(
            witness.map_or_else(|| seen.witness(), |before: recording::Witness| before.and(seen.witness())),
        );
    }
    let (seen, told) = must_ask(recording, "parent-2", message)?;
    match value(told, "outer") {
        Some(result) if result == json!({"answer": "both"}) => Ok(witness.unwrap_or_else(|| seen.witness())),
        other => Err(at(&seen, message, "the result {\"answer\":\"both\"}", format!("{other:?}")).into()),
    }
}

/// A turn that is asked for while a tool of the turn before is still running cannot hold its result.
fn each_turn_knows_the_results_before_it(recording: &Recording, _: &Spec) -> Judged {
    let message = "a scratch turn began before the tools of the turn before it had ended";
    let (mut witness, _) = must_ask(recording, "scratch-1", "the scratch loop did not begin")
        .map(|(seen, turn)| (seen.witness(), turn))?;
    for (seen, turn) in recording.model_turns() {
        let body = turn.journal.get("body").and_then(Value::as_str).unwrap_or_default();
        let Ok(body) = serde_json::from_str::<Value>(body) else { continue };
        if let Some(open) = unanswered(&body) {
            return Err(at(&seen, message, format!("a result for `{open}`"), "a request without it").into());
        }
        witness = witness.and(seen.witness());
    }
    must_ask(recording, "scratch-3", "the scratch loop did not reach its third turn")?;
    Ok(witness)
}

/// A tool call in the conversation for which the conversation has no result.
fn unanswered(body: &Value) -> Option<String> {
    let messages = body.get("messages")?.as_array()?;
    let answered = |id: &str| messages.iter().any(|message| message["tool_call_id"] == id);
    let calls = messages.iter().filter_map(|message| message.get("tool_calls")?.as_array()).flatten();
    let mut ids = calls.filter_map(|call| call.get("id")?.as_str());
    ids.find(|id| SCRATCH.iter().any(|(_, call)| call == id) && !answered(id)).map(str::to_owned)
}

fn the_parent_gets_one_result(recording: &Recording, _: &Spec) -> Judged {
    let message = "the parent got more or less than one result for its call";
    let (seen, told) = must_ask(recording, "parent-2", message)?;
    match results(told, "outer").as_slice() {
        [text] if serde_json::from_str::<Value>(text).ok() == Some(json!({"answer": "both"})) => {
            Ok(seen.witness())
        }
        texts => {
            Err(at(&seen, message, "one tool result, {\"answer\":\"both\"}", format!("{texts:?}")).into())
        }
    }
}
