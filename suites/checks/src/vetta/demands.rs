//! What an agent can demand of its loop, and which flag answers for it.

use serde_json::{Map, Value, json};
use spec::demands::{Demands, RefusedAt};

use super::agents::{asking, required_answer, servers, team_of};

/// One demand. Deltas are not among them: they can be seen and not demanded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Demand {
    /// The toolset is on `ask`.
    Ask,
    /// A typed answer is required.
    TypedAnswer,
    /// The agent leads a team.
    Team,
    /// The agent has an MCP server.
    Servers,
    /// The agent acts through a connected account.
    Connection,
}

/// What agents refer to.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Means {
    /// The id of an agent, for a team.
    pub(crate) member: String,
    /// A connected account; without one it is not demanded (open point U50).
    pub(crate) connection: Option<String>,
}

impl Demand {
    /// All of them.
    const ALL: [Self; 5] = [Self::Ask, Self::TypedAnswer, Self::Team, Self::Servers, Self::Connection];

    /// Those that can be made on a target with or without a connected account.
    pub(crate) fn possible(has_connection: bool) -> impl Iterator<Item = Self> {
        Self::ALL.into_iter().filter(move |demand| *demand != Self::Connection || has_connection)
    }

    /// A short name for labels.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Ask => "ask",
            Self::TypedAnswer => "typed answer",
            Self::Team => "team",
            Self::Servers => "servers",
            Self::Connection => "connection",
        }
    }

    /// What the specification says of it. A table that cannot be read, or lacks it, is found by a test.
    fn entry(self) -> Option<&'static spec::demands::Demand> {
        let id = match self {
            Self::Ask => "ask",
            Self::TypedAnswer => "typed-answer",
            Self::Team => "team",
            Self::Servers => "servers",
            Self::Connection => "connection",
        };
        Demands::load().ok()?.get(id)
    }

    /// The flag that a loop has to declare.
    pub(crate) fn flag(self) -> &'static str {
        self.entry().map_or("", |entry| &entry.flag)
    }

    /// Whether the agent is refused when it is written, and not at a start.
    pub(crate) fn is_early(self) -> bool {
        self.entry().is_some_and(|entry| entry.refused_at == RefusedAt::Write)
    }

    /// The members of an agent that make the demand.
    pub(crate) fn on_agent(self, means: &Means) -> Map<String, Value> {
        let (name, value) = match self {
            Self::Ask => ("tools", asking()),
            Self::TypedAnswer => return Map::new(),
            Self::Team => ("multiagent", team_of(&means.member)),
            Self::Servers => ("mcp_servers", servers()),
            Self::Connection => ("connections", json!([means.connection])),
        };
        Map::from_iter([(name.to_owned(), value)])
    }

    /// The members of a start that make the demand.
    pub(crate) fn on_start(self) -> Value {
        if self == Self::TypedAnswer { required_answer() } else { json!({}) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_demand_is_in_the_specification_and_is_made_as_it_says() {
        let table = Demands::load().unwrap();
        let means = Means { member: "agent_1".to_owned(), connection: Some("conn_1".to_owned()) };
        for demand in Demand::ALL {
            let agent = Value::Object(demand.on_agent(&means));
            let made = table.made_by(&agent, &demand.on_start());
            assert_eq!(made, [demand.entry().unwrap()], "{demand:?}");
        }
        assert_eq!(table.0.len(), Demand::ALL.len());
    }
}
