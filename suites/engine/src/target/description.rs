//! What is known of a target.

use std::collections::{BTreeMap, BTreeSet};

use recording::{Lane, Scope, TargetFacts};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use spec::Contract;

/// A complete description of a target.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Description {
    /// The name of the product.
    pub name: String,
    /// Its version.
    pub version: String,
    /// The contract that it is judged by.
    pub contract: Contract,
    /// Base URL, `http://host:port` with an optional path.
    pub url: String,
    /// How its time passes; a file describes a target in real time.
    #[serde(default = "wall")]
    pub lane: Lane,
    /// Credentials by name. `primary` is used where nothing else is said.
    #[serde(default)]
    pub credentials: BTreeMap<String, Credential>,
    /// What the contract's documents leave to the vendor: see [`super::settings`].
    #[serde(default)]
    pub settings: BTreeMap<String, Value>,
    /// Optional features that it claims.
    #[serde(default)]
    pub claims: BTreeSet<String>,
    /// How it is told which model to call.
    #[serde(default)]
    pub model: Option<ModelWiring>,
    /// What is agreed about the verdicts.
    #[serde(default)]
    pub scope: Scope,
}

fn wall() -> Lane {
    Lane::Wall
}

/// A secret, or where to find it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase", try_from = "Value")]
pub enum Credential {
    /// The name of an environment variable that holds it.
    Env(String),
    /// The secret itself.
    Value(String),
}

/// Read by hand, so that what is wrong is said without the value, which may be a secret.
impl TryFrom<Value> for Credential {
    type Error = &'static str;

    fn try_from(written: Value) -> Result<Self, Self::Error> {
        let only = written
            .as_object()
            .filter(|members| members.len() == 1)
            .and_then(|members| members.iter().next());
        match only {
            Some((name, Value::String(text))) if name == "env" => Ok(Self::Env(text.clone())),
            Some((name, Value::String(text))) if name == "value" => Ok(Self::Value(text.clone())),
            _ => Err("a credential is written { env = \"VARIABLE\" } or { value = \"SECRET\" }"),
        }
    }
}

/// How a target is told which model to call.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ModelWiring {
    /// Where the suite listens with its model: `host:port`.
    #[serde(default = "any_port")]
    pub listen: String,
    /// The base URL under which the target reaches that; by default it is what `listen` gives.
    #[serde(default)]
    pub public_url: Option<String>,
    /// Whether the target takes the model's URL at `PUT /_control/model`. If not, the target is set up
    /// by hand to call `public_url`.
    #[serde(default)]
    pub by_control: bool,
}

fn any_port() -> String {
    "127.0.0.1:0".to_owned()
}

impl Description {
    /// The credential called `name`.
    pub fn secret(&self, name: &str) -> Option<&str> {
        match self.credentials.get(name)? {
            Credential::Value(value) => Some(value),
            Credential::Env(_) => None,
        }
    }

    /// All secrets, as pairs of name and value, longest value first so that a secret within another one
    /// does not spoil its replacement.
    pub fn secrets(&self) -> Vec<(String, String)> {
        let mut secrets: Vec<(String, String)> = self
            .credentials
            .keys()
            .filter_map(|name| Some((name.clone(), self.secret(name)?.to_owned())))
            .filter(|(_, value)| !value.is_empty())
            .collect();
        secrets.sort_by_key(|(_, value)| std::cmp::Reverse(value.len()));
        secrets
    }

    /// The part that is no secret.
    pub fn facts(&self) -> TargetFacts {
        TargetFacts {
            name: self.name.clone(),
            version: self.version.clone(),
            contract: self.contract,
            lane: self.lane,
            claims: self.claims.clone(),
            credentials: self.credentials.keys().cloned().collect(),
            settings: self.settings.clone(),
        }
    }
}
