//! Sessions keep the version that they started with (OAO-43).

use engine::{Driver, Drove};
use model::{Answer, Conditions, Script, Turn};
use recording::{Judged, Recording};
use serde_json::{Value, json};
use spec::Spec;

use super::{
    agents::need_version,
    follow_up,
    runs::{at, load, must_ask, need_operations, operation, readable, settle, start, tools, value},
    scripted::{CALL, TASK, calling, parent, scratch, terminal},
};
use crate::table::checks;

checks! { Oao:
    "OAO-43-a" => the_definition_changes, the_old_one_applies;
    "OAO-43-b" => the_operation_is_removed, it_is_offered_and_runs;
}

const KEY: &str = "sum_up";
const OTHER: &str = "spell_out";
const LIMIT_MS: u64 = 20_000;
/// What the user says in the second run.
const AGAIN: &str = "once-more-please";
const OLD: &str = "Instructions-of-the-first-version.";
const NEW: &str = "Instructions-of-the-second-version.";

fn instructed(instructions: &str) -> Value {
    let mut operation = operation(KEY, LIMIT_MS);
    operation["instructions"] = json!(instructions);
    operation
}

/// The same operation with another schema and other instructions.
fn changed() -> Value {
    let mut operation = instructed(NEW);
    operation["resultSchema"] = json!({
        "type": "object",
        "properties": {"total": {"type": "integer"}},
        "required": ["total"],
        "additionalProperties": false,
    });
    operation
}

/// The first run says one thing; the second, in the same session, calls the operation.
fn two_runs() -> Result<Script, model::ScriptError> {
    let again = || Conditions::new().last_user_contains(AGAIN);
    Script::new(
        "two runs",
        [
            Turn::new("parent-again", calling(CALL, KEY, json!({"task": TASK})))
                .when(again().no_tool_results()),
            Turn::new("parent-told", Answer::new().text("Done.")).when(again().tool_result_for(CALL)),
            Turn::new("parent-first", Answer::new().text("Ready.")).when(parent()),
            Turn::new("scratch-1", calling("finish_1", "finish", json!({"answer": "fine"})))
                .when(scratch(TASK).no_tool_results()),
            Turn::new("scratch-2", calling("finish_2", "finish", json!({"total": 7})))
                .when(scratch(TASK))
                .repeat(),
        ],
    )
}

/// A session on a version with `first`; then a version with `then` is published; then the session goes on.
async fn between_two_runs(driver: &Driver<'_>, first: &Value, then: &Value) -> Drove {
    load(driver, two_runs())?;
    let agent = need_operations(driver, first).await?;
    let started = start(driver, "start", &agent).await?;
    follow_up::over(driver, &started, "first-run").await?;
    let config = readable(driver, then);
    need_version(driver, "publish-second", &agent.id, &config, "publish a further version").await?;
    let second = follow_up::say(driver, "again", &started.session, AGAIN).await?;
    settle(driver, &second).await
}

async fn the_definition_changes(driver: &Driver<'_>) -> Drove {
    between_two_runs(driver, &json!([instructed(OLD)]), &json!([changed()])).await
}

fn the_old_one_applies(recording: &Recording, _: &Spec) -> Judged {
    let message = "a definition of a later version was used in an old session";
    let (prompt, turn) = must_ask(recording, "scratch-1", "the operation did not run in the old session")?;
    let said = turn.request.to_string();
    if !said.contains(OLD) || said.contains(NEW) {
        return Err(prompt.finding(message, format!("the instructions `{OLD}` and not `{NEW}`")).into());
    }
    let (told, turn) = must_ask(recording, "parent-told", message)?;
    match value(turn, CALL) {
        Some(result) if result == json!({"answer": "fine"}) => Ok(prompt.witness().and(told.witness())),
        other => {
            Err(at(&told, message, "a result by the schema of the first version", format!("{other:?}"))
                .into())
        }
    }
}

async fn the_operation_is_removed(driver: &Driver<'_>) -> Drove {
    between_two_runs(driver, &json!([instructed(OLD)]), &json!([operation(OTHER, LIMIT_MS)])).await
}

fn it_is_offered_and_runs(recording: &Recording, _: &Spec) -> Judged {
    let message = "an operation that a later version lacks is gone from an old session";
    let (asked, turn) = must_ask(recording, "parent-again", "the second run did not ask the model")?;
    let names: Vec<&str> = tools(turn).into_iter().map(|(name, _)| name).collect();
    if !names.contains(&KEY) {
        return Err(at(&asked, message, format!("`{KEY}` among the tools"), format!("{names:?}")).into());
    }
    let (told, turn) = must_ask(recording, "parent-told", message)?;
    let result = value(turn, CALL);
    match terminal(recording, CALL) {
        Some(("completed", seen, _)) if result == Some(json!({"answer": "fine"})) => {
            Ok(asked.witness().and(told.witness()).and(seen.witness()))
        }
        _ => Err(at(&told, message, "the result and a completed event", format!("{result:?}")).into()),
    }
}
