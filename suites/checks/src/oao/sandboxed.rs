//! Runs that work in a sandbox, as the checks set them up.

use engine::{Call, Driver, Halt};
use model::{Answer, Script, Turn};
use recording::{ModelTurn, Seen, Verdict, View};
use serde_json::{Value, json};

pub(crate) use super::{
    asking::{call, finish},
    runs::{parent, scratch},
};

use super::{
    agents::{Agent, need_agent, project},
    runs::{BEGIN, Started, load, must_ask, need_end, operation, readable, results},
};

/// How long an operation may take: long enough for any target, and short, because some targets wait for it.
pub(crate) const LIMIT_MS: u64 = 3_000;

/// One operation, for checks that are about something else.
pub(crate) fn one_operation() -> Value {
    json!([operation("work_alone", LIMIT_MS)])
}

/// A configuration with `operations` whose sandbox has these capabilities and no network.
pub(crate) fn granted(driver: &Driver<'_>, operations: &Value, capabilities: &[&str]) -> Value {
    let mut config = readable(driver, operations);
    config["sandbox"]["capabilities"] = json!(capabilities);
    config
}

/// Publishes an agent with such a configuration, as a step before the one under test.
pub(crate) async fn need_granted(
    driver: &Driver<'_>,
    operations: &Value,
    capabilities: &[&str],
) -> Result<Agent, Halt> {
    let config = granted(driver, operations, capabilities);
    need_agent(driver, "publish", &config, "publish an agent with a sandbox").await
}

/// A file of a message, from its name and its base64.
pub(crate) fn file(driver: &Driver<'_>, name: &str, base64: &str) -> Value {
    let content = driver.facts().text("file_content").unwrap_or("contentBase64").to_owned();
    let mut file = json!({"name": name, "contentType": "text/plain"});
    file[content] = json!(base64);
    file
}

/// The call that starts a session on `agent`, whose title begins with the token of the check.
pub(crate) fn session(driver: &Driver<'_>, agent: &Agent, title: &str, text: &str, files: &Value) -> Call {
    let mut body =
        json!({"agentId": agent.id, "initialMessage": text, "title": format!("{} {title}", driver.token())});
    if !files.is_null() {
        body["files"] = files.clone();
    }
    let call = Call::post(format!("{}/sessions", project(driver)), &body);
    call.header("idempotency-key", driver.fresh())
}

/// Starts a session whose first message is `text`, as a step before the one under test.
pub(crate) async fn need_session(
    driver: &Driver<'_>,
    label: &str,
    agent: &Agent,
    text: &str,
    files: &Value,
) -> Result<Started, Halt> {
    let reply = driver.send(label, session(driver, agent, label, text, files)).await;
    let step = "start a session with a run";
    let session = driver.need_text(&reply, "/id", step)?;
    let run = driver.need_text(&reply, "/run/id", step)?;
    Ok(Started { session, run })
}

/// Starts a session with one file, waits until its first run is over, and gives the session and the place
/// of the file.
pub(crate) async fn need_upload(
    driver: &Driver<'_>,
    agent: &Agent,
    name: &str,
    base64: &str,
) -> Result<(Started, String), Halt> {
    load(driver, words_only())?;
    let files = json!([file(driver, name, base64)]);
    let started = need_session(driver, "upload", agent, BEGIN, &files).await?;
    need_end(driver, "events of the upload", &started).await;
    let place = format!(".oao/attachments/{}/{name}", started.run);
    Ok((started, place))
}

/// Starts a further run of the session.
pub(crate) async fn need_next_run(driver: &Driver<'_>, before: &Started) -> Result<Started, Halt> {
    let path = format!("{}/sessions/{}/runs", project(driver), before.session);
    let call = Call::post(path, &json!({"message": BEGIN})).header("idempotency-key", driver.fresh());
    let reply = driver.send("next run", call).await;
    let run = driver.need_text(&reply, "/id", "start a further run of the session")?;
    Ok(Started { session: before.session.clone(), run })
}

/// The parent says one thing and is done, whatever it is asked and however often.
pub(crate) fn words_only() -> Result<Script, model::ScriptError> {
    let turn = Turn::new("words", Answer::new().text("Done.")).repeat();
    Script::new("words only", [turn])
}

/// What the turn called `turn` was told about `call`, and where; a finding with `message` where the model
/// was never asked for that turn. The text is empty where nothing was told.
pub(crate) fn told<'a>(
    view: &'a impl View,
    turn: &str,
    call: &str,
    message: &str,
) -> Result<(Seen<'a>, &'a str), Verdict> {
    let (seen, asked): (Seen<'a>, &'a ModelTurn) = must_ask(view, turn, message)?;
    Ok((seen, results(asked, call).last().copied().unwrap_or_default()))
}
