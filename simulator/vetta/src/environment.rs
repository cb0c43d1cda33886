//! Environments: what one key pair addresses, and never changes while the process is up.

use std::{collections::BTreeSet, sync::Arc};

use serde::{Deserialize, Serialize};

use crate::{harness::Harness, models::Model};

/// One immutable environment of a deploy.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Environment {
    /// `default`, `future`, …
    pub name: String,
    /// The catalogue, in table order.
    pub rows: Vec<Row>,
    /// Ids that a chooser knows and the catalogue does not publish.
    pub reserved: Vec<String>,
    /// The models, in the order of their ids.
    pub models: Vec<Model>,
}

/// A catalogue entry: the wire object, and what only the simulator knows.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Row {
    /// What is published.
    pub harness: Harness,
    /// What is true of the loop and not on the wire.
    pub facts: Facts,
}

/// What is true of a loop and not on the wire.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Facts {
    /// How contributed tools travel to the loop; `null` for a loop out of the platform's reach.
    pub road: Option<Road>,
    /// Whether the loop can hand in a typed answer. Where the flag `structured_output` says yes and this
    /// says no, the demand is admitted and the turn fails: the known gap.
    pub can_submit: bool,
}

/// How contributed tools travel to a loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Road {
    /// Handed to the loop for the turn.
    First,
    /// Through a tool endpoint that belongs to the session.
    Second,
}

/// Why a fixture cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum FixtureError {
    /// It is not the JSON that is expected.
    #[error("{origin}: {error}")]
    Malformed {
        /// Name of the file.
        origin: String,
        /// Line, column and member.
        error: serde_json::Error,
    },
    /// A member is given twice or contradicts another.
    #[error("{origin}: {place}: {problem}")]
    Contradiction {
        /// Name of the file.
        origin: String,
        /// Path of the member: `rows[2].harness.base`.
        place: String,
        /// What is wrong, and the way out.
        problem: String,
    },
}

impl FixtureError {
    pub(crate) fn contradiction(origin: &str, place: String, problem: String) -> Self {
        Self::Contradiction { origin: origin.to_owned(), place, problem }
    }
}

impl Environment {
    /// Reads an environment from JSON. `origin` names the file in errors.
    pub fn parse(text: &str, origin: &str) -> Result<Self, FixtureError> {
        let malformed = |error| FixtureError::Malformed { origin: origin.to_owned(), error };
        let environment: Self = serde_json::from_str(text).map_err(malformed)?;
        environment.check(origin)?;
        Ok(environment)
    }

    /// The environments that ship with the simulator: `default`; `future`, which has a loop without
    /// injected tools; and `staging`, which is of the release of `default` and has other images installed.
    pub fn shipped() -> Result<Vec<Arc<Self>>, FixtureError> {
        let default = include_str!("../../../fixtures/vetta/environments/default.json");
        let future = include_str!("../../../fixtures/vetta/environments/future.json");
        let staging = include_str!("../../../fixtures/vetta/environments/staging.json");
        let default = Self::parse(default, "fixtures/vetta/environments/default.json")?;
        let future = Self::parse(future, "fixtures/vetta/environments/future.json")?;
        let staging = Self::parse(staging, "fixtures/vetta/environments/staging.json")?;
        Ok(vec![Arc::new(default), Arc::new(future), Arc::new(staging)])
    }

    /// The row whose base is `base`, byte for byte.
    pub fn row(&self, base: &str) -> Option<&Row> {
        self.rows.iter().find(|row| row.harness.base == base)
    }

    fn check(&self, origin: &str) -> Result<(), FixtureError> {
        let mut bases = BTreeSet::new();
        for (at, row) in self.rows.iter().enumerate() {
            let base = &row.harness.base;
            if base.is_empty() || !bases.insert(base.to_lowercase()) {
                let problem =
                    format!("`{base}` is empty or taken by another row; give each row a base of its own");
                return Err(FixtureError::contradiction(origin, format!("rows[{at}].harness.base"), problem));
            }
        }
        for (at, id) in self.reserved.iter().enumerate() {
            if bases.contains(&id.to_lowercase()) {
                let problem = format!("`{id}` is published by a row; a reserved id is one that is not");
                return Err(FixtureError::contradiction(origin, format!("reserved[{at}]"), problem));
            }
        }
        for (at, pair) in self.models.windows(2).enumerate() {
            if pair[0].id >= pair[1].id {
                let problem =
                    format!("`{}` does not sort after the one before it; pages go by id", pair[1].id);
                return Err(FixtureError::contradiction(origin, format!("models[{}].id", at + 1), problem));
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_ships_is_the_fixture_table() {
        let shipped = Environment::shipped().unwrap();
        let bases =
            |at: usize| shipped[at].rows.iter().map(|row| row.harness.base.as_str()).collect::<Vec<_>>();
        let default =
            ["pi", "vetta", "sim-cli", "sim-iso-noask", "sim-dark", "sim-dark-cli", "sim-local", "sim-byo"];
        assert_eq!(bases(0), default);
        assert_eq!(bases(1), [&default[..], &["sim-mute"]].concat());
        assert_eq!(shipped[0].rows[..], shipped[1].rows[..8], "the rows in common are equal");
        let differing = shipped[0].rows.iter().zip(&shipped[2].rows).filter(|(one, other)| one != other);
        let differing: Vec<_> = differing.map(|(row, _)| row.harness.base.as_str()).collect();
        assert_eq!((bases(2), differing), (default.to_vec(), vec!["sim-dark"]));
        assert!(shipped.iter().all(|environment| environment.reserved == ["sim-soon"]));
        assert!(shipped.iter().all(|environment| environment.models.len() == 2));
    }

    #[test]
    fn errors_say_where() {
        let good = include_str!("../../../fixtures/vetta/environments/default.json");
        let spelling = good.replacen("\"hosted\"", "\"cloud\"", 1);
        let error = Environment::parse(&spelling, "a.json").unwrap_err().to_string();
        assert!(error.starts_with("a.json: unknown variant `cloud`") && error.contains("line 8"), "{error}");
        let twice = good.replacen("\"vetta\"", "\"Pi\"", 1);
        let error = Environment::parse(&twice, "a.json").unwrap_err().to_string();
        assert!(error.starts_with("a.json: rows[1].harness.base: `Pi` is"), "{error}");
        let reserved = good.replacen("\"sim-soon\"", "\"sim-byo\"", 1);
        let error = Environment::parse(&reserved, "a.json").unwrap_err().to_string();
        assert!(error.starts_with("a.json: reserved[0]"), "{error}");
        let models = good.replacen("\"sim-2\"", "\"sim-0\"", 1);
        let error = Environment::parse(&models, "a.json").unwrap_err().to_string();
        assert!(error.starts_with("a.json: models[1].id"), "{error}");
    }
}
