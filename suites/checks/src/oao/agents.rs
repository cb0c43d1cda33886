//! Agents and their versions, as the checks publish and read them.

use engine::{Call, Driver, Halt, Reply};
use recording::{Finding, Seen, View};
use serde_json::{Value, json};

use crate::percent::encoded;

/// The most pages of a list that are read.
const PAGES_MAX: usize = 40;
/// The largest page that may be asked for.
const PAGE: usize = 200;
/// What is looked for among agents is among the newest, so small pages are read, and few.
const NEWEST: usize = 10;

/// An agent and the version that was published last.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Agent {
    /// The id of the agent.
    pub(crate) id: String,
    /// The id of its latest version.
    pub(crate) version: String,
}

impl Agent {
    /// The agent that `body`, the answer to its creation, speaks of.
    pub(crate) fn of(body: &Value) -> Option<Self> {
        let text = |name: &str| body.get(name)?.as_str().map(str::to_owned);
        Some(Self { id: text("id")?, version: text("latestVersionId")? })
    }
}

/// The path of the project that the credentials act in.
pub(crate) fn project(driver: &Driver<'_>) -> String {
    format!("/v1/projects/{}", driver.facts().text("project").unwrap_or("default"))
}

/// The path of `agent`.
pub(crate) fn path_of(driver: &Driver<'_>, agent: &str) -> String {
    format!("{}/agents/{agent}", project(driver))
}

/// A minimal configuration with these `operations`: no tools, sandbox off. The system prompt carries the
/// marker that leads the target's model requests to this check.
pub(crate) fn config(driver: &Driver<'_>, operations: &Value) -> Value {
    let mut config = config_without_operations(driver);
    config["harnessOperations"] = operations.clone();
    config
}

/// As [`config`], but nothing is said about operations.
pub(crate) fn config_without_operations(driver: &Driver<'_>) -> Value {
    let setting = |name: &str| driver.facts().text(name).unwrap_or("default").to_owned();
    json!({
        "systemPrompt": format!("Answer briefly. {}", driver.marker()),
        "modelPreset": setting("model_preset"),
        "tools": [],
        "sandbox": {"enabled": false, "provider": setting("sandbox_provider"), "network": "none"},
        "limits": {"maxTurns": 32, "timeoutMs": 60_000},
    })
}

/// Publishes a new agent with `config`. Its name and key carry the token of the check.
pub(crate) async fn create(driver: &Driver<'_>, label: &str, config: &Value) -> Reply {
    let name = driver.fresh();
    let body = json!({"name": name, "key": name, "initialConfig": config});
    let call = Call::post(format!("{}/agents", project(driver)), &body);
    driver.send(label, call.header("idempotency-key", name)).await
}

/// Publishes `config` as a further version of `agent`.
pub(crate) async fn publish(driver: &Driver<'_>, label: &str, agent: &str, config: &Value) -> Reply {
    let call = Call::post(format!("{}/versions", path_of(driver, agent)), &json!({"config": config}));
    driver.send(label, call.header("idempotency-key", driver.fresh())).await
}

/// Publishes a new agent as a step before the one under test.
pub(crate) async fn need_agent(
    driver: &Driver<'_>,
    label: &str,
    config: &Value,
    step: &str,
) -> Result<Agent, Halt> {
    let reply = create(driver, label, config).await;
    let body = driver.need(&reply, step)?;
    Agent::of(&body)
        .ok_or_else(|| driver.setup_failed(&reply, step, "an agent with `id` and `latestVersionId`"))
}

/// Publishes a further version as a step before the one under test, and returns its id.
pub(crate) async fn need_version(
    driver: &Driver<'_>,
    label: &str,
    agent: &str,
    config: &Value,
    step: &str,
) -> Result<String, Halt> {
    let reply = publish(driver, label, agent, config).await;
    driver.need_text(&reply, "/id", step)
}

/// Reads one version.
pub(crate) async fn read_version(driver: &Driver<'_>, label: &str, agent: &str, version: &str) -> Reply {
    driver.get(label, format!("{}/versions/{version}", path_of(driver, agent))).await
}

/// Lists the versions of `agent`, newest first.
pub(crate) async fn list_versions(driver: &Driver<'_>, label: &str, agent: &str) -> Reply {
    driver.get(label, format!("{}/versions?limit={PAGE}", path_of(driver, agent))).await
}

/// Lists the agents of the project, newest first, page by page until `agent` is reached. Whatever was
/// published after it is on the pages that were read.
pub(crate) async fn list_agents(driver: &Driver<'_>, label: &str, agent: &str) {
    let path = format!("{}/agents?limit={NEWEST}", project(driver));
    let mut page = driver.get(label, path.clone()).await;
    for _ in 1..PAGES_MAX {
        let reached = page.json.as_ref().is_some_and(|body| rows(body).iter().any(|row| row["id"] == agent));
        let Some(cursor) = page.text("/pageInfo/nextCursor").filter(|_| !reached) else { return };
        page = driver.get(label, format!("{path}&cursor={}", encoded(cursor))).await;
    }
}

fn rows(body: &Value) -> &[Value] {
    body.get("data").and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

/// The rows of a page; a finding where the answer is none.
pub(crate) fn listed(page: &Seen<'_>) -> Result<Vec<Value>, Finding> {
    let body = page.json()?;
    match body.get("data").and_then(Value::as_array) {
        Some(rows) if page.is_success() => Ok(rows.clone()),
        _ => Err(page.finding("a list could not be read", "200 with a list in `data`")),
    }
}

/// The rows of all pages recorded as `label`.
pub(crate) fn listed_on_all(view: &impl View, label: &str) -> Result<Vec<Value>, Finding> {
    let mut rows = Vec::new();
    for page in view.labelled(label) {
        rows.extend(listed(&page)?);
    }
    Ok(rows)
}

/// The operations of the version that was read, which has to be the version `id`.
pub(crate) fn operations_of(read: &Seen<'_>, id: &str) -> Result<Vec<Value>, Finding> {
    let body = read.json()?;
    if !read.is_success() || body.get("id").and_then(Value::as_str) != Some(id) {
        return Err(read.finding("a published version does not read back", format!("200 with `id` {id}")));
    }
    match body.pointer("/config/harnessOperations") {
        None | Some(Value::Null) => Ok(Vec::new()),
        Some(Value::Array(operations)) => Ok(operations.clone()),
        Some(_) => {
            Err(read
                .finding("the operations of a version are no list", "a list in `config.harnessOperations`"))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_agent_needs_both_ids() {
        assert!(Agent::of(&json!({"id": "a", "latestVersionId": "v"})).is_some());
        for body in
            [json!({}), json!({"id": "a"}), json!({"id": 1, "latestVersionId": "v"}), json!([]), json!(null)]
        {
            assert_eq!(Agent::of(&body), None, "{body}");
        }
    }
}
