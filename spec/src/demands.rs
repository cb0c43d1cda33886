//! What an agent can demand of its loop, as data.

use std::sync::LazyLock;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{Contract, SpecError, embedded, load};

/// One thing that can be demanded.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Demand {
    /// Its name: `ask`, `typed-answer`, `team`, `servers`, `connection`.
    pub id: String,
    /// The capability flag that a loop has to declare.
    pub flag: String,
    /// When a loop without the flag is refused.
    pub refused_at: RefusedAt,
    /// The body that makes the demand.
    pub place: DemandPlace,
    /// The member of that body that makes it, as a JSON pointer.
    pub member: String,
    /// The values of the member that make it.
    pub when: DemandWhen,
}

/// When an unmet demand is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum RefusedAt {
    /// When the agent is written.
    Write,
    /// When a session starts.
    Start,
}

/// A body that can make a demand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum DemandPlace {
    /// The agent.
    Agent,
    /// The start of a session.
    Start,
}

/// The values of a member that make a demand. Exactly one of these is given.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum DemandWhen {
    /// This value.
    Equals(Value),
    /// Any value but null, where `true`.
    Given(bool),
    /// A list with something in it, where `true`.
    Filled(bool),
}

impl Demand {
    /// Whether `agent` and `start` make it.
    pub fn is_made(&self, agent: &Value, start: &Value) -> bool {
        let body = match self.place {
            DemandPlace::Agent => agent,
            DemandPlace::Start => start,
        };
        let member = body.pointer(&self.member).unwrap_or(&Value::Null);
        match &self.when {
            DemandWhen::Equals(value) => member == value,
            DemandWhen::Given(given) => member.is_null() != *given,
            DemandWhen::Filled(filled) => member.as_array().is_some_and(|items| !items.is_empty()) == *filled,
        }
    }
}

/// The table of demands.
#[derive(Clone, Debug, PartialEq)]
pub struct Demands(pub Vec<Demand>);

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    contract: Contract,
    demands: Vec<Demand>,
}

static DEMANDS: LazyLock<Result<Demands, SpecError>> = LazyLock::new(|| {
    let mut all = Vec::new();
    for file in embedded::DEMANDS {
        let read: File = load::read(file)?;
        load::placed(file, read.contract)?;
        all.extend(read.demands);
    }
    Ok(Demands(all))
});

impl Demands {
    /// The table of this build.
    pub fn load() -> Result<&'static Self, &'static SpecError> {
        DEMANDS.as_ref()
    }

    /// The demand called `id`.
    pub fn get(&self, id: &str) -> Option<&Demand> {
        self.0.iter().find(|demand| demand.id == id)
    }

    /// What `agent` and `start` demand, in the order of the table.
    pub fn made_by(&self, agent: &Value, start: &Value) -> Vec<&Demand> {
        self.0.iter().filter(|demand| demand.is_made(agent, start)).collect()
    }

    /// The flags that a loop has to declare for `agent` and `start`, each once, sorted.
    pub fn flags_of(&self, agent: &Value, start: &Value) -> Vec<&str> {
        let mut flags: Vec<&str> =
            self.made_by(agent, start).into_iter().map(|demand| demand.flag.as_str()).collect();
        flags.sort_unstable();
        flags.dedup();
        flags
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_member_demands_by_its_value() {
        let demands = Demands::load().unwrap();
        let made = |agent: &Value, start: &Value| {
            demands.made_by(agent, start).into_iter().map(|demand| demand.id.as_str()).collect::<Vec<_>>()
        };
        let nothing = json!({
            "tools": {"permission": "allow", "overrides": {"a": "ask"}},
            "multiagent": null, "mcp_servers": [], "connections": [],
        });
        assert_eq!(made(&nothing, &json!({"structured_output_required": false})), [""; 0]);
        assert_eq!(made(&json!({}), &json!({})), [""; 0]);
        let all = json!({
            "tools": {"permission": "ask"}, "multiagent": {}, "mcp_servers": [{}], "connections": ["c"],
        });
        let required = json!({"structured_output_required": true});
        assert_eq!(made(&all, &required), ["ask", "typed-answer", "team", "servers", "connection"]);
        assert_eq!(demands.flags_of(&all, &required), ["approvals", "injected_tools", "structured_output"]);
    }
}
