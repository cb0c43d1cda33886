//! One call of one operation, and what the model was told inside and outside of it.

use engine::{Driver, Drove};
use model::{Answer, Conditions, Script, ScriptError, Turn};
use recording::{Finding, ModelTurn, Seen, Verdict, View};
use serde_json::{Value, json};

pub(crate) use super::{asking::call, runs::parent};

use super::{
    agents::{Agent, need_agent},
    asking::finish_as,
    runs::{load, operation, readable, settle, start, tools},
};

/// The key of the operation.
pub(crate) const KEY: &str = "look_into_it";
/// The task of the call.
pub(crate) const TASK: &str = "task-for-the-inner-loop";
/// The id of the call.
pub(crate) const OUTER: &str = "outer";
/// How long a call may take.
pub(crate) const LIMIT_MS: u64 = 20_000;

/// The conversation of the scratch loop.
pub(crate) fn scratch() -> Conditions {
    Conditions::new().user_contains(TASK)
}

/// The end of the scratch loop.
pub(crate) fn finish() -> Answer {
    finish_as("end", "found")
}

/// The scratch loop ends at once.
pub(crate) fn at_once() -> Vec<Turn> {
    vec![Turn::new("scratch-1", finish()).when(scratch()).repeat()]
}

/// The parent calls the operation, once, and ends when it has its result.
pub(crate) fn script(inside: Vec<Turn>) -> Result<Script, ScriptError> {
    script_with(json!({"task": TASK}), inside)
}

/// As [`script`], with these arguments.
pub(crate) fn script_with(arguments: Value, inside: Vec<Turn>) -> Result<Script, ScriptError> {
    let parents = [
        Turn::new("parent-1", call(OUTER, KEY, arguments)).when(parent().no_tool_results()).repeat(),
        Turn::new("parent-2", Answer::new().text("Done.")).when(parent().tool_result_for(OUTER)).repeat(),
    ];
    Script::new("one call", parents.into_iter().chain(inside))
}

/// The operation, alone in a list.
pub(crate) fn operations() -> Value {
    json!([operation(KEY, LIMIT_MS)])
}

/// A configuration that says nothing about operations, and whose runs can read the workspace.
pub(crate) fn without_operations(driver: &Driver<'_>) -> Value {
    let mut config = readable(driver, &json!([]));
    if let Some(members) = config.as_object_mut() {
        members.remove("harnessOperations");
    }
    config
}

/// The operation with these instructions, alone in a list.
pub(crate) fn instructed(instructions: &str) -> Value {
    let mut operation = operation(KEY, LIMIT_MS);
    operation["instructions"] = json!(instructions);
    json!([operation])
}

/// Publishes `config` and runs it to the end.
pub(crate) async fn run(driver: &Driver<'_>, config: &Value, script: Result<Script, ScriptError>) -> Drove {
    load(driver, script)?;
    publish_and_run(driver, "publish", config).await.map(drop)
}

/// As [`run`], when the script is loaded already.
pub(crate) async fn publish_and_run(
    driver: &Driver<'_>,
    label: &str,
    config: &Value,
) -> Result<Agent, engine::Halt> {
    let agent = need_agent(driver, label, config, "publish an agent").await?;
    let started = start(driver, "start", &agent).await?;
    settle(driver, &started).await?;
    Ok(agent)
}

/// `config` with a mark in its system prompt, by which requests of several agents can be told apart.
pub(crate) fn marked(mut config: Value, mark: &str) -> Value {
    let prompt = config["systemPrompt"].as_str().unwrap_or_default();
    config["systemPrompt"] = json!(format!("{prompt} [{mark}]"));
    config
}

/// Whether a request comes from an agent that was [`marked`] so.
pub(crate) fn has_mark(turn: &ModelTurn, mark: &str) -> bool {
    system(turn).contains(&format!("[{mark}]"))
}

/// The system text of a request.
pub(crate) fn system(turn: &ModelTurn) -> &str {
    turn.request.get("system").and_then(Value::as_str).unwrap_or_default()
}

/// The texts of all messages of a request, the system text aside.
pub(crate) fn said(turn: &ModelTurn) -> String {
    let messages = turn.request.get("messages").and_then(Value::as_array);
    let texts = messages.into_iter().flatten().filter_map(|message| message.get("text")?.as_str());
    texts.collect::<Vec<_>>().join("\n")
}

/// What a request says before anybody has spoken: the system text, and the tools that it offers.
pub(crate) fn mounted(turn: &ModelTurn) -> String {
    format!("{}\n{}", system(turn), turn.request.get("tools").unwrap_or(&Value::Null))
}

/// The names of the tools that a request offers, sorted.
pub(crate) fn offered(turn: &ModelTurn) -> Vec<&str> {
    let mut names: Vec<&str> = tools(turn).into_iter().map(|(name, _)| name).collect();
    names.sort_unstable();
    names
}

/// Whether a request belongs to a scratch loop: only there a result can be handed in.
pub(crate) fn is_scratch(turn: &ModelTurn) -> bool {
    offered(turn).contains(&"finish")
}

/// The first request of a scratch loop that `fits`; a finding with `message` where there is none.
pub(crate) fn must_scratch<'a>(
    view: &'a impl View,
    fits: impl Fn(&ModelTurn) -> bool,
    message: &str,
) -> Result<(Seen<'a>, &'a ModelTurn), Verdict> {
    let found = view.model_turns().into_iter().find(|(_, turn)| is_scratch(turn) && fits(turn));
    match found {
        Some(found) => Ok(found),
        None => Err(view.one("run")?.finding(message, "a model request from the scratch loop").into()),
    }
}

/// A finding at a model request that says which tools it offers.
pub(crate) fn at_tools(seen: &Seen<'_>, turn: &ModelTurn, message: &str, expected: String) -> Finding {
    seen.finding_got(message, expected, format!("{:?}", offered(turn)))
}
