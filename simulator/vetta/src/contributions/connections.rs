//! The tools of connected accounts.

use std::sync::Arc;

use agent::ToolOutcome;
use futures_util::{FutureExt, future::BoxFuture};
use serde::Deserialize;
use serde_json::Value;

use crate::{
    FixtureError,
    tools::{Candidate, Contributing, Contributor, Origin},
    turns::TurnError,
};

/// Where the connections stand that ship with the simulator.
const SHIPPED: &str = "fixtures/vetta/connections.json";

/// A connected account.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Connection {
    /// `conn_…`
    pub id: String,
    /// Its tools.
    pub tools: Vec<AccountTool>,
}

/// A tool of a connected account, and what it answers.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct AccountTool {
    /// The name by which it is called.
    pub name: String,
    /// What the model is told about it.
    pub description: String,
    /// The JSON Schema of its arguments.
    pub input_schema: Value,
    /// What it answers to every call.
    pub answer: String,
}

/// The accounts that agents may act through. Every caller may use every one of them.
#[derive(Clone, Debug, Default)]
pub struct Connections(Arc<Vec<Connection>>);

impl Connections {
    /// Reads a list of connections from JSON. `origin` names the file in errors.
    pub fn parse(text: &str, origin: &str) -> Result<Self, FixtureError> {
        let malformed = |error| FixtureError::Malformed { origin: origin.to_owned(), error };
        Ok(Self(Arc::new(serde_json::from_str(text).map_err(malformed)?)))
    }

    /// The connections that ship with the simulator: `conn_1`.
    pub fn shipped() -> Result<Self, FixtureError> {
        Self::parse(include_str!("../../../../fixtures/vetta/connections.json"), SHIPPED)
    }

    fn of(&self, id: &str) -> Result<Vec<Candidate>, TurnError> {
        let connection = self.0.iter().find(|connection| connection.id == id).ok_or_else(|| {
            let message = format!("there is no connection `{id}`; take it off the agent");
            TurnError::new("connection_unavailable", message)
        })?;
        Ok(connection.tools.iter().map(|tool| candidate(id, tool)).collect())
    }
}

impl Contributor for Connections {
    fn candidates(&self, to: Contributing) -> BoxFuture<'static, Result<Vec<Candidate>, TurnError>> {
        let mut candidates = Ok(Vec::new());
        for id in &to.session.agent.config.connections {
            candidates = candidates.and_then(|mut before: Vec<Candidate>| {
                before.extend(self.of(id)?);
                Ok(before)
            });
        }
        std::future::ready(candidates).boxed()
    }
}

fn candidate(connection: &str, tool: &AccountTool) -> Candidate {
    let answer = tool.answer.clone();
    Candidate {
        name: tool.name.clone(),
        description: tool.description.clone(),
        schema: tool.input_schema.clone(),
        origin: Origin::Connection(connection.to_owned()),
        remote: None,
        run: Arc::new(move |_, _| std::future::ready(ToolOutcome::Done(answer.clone())).boxed()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_ships_is_the_connection_of_the_description() {
        let shipped = Connections::shipped().unwrap();
        let names: Vec<&str> = shipped.0[0].tools.iter().map(|tool| tool.name.as_str()).collect();
        assert_eq!((shipped.0[0].id.as_str(), names), ("conn_1", vec!["contacts_find", "contacts_add"]));
        let error = Connections::parse("[{}]", "a.json").unwrap_err().to_string();
        assert!(error.starts_with("a.json: missing field `id`"), "{error}");
    }
}
