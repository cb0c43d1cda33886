//! Delegates as the checks publish and call them.

use engine::{Driver, Halt};
use model::{Answer, Turn};
use recording::Recording;
use serde_json::{Value, json};

use super::{
    agents::{Agent, listed_on_all, need_agent},
    inner::call,
};

/// The key of the delegate.
pub(crate) const REVIEWER: &str = "reviewer";

/// A delegate of this key on the version of `agent`.
pub(crate) fn delegate(key: &str, agent: &Agent) -> Value {
    json!({"key": key, "description": format!("Reviews what it is given: {key}."), "agentVersionId": agent.version})
}

/// Publishes the agent that does the work, as a step before the one under test.
pub(crate) async fn need_delegate(driver: &Driver<'_>, label: &str, config: &Value) -> Result<Agent, Halt> {
    need_agent(driver, label, config, "publish the agent that is delegated to").await
}

/// The two names of the arguments that a setting gives, or the usual ones.
fn names<'a>(driver: &'a Driver<'_>, setting: &str, usual: [&'a str; 2]) -> [&'a str; 2] {
    match driver.facts().list(setting).as_slice() {
        [first, second] => [first, second],
        _ => usual,
    }
}

/// Asks the delegate `key` to work on `task`.
pub(crate) fn delegating(driver: &Driver<'_>, id: &str, key: &str, task: &str) -> Answer {
    call(id, "delegate_agent", delegating_arguments(driver, key, task))
}

/// The arguments of such a call.
pub(crate) fn delegating_arguments(driver: &Driver<'_>, key: &str, task: &str) -> Value {
    let [first, second] = names(driver, "delegate_arguments", ["key", "task"]);
    json!({first: key, second: task})
}

/// Sends a further message to the child.
pub(crate) fn messaging(driver: &Driver<'_>, id: &str, key: &str, child: &str, message: &str) -> Answer {
    let [first, second] = names(driver, "message_arguments", ["sessionId", "message"]);
    let to = if first.to_ascii_lowercase().contains("session") { child } else { key };
    call(id, "message_agent", json!({first: to, second: message}))
}

/// The child answers what `task` says with `answer`.
pub(crate) fn child(id: &str, task: &str, answer: &str) -> Turn {
    Turn::new(id, Answer::new().text(answer)).when(model::Conditions::new().last_user_contains(task))
}

/// The rows of `label` that are sessions on `version`.
pub(crate) fn sessions_on(
    recording: &Recording,
    label: &str,
    version: &Value,
) -> Result<Vec<Value>, recording::Finding> {
    let rows = listed_on_all(recording, label)?;
    Ok(rows.into_iter().filter(|row| row["agentVersionId"] == *version).collect())
}
