//! Agents, as the checks write them.

use serde_json::{Map, Value, json};

use super::environments::Environment;

/// A tool of the platform that the documentation names.
pub(crate) const NAMED_TOOL: &str = "publish_file";

/// The body of an agent, put together member by member.
#[derive(Clone, Debug)]
pub(crate) struct Agent(Map<String, Value>);

impl Agent {
    /// `name`, `model` and `harness`, and nothing else. The name carries the token of the check.
    pub(crate) fn bare(environment: &Environment<'_>, base: &str) -> Self {
        let members = Map::from_iter([
            ("name".to_owned(), json!(format!("agent {}", environment.driver().token()))),
            ("model".to_owned(), json!(environment.model())),
            ("harness".to_owned(), json!(base)),
        ]);
        Self(members)
    }

    /// An agent with a system text of its own, which demands nothing of its loop.
    pub(crate) fn on(environment: &Environment<'_>, base: &str) -> Self {
        let system = format!("Answer briefly. {}", environment.driver().marker());
        Self::bare(environment, base).with("system", json!(system))
    }

    /// One more member, or another value of one.
    #[must_use]
    pub(crate) fn with(mut self, name: &str, value: Value) -> Self {
        self.0.insert(name.to_owned(), value);
        self
    }

    /// All of `members`.
    #[must_use]
    pub(crate) fn with_all(mut self, members: &Map<String, Value>) -> Self {
        self.0.extend(members.clone());
        self
    }

    /// With the toolset on `ask`.
    #[must_use]
    pub(crate) fn asking(self) -> Self {
        self.with("tools", asking())
    }

    /// With a team of one: the agent `member`.
    #[must_use]
    pub(crate) fn leading(self, member: &str) -> Self {
        self.with("multiagent", team_of(member))
    }

    /// With one MCP server.
    #[must_use]
    pub(crate) fn served(self) -> Self {
        self.with("mcp_servers", servers())
    }

    /// Acting through the connected account `connection`.
    #[must_use]
    pub(crate) fn acting_through(self, connection: &str) -> Self {
        self.with("connections", json!([connection]))
    }

    /// The request body.
    pub(crate) fn body(&self) -> Value {
        Value::Object(self.0.clone())
    }
}

/// A `tools` policy whose toolset is on `ask` (open point U12).
pub(crate) fn asking() -> Value {
    json!({"permission": "ask"})
}

/// A team of one (open point U49).
pub(crate) fn team_of(member: &str) -> Value {
    json!({"type": "coordinator", "agents": [member]})
}

/// A list of one MCP server. Nobody listens at its address, because no check here comes to call it.
pub(crate) fn servers() -> Value {
    json!([{"name": "tickets", "url": "http://127.0.0.1:9/mcp"}])
}

/// The members of a start that offer a typed answer: an object with one integer.
pub(crate) fn typed_answer() -> Value {
    json!({"structured_output_schema": {
        "type": "object",
        "properties": {"count": {"type": "integer"}},
        "required": ["count"],
        "additionalProperties": false,
    }})
}

/// The members of a start that require a typed answer (open point U11).
pub(crate) fn required_answer() -> Value {
    let mut members = typed_answer();
    members["structured_output_required"] = json!(true);
    members
}
