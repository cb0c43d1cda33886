//! What a console leaves out (OAO-66): canaries are planted and looked for in everything that it shows.

use base64::{Engine, engine::general_purpose::STANDARD};
use engine::{Call, Driver, Drove, Halt};
use model::{Answer, ScriptError, ToolCall, Turn};
use recording::{Judged, Recording, Verdict, Witness};
use serde_json::{Value, json};
use spec::Spec;

use super::{
    play::{CALL, KEY, LIMIT_MS, TASK, finish, read, rounds, scratch},
    view::{Console, look, steps},
};
use crate::{
    oao::{
        agents::{need_agent, project},
        runs::{Started, asked, load, must_ask, need_operations, operation, readable, settle, start, value},
    },
    table::checks,
};

checks! { Oao:
    "OAO-66-a" => said_and_handed_in, neither_task_nor_scratch_text;
    "OAO-66-b" => said_and_handed_in, no_result;
    "OAO-66-d" => a_document_is_read, no_payload;
}

/// Words that stand nowhere else.
fn canary(token: &str, what: &str) -> String {
    format!("cnry{what}{token}")
}

/// An operation whose result has members that are called like the arguments that a step may show.
fn telling_operation() -> Value {
    let mut operation = operation(KEY, LIMIT_MS);
    let names = ["answer", "path", "name", "url", "action"];
    for name in names {
        operation["resultSchema"]["properties"][name] = json!({"type": "string"});
    }
    operation
}

/// A loop of one turn: the task, what the model thinks, says and hands in all have canaries.
fn one_turn(token: &str) -> Result<model::Script, ScriptError> {
    let of = |what: &str| canary(token, what);
    let result = json!({
        "answer": of("answer"), "path": of("path"), "name": of("name"), "url": of("url"), "action": of("action"),
    });
    let answer = Answer::new()
        .thinking(format!("{} is what I keep to myself.", of("thought")).as_str())
        .text(format!("{} is what I think of it.", of("scratch")))
        .call(ToolCall::new("inner_1", "finish", result));
    let task = format!("{TASK} {}", of("task"));
    rounds(&[&[(CALL, KEY, &task)]], vec![Turn::new("scratch-1", answer).when(scratch(TASK))])
}

async fn said_and_handed_in(driver: &Driver<'_>) -> Drove {
    load(driver, one_turn(driver.token()))?;
    let config = readable(driver, &json!([telling_operation()]));
    let agent = need_agent(driver, "publish", &config, "publish an agent with operations").await?;
    let started = start(driver, "start", &agent).await?;
    settle(driver, &started).await?;
    look(driver, "view", &started.session, &[CALL]).await;
    Ok(())
}

/// A loop that reads a document, and reads once more with an argument that nobody asked for.
fn two_reads(token: &str, document: &str) -> Result<model::Script, ScriptError> {
    let odd = json!({"path": "none.txt", "note": canary(token, "argument")});
    let turns = vec![
        Turn::new("scratch-1", read("inner_1", document)).when(scratch(TASK).no_tool_results()),
        Turn::new("scratch-2", Answer::new().call(ToolCall::new("inner_2", "read", odd)))
            .when(scratch(TASK).tool_result_for("inner_1")),
        Turn::new("scratch-3", finish("inner_3", "read")).when(scratch(TASK).tool_result_for("inner_2")),
    ];
    rounds(&[&[(CALL, KEY, TASK)]], turns)
}

/// The first run brings a document; the operation of the second reads it.
async fn a_document_is_read(driver: &Driver<'_>) -> Drove {
    let keep = Turn::new("keep", Answer::new().text("Kept."));
    load(driver, model::Script::new("a document comes", [keep]))?;
    let agent = need_operations(driver, &json!([operation(KEY, LIMIT_MS)])).await?;
    let (session, document) = bring(driver, &agent.id).await?;
    load(driver, two_reads(driver.token(), &document))?;
    let body = json!({"message": crate::oao::runs::BEGIN});
    let call = Call::post(format!("{}/sessions/{session}/runs", project(driver)), &body);
    let reply = driver.send("start", call.header("idempotency-key", driver.fresh())).await;
    let run = driver.need_text(&reply, "/id", "start a second run of a session")?;
    settle(driver, &Started { session: session.clone(), run }).await?;
    look(driver, "view", &session, &[CALL]).await;
    Ok(())
}

