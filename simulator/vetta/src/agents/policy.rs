//! How agents are written.

use std::sync::Arc;

use serde_json::{Map, Value};

use super::{Agent, AgentConfig, AgentRules, normalise::normalise};
use crate::{Environment, Fault, Parts, Refusal, environment::Row, guards::Write};

/// How an agent is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verb {
    /// Created.
    Post,
    /// Changed.
    Patch,
}

/// A write of an agent: what is needed to judge it.
#[derive(Clone, Copy)]
pub struct Writing<'a> {
    /// The policies of the room.
    pub parts: &'a Parts,
    /// The environment that the caller addresses.
    pub environment: &'a Environment,
    /// Created or changed.
    pub verb: Verb,
    /// The members of the request body.
    pub body: &'a Map<String, Value>,
    /// RFC 3339, the instant of the write.
    pub now: &'a str,
}

/// The policy of agents.
#[derive(Clone)]
pub struct Agents {
    /// Limits and defaults.
    pub rules: AgentRules,
    /// From whole members to a stored configuration, or what is wrong with them.
    pub normalise:
        Arc<dyn Fn(&AgentRules, &Map<String, Value>) -> Result<AgentConfig, Vec<Fault>> + Send + Sync>,
    /// The row that `harness` selects: byte for byte, published only (open point U30). Agent writes and
    /// session starts both ask it.
    pub resolve: Arc<dyn Fn(&Environment, &str) -> Option<Row> + Send + Sync>,
    /// The whole members that a patch leads to.
    pub merge: Arc<dyn Fn(&AgentConfig, &Map<String, Value>) -> Map<String, Value> + Send + Sync>,
    /// Applies a patch to the stored agent. On a refusal the agent is as it was.
    pub apply: Arc<dyn Fn(&Writing<'_>, &mut Agent) -> Result<(), Refusal> + Send + Sync>,
    /// An agent as a wire object.
    pub render: Arc<dyn Fn(&Agent) -> Value + Send + Sync>,
}

impl Default for Agents {
    fn default() -> Self {
        Self {
            rules: AgentRules::default(),
            normalise: Arc::new(normalise),
            resolve: Arc::new(|environment, base| environment.row(base).cloned()),
            merge: Arc::new(merge),
            apply: Arc::new(apply),
            render: Arc::new(render),
        }
    }
}

/// Judges the whole members of a write: shape first, then the loop, then the early guards (open point
/// U58). The answer is the configuration to store.
pub fn judge(writing: &Writing<'_>, whole: &Map<String, Value>) -> Result<AgentConfig, Refusal> {
    let Parts { agents, guards, .. } = writing.parts;
    let config = (agents.normalise)(&agents.rules, whole).map_err(|faults| Refusal::faults(&faults))?;
    let Some(row) = (agents.resolve)(writing.environment, &config.harness) else {
        let message = format!("no harness is published as `{}`; see GET /v1/harnesses", config.harness);
        return Err(Refusal::invalid("harness", message));
    };
    let write = Write { verb: writing.verb, body: writing.body, merged: &config, row: &row };
    let faults: Vec<Fault> = guards.table.judges().filter_map(|judge| judge(&write)).collect();
    if faults.is_empty() { Ok(config) } else { Err((guards.refuse)(&faults)) }
}

/// Merges by top-level member: arrays and objects are replaced whole, null clears (open point U51).
pub fn merge(stored: &AgentConfig, patch: &Map<String, Value>) -> Map<String, Value> {
    let mut whole = stored.members();
    for (name, value) in patch {
        whole.insert(name.clone(), value.clone());
    }
    whole
}

/// Applies a patch in one piece: the stored agent is touched only after the whole has been judged.
pub fn apply(writing: &Writing<'_>, stored: &mut Agent) -> Result<(), Refusal> {
    let whole = (writing.parts.agents.merge)(&stored.config, writing.body);
    let config = judge(writing, &whole)?;
    if config != stored.config {
        stored.config = config;
        stored.version += 1;
        stored.updated_at = writing.now.to_owned();
    }
    Ok(())
}

fn render(agent: &Agent) -> Value {
    let mut shown = agent.config.members();
    shown.insert("id".to_owned(), agent.id.clone().into());
    shown.insert("object".to_owned(), "agent".into());
    shown.insert("version".to_owned(), agent.version.into());
    shown.insert("created_at".to_owned(), agent.created_at.clone().into());
    shown.insert("updated_at".to_owned(), agent.updated_at.clone().into());
    Value::Object(shown)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn future() -> Arc<Environment> {
        Environment::shipped().unwrap().remove(1)
    }

    fn agent(parts: &Parts, body: &Value) -> Agent {
        let config = (parts.agents.normalise)(&parts.agents.rules, body.as_object().unwrap()).unwrap();
        let (created_at, updated_at) = ("then".to_owned(), "then".to_owned());
        Agent { id: "agent_1".to_owned(), version: 1, config, created_at, updated_at }
    }

    fn patch(parts: &Parts, stored: &mut Agent, body: &Value) -> Result<(), Refusal> {
        let (environment, body) = (&future(), body.as_object().unwrap());
        (parts.agents.apply)(&Writing { parts, environment, verb: Verb::Patch, body, now: "now" }, stored)
    }

    fn desk() -> Value {
        json!({"name": "desk", "model": "m", "system": "Hi.", "connections": ["a", "b"],
            "tools": {"permission": "ask", "overrides": {"shell": "deny"}}, "metadata": {"a": 1, "b": 2}})
    }

    #[test]
    fn a_patch_replaces_members_whole_and_leaves_the_others() {
        let parts = Parts::default();
        let mut stored = agent(&parts, &desk());
        let before = stored.config.members();
        patch(&parts, &mut stored, &json!({"connections": ["c"], "metadata": {"c": 3}, "harness": "vetta"}))
            .unwrap();
        let mut expected = before;
        expected.insert("connections".into(), json!(["c"]));
        expected.insert("metadata".into(), json!({"c": 3}));
        expected.insert("harness".into(), json!("vetta"));
        assert_eq!(stored.config.members(), expected);
        assert_eq!((stored.version, stored.updated_at.as_str()), (2, "now"));
    }

    #[test]
    fn null_clears() {
        let parts = Parts::default();
        let mut stored = agent(&parts, &desk());
        patch(&parts, &mut stored, &json!({"system": null, "connections": null, "tools": null})).unwrap();
        assert_eq!(
            stored.config,
            agent(&parts, &json!({"name": "desk", "model": "m", "metadata": {"a": 1, "b": 2}})).config
        );
        assert_eq!(
            patch(&parts, &mut stored, &json!({"name": null})).unwrap_err().param.as_deref(),
            Some("name")
        );
    }

    #[test]
    fn a_patch_that_changes_nothing_makes_no_version() {
        let parts = Parts::default();
        let mut stored = agent(&parts, &desk());
        patch(&parts, &mut stored, &json!({})).unwrap();
        patch(&parts, &mut stored, &json!({"name": "desk"})).unwrap();
        assert_eq!((stored.version, stored.updated_at.as_str()), (1, "then"));
    }

    #[test]
    fn a_refused_patch_leaves_the_agent_as_it_was() {
        let parts = Parts::default();
        let mut team = desk();
        team["multiagent"] = json!({"type": "coordinator", "agents": ["agent_2"]});
        let mut stored = agent(&parts, &team);
        let before = stored.clone();
        for (body, param) in [
            (json!({"name": "other", "harness": "sim-mute"}), "multiagent"),
            (json!({"name": "other", "harness": "sim-soon"}), "harness"),
            (json!({"name": "other", "harness": "Pi"}), "harness"),
            (json!({"name": "other", "tools": {"permission": "no"}}), "tools.permission"),
            (json!({"name": "other", "id": "agent_9"}), "id"),
        ] {
            let refusal = patch(&parts, &mut stored, &body).unwrap_err();
            assert_eq!((refusal.status, refusal.param.as_deref()), (400, Some(param)), "{body}");
            assert_eq!(stored, before, "{body}");
        }
    }
}
