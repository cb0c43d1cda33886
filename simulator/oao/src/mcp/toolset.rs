//! Toolsets of the catalogue.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::{Map, Value};

/// One version of a toolset.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Toolset {
    /// Its id, as `mcpBindings` names it.
    pub id: String,
    /// The credential policy that goes with it.
    pub credential_policy_version_id: String,
    /// What it is called.
    pub name: String,
    /// Its tools.
    pub tools: Vec<McpTool>,
}

/// One tool, and what it answers.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct McpTool {
    /// Its name within the toolset.
    pub name: String,
    /// What the model is told about it.
    pub description: String,
    /// The JSON Schema of its arguments.
    pub input_schema: Value,
    /// Answers to some arguments; the first that fits is given.
    pub answers: Vec<McpAnswer>,
    /// The answer to all others.
    pub otherwise: Value,
}

/// An answer to some arguments.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct McpAnswer {
    /// Arguments that have to be there, with these values.
    pub when: Map<String, Value>,
    /// What is answered.
    pub result: Value,
}

impl McpTool {
    /// What it answers to `arguments`.
    pub fn answer(&self, arguments: &Value) -> &Value {
        let fits = |scripted: &&McpAnswer| {
            scripted.when.iter().all(|(name, value)| arguments.get(name) == Some(value))
        };
        self.answers.iter().find(fits).map_or(&self.otherwise, |scripted| &scripted.result)
    }
}

const PARCEL_DESK: &str = include_str!("../../../../fixtures/oao/toolsets/parcel-desk.json");

/// The toolsets that ship with the simulator, by id.
pub(crate) fn shipped() -> BTreeMap<String, Toolset> {
    let read = serde_json::from_str::<Toolset>(PARCEL_DESK);
    read.into_iter().map(|toolset| (toolset.id.clone(), toolset)).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_first_answer_that_fits_is_given() {
        let toolset = shipped().into_values().next().unwrap();
        let tool = &toolset.tools[0];
        assert_eq!(tool.answer(&json!({"parcel": "P-200"}))["place"], "Lisbon");
        assert_eq!(tool.answer(&json!({"parcel": "P-900"}))["place"], "nowhere");
        assert_eq!(tool.answer(&json!([]))["place"], "nowhere");
    }
}
