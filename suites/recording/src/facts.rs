//! What a judge may know of a target beforehand.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};
use spec::Contract;

/// How time passes for a target.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Lane {
    /// In process, on a paused clock.
    Virtual,
    /// In real time.
    Wall,
}

/// The part of a target's description that is no secret. It is recorded, so that a recording can be
/// judged without the target.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TargetFacts {
    /// The name of the product.
    pub name: String,
    /// Its version.
    pub version: String,
    /// The contract.
    pub contract: Contract,
    /// How its time passes.
    pub lane: Lane,
    /// What it claims to support.
    pub claims: BTreeSet<String>,
    /// Names of the credentials that it gave, without their values.
    pub credentials: BTreeSet<String>,
    /// Everything else that its description says, by name: `project`, `model`, `reserved_ids` …
    pub settings: BTreeMap<String, serde_json::Value>,
}

impl TargetFacts {
    /// A setting that is a string.
    pub fn text(&self, name: &str) -> Option<&str> {
        self.settings.get(name)?.as_str()
    }

    /// A setting that is a list of strings; empty when absent.
    pub fn list(&self, name: &str) -> Vec<&str> {
        let items = self.settings.get(name).and_then(|value| value.as_array());
        items.into_iter().flatten().filter_map(|item| item.as_str()).collect()
    }
}

/// What is agreed about the verdicts on a target.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Scope {
    /// Checks whose `untested` stays in the denominator but out of the exit code.
    #[serde(default)]
    pub untestable: Vec<String>,
    /// Checks that are known to fail. They are run, and one that passes fails the run.
    #[serde(default)]
    pub expected_fail: Vec<String>,
}