/// Starts a session whose first run brings a document with a canary; gives the session and the document's path.
async fn bring(driver: &Driver<'_>, agent: &str) -> Result<(String, String), Halt> {
    let text = format!("{} stands in the document.", canary(driver.token(), "document"));
    let file =
        json!({"name": "order.txt", "contentType": "text/plain", "contentBase64": STANDARD.encode(text)});
    let body =
        json!({"agentId": agent, "initialMessage": "Keep this.", "files": [file], "title": driver.token()});
    let call = Call::post(format!("{}/sessions", project(driver)), &body);
    let reply = driver.send("bring", call.header("idempotency-key", driver.fresh())).await;
    let step = "start a session with a document";
    let (session, run) = (driver.need_text(&reply, "/id", step)?, driver.need_text(&reply, "/run/id", step)?);
    let over = || async {
        let reply = driver.get("the first run", format!("{}/runs/{run}", project(driver))).await;
        reply.text("/state").is_none_or(|state| state == "completed" || state == "failed")
    };
    for _ in 0..50 {
        if over().await {
            break;
        }
        driver.clock().pause(std::time::Duration::from_millis(100)).await;
    }
    Ok((session, format!(".oao/attachments/{run}/order.txt")))
}

/// The view, which has to show the steps of the call, or there was nothing to look through.
fn looked_through(recording: &Recording) -> Result<Console<'_>, Verdict> {
    let console = Console::read(recording, "view")?;
    let modal = console.modal(CALL)?;
    if steps(modal).is_empty() {
        return Err(console
            .finding("a modal shows no step", "the steps of the call", modal.to_string())
            .into());
    }
    Ok(console)
}

fn hunt(recording: &Recording, message: &str, kinds: &[&str]) -> Result<Witness, Verdict> {
    let canaries: Vec<String> = kinds.iter().map(|kind| canary(&recording.token, kind)).collect();
    hunt_words(recording, message, &canaries)
}

/// Looks for `words` in everything that is shown.
pub(super) fn hunt_words(recording: &Recording, message: &str, words: &[String]) -> Result<Witness, Verdict> {
    let console = looked_through(recording)?;
    match words.iter().find(|word| console.shows(word)) {
        Some(word) => Err(console.finding(message, "none of the canaries", format!("`{word}`")).into()),
        None => Ok(console.seen.witness()),
    }
}

/// The model was told the task, and said what was planted: else nothing could have leaked.
fn neither_task_nor_scratch_text(recording: &Recording, _: &Spec) -> Judged {
    let (told, turn) = must_ask(recording, "scratch-1", "the scratch loop did not begin")?;
    if !turn.journal.to_string().contains(&canary(&recording.token, "task")) {
        return Err(told.finding("the scratch loop was not told its task", "the task").into());
    }
    let message = "the console shows the task or the scratch text of an operation";
    Ok(hunt(recording, message, &["task", "scratch", "thought"])?.and(told.witness()))
}

fn no_result(recording: &Recording, _: &Spec) -> Judged {
    let (told, turn) = must_ask(recording, "parent-end", "the parent was not told the result")?;
    let result = value(turn, CALL).unwrap_or_default();
    if result["answer"] != canary(&recording.token, "answer").as_str() {
        return Err(told
            .finding("the parent was not told the result", "the result that was handed in")
            .into());
    }
    let message = "the console shows the result of an operation";
    Ok(hunt(recording, message, &["answer", "path", "name", "url", "action"])?.and(told.witness()))
}

fn no_payload(recording: &Recording, _: &Spec) -> Judged {
    let (told, turn) = must_ask(recording, "scratch-2", "the scratch loop did not reach its second turn")?;
    if !turn.journal.to_string().contains(&canary(&recording.token, "document")) {
        return Err(told.finding("the document was not read", "its text as the result of `read`").into());
    }
    let message = "the console shows a payload of a tool or the text of a document";
    let witness = hunt(recording, message, &["argument", "document"])?.and(told.witness());
    Ok(asked(recording, "scratch-3").map_or(witness.clone(), |(seen, _)| witness.and(seen.witness())))
}
