//! What the rows of steps say of what was done (OAO-69-c, OAO-70).

use engine::{Driver, Drove};
use model::{Answer, Script, ScriptError, ToolCall, Turn};
use recording::{Judged, Recording, Verdict, View};
use serde_json::{Value, json};
use spec::Spec;

use super::{
    content::hunt_words,
    play::{CALL, KEY, LIMIT_MS, TASK, finish, read, rounds, scratch},
    view::{Console, look, steps, text},
};
use crate::{
    canary::Canary,
    oao::{
        agents::need_agent,
        runs::{load, must_ask, operation, readable, settle, start},
    },
    table::checks,
};

checks! { Oao:
    "OAO-69-c" => a_talkative_loop, summaries_do_not_quote;
    "OAO-70-a" => a_talkative_loop, the_path_after_its_turn;
    "OAO-70-b" => a_talkative_loop, an_action_without_a_path;
}

/// The file that is read.
const FILE: &str = "papers/shipment.txt";
/// A tool whose arguments have no path, and the first word of its command.
const ACTION: (&str, &str) = ("bash", "count-pallets");

fn planted(driver: &Driver<'_>, what: &str) -> String {
    Canary::of(&driver.seed(), what).text
}

/// A loop that says something beside every call: it reads a file, runs a command and finishes.
fn script(driver: &Driver<'_>) -> Result<Script, ScriptError> {
    let said = planted(driver, "said");
    let command = json!({"command": format!("{} --of {}", ACTION.1, planted(driver, "argument"))});
    let act = Answer::new().call(ToolCall::new("inner_2", ACTION.0, command));
    let turns = vec![
        Turn::new("scratch-1", read("inner_1", FILE).text(said.clone()))
            .when(scratch(TASK).no_tool_results()),
        Turn::new("scratch-2", act.text(said.clone())).when(scratch(TASK).tool_result_for("inner_1")),
        Turn::new("scratch-3", finish("inner_3", "counted").text(said))
            .when(scratch(TASK).tool_result_for("inner_2")),
    ];
    rounds(&[&[(CALL, KEY, TASK)]], turns)
}

async fn a_talkative_loop(driver: &Driver<'_>) -> Drove {
    for what in ["said", "argument"] {
        driver.fact(what, json!(planted(driver, what)));
    }
    load(driver, script(driver))?;
    let mut config = readable(driver, &json!([operation(KEY, LIMIT_MS)]));
    config["sandbox"]["capabilities"] = json!(["filesystem_read", "shell"]);
    let agent = need_agent(driver, "publish", &config, "publish an agent with operations").await?;
    let started = start(driver, "start", &agent).await?;
    settle(driver, &started).await?;
    look(driver, "view", &started.session, &[CALL]).await;
    Ok(())
}

fn word(recording: &Recording, what: &str) -> Result<String, Verdict> {
    let seen = recording.one(what)?;
    Ok(seen.value().and_then(Value::as_str).unwrap_or_default().to_owned())
}

fn summaries_do_not_quote(recording: &Recording, _: &Spec) -> Judged {
    let (told, _) = must_ask(recording, "scratch-3", "the scratch loop did not reach its last turn")?;
    let message = "a summary quotes what the model wrote";
    Ok(hunt_words(recording, message, &[word(recording, "said")?])?.and(told.witness()))
}

/// The place of the row of `tool` among the steps.
fn row_of<'v>(modal: &'v Value, tool: &str) -> Option<(usize, &'v Value)> {
    let shows = |step: &Value| step["kind"] == "tool" && shown(step).contains(tool);
    steps(modal).iter().enumerate().find(|(_, step)| shows(step))
}

/// Everything that a row says in words.
fn shown(step: &Value) -> String {
    format!("{} {}", text(step, "title"), text(step, "summary"))
}

fn the_path_after_its_turn(recording: &Recording, _: &Spec) -> Judged {
    must_ask(recording, "scratch-3", "the scratch loop did not reach its last turn")?;
    let console = Console::read(recording, "view")?;
    let modal = console.modal(CALL)?;
    let follows = |at: usize| at > 0 && steps(modal)[at - 1]["kind"] == "model";
    match row_of(modal, "read") {
        Some((at, row)) if shown(row).contains(FILE) && follows(at) => Ok(console.seen.witness()),
        found => {
            let message = "the row of a read does not show its path after the row of its turn";
            let got = found.map_or_else(|| modal.to_string(), |(at, row)| format!("row {at}: {row}"));
            Err(console.finding(message, format!("{FILE}, after a model step"), got).into())
        }
    }
}

fn an_action_without_a_path(recording: &Recording, _: &Spec) -> Judged {
    must_ask(recording, "scratch-3", "the scratch loop did not reach its last turn")?;
    let console = Console::read(recording, "view")?;
    let modal = console.modal(CALL)?;
    let argument = word(recording, "argument")?;
    let message = "the row of a tool without a path does not show its action alone";
    match row_of(modal, ACTION.0) {
        Some((_, row)) if !shown(row).trim().is_empty() && !shown(row).contains(&argument) => {
            Ok(console.seen.witness())
        }
        found => {
            let got = found.map_or_else(|| modal.to_string(), |(_, row)| row.to_string());
            Err(console.finding(message, "the action and none of its arguments", got).into())
        }
    }
}
