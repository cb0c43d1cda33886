//! Keys, and whom they stand for.

use std::{collections::BTreeMap, sync::Arc};

use serde::Deserialize;

use crate::{Environment, FixtureError};

/// Whom a key stands for: an account in an environment. Objects belong to such a pair and are invisible
/// to every other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Caller {
    /// The account.
    pub account: String,
    /// The environment that the key addresses.
    pub environment: Arc<Environment>,
}

/// The keys that a process knows. An empty keyring lets nobody in.
#[derive(Clone, Default)]
pub struct Keyring(BTreeMap<String, Caller>);

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    key: String,
    account: String,
    environment: String,
}

impl Keyring {
    /// Makes `key` stand for `account` in `environment`.
    pub fn grant(
        &mut self,
        key: impl Into<String>,
        account: impl Into<String>,
        environment: Arc<Environment>,
    ) {
        self.0.insert(key.into(), Caller { account: account.into(), environment });
    }

    /// Whom `key` stands for.
    pub fn caller(&self, key: &str) -> Option<&Caller> {
        self.0.get(key)
    }

    /// The keys, in their order, and whom they stand for.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Caller)> {
        self.0.iter().map(|(key, caller)| (key.as_str(), caller))
    }

    /// Reads a list of `{key, account, environment}` whose environments are among `environments`.
    /// `origin` names the file in errors.
    pub fn parse(text: &str, origin: &str, environments: &[Arc<Environment>]) -> Result<Self, FixtureError> {
        let malformed = |error| FixtureError::Malformed { origin: origin.to_owned(), error };
        let entries: Vec<Entry> = serde_json::from_str(text).map_err(malformed)?;
        let mut keyring = Self::default();
        for (at, entry) in entries.into_iter().enumerate() {
            let Some(environment) = environments.iter().find(|known| known.name == entry.environment) else {
                let known: Vec<&str> = environments.iter().map(|known| known.name.as_str()).collect();
                let problem = format!("`{}` is none of {}", entry.environment, known.join(", "));
                return Err(FixtureError::contradiction(origin, format!("[{at}].environment"), problem));
            };
            if keyring.0.contains_key(&entry.key) {
                let problem =
                    "the key is given twice; a key stands for one account in one environment".to_owned();
                return Err(FixtureError::contradiction(origin, format!("[{at}].key"), problem));
            }
            keyring.grant(entry.key, entry.account, environment.clone());
        }
        Ok(keyring)
    }

    /// The keys that ship with the simulator: two accounts in `default`, one of them also in `future` and in
    /// `staging`.
    pub fn shipped() -> Result<Self, FixtureError> {
        let text = include_str!("../../../fixtures/vetta/keys.json");
        Self::parse(text, "fixtures/vetta/keys.json", &Environment::shipped()?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_ships_has_two_accounts_in_default_and_a_key_in_each_other_environment() {
        let keyring = Keyring::shipped().unwrap();
        let pairs: Vec<_> = keyring
            .iter()
            .map(|(_, caller)| (caller.account.as_str(), caller.environment.name.as_str()))
            .collect();
        let ada = ["default", "future", "staging"].map(|environment| ("acct_ada", environment));
        assert_eq!(pairs, [&ada[..], &[("acct_ben", "default")]].concat());
    }

    #[test]
    fn errors_say_where() {
        let shipped = Environment::shipped().unwrap();
        let unknown = r#"[{"key":"k","account":"a","environment":"mars"}]"#;
        let error = Keyring::parse(unknown, "keys.json", &shipped).err().unwrap().to_string();
        assert_eq!(error, "keys.json: [0].environment: `mars` is none of default, future, staging");
        let twice = r#"[{"key":"k","account":"a","environment":"default"},{"key":"k","account":"b","environment":"future"}]"#;
        let error = Keyring::parse(twice, "keys.json", &shipped).err().unwrap().to_string();
        assert!(error.starts_with("keys.json: [1].key"), "{error}");
    }
}
