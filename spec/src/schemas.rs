//! JSON Schemas (2020-12) of the objects on the wire.

use std::{collections::BTreeMap, sync::LazyLock};

use jsonschema::{Registry, Validator};
use serde_json::Value;

use crate::Contract;

macro_rules! schemas {
    ($($folder:literal: $($name:literal)+;)+) => {
        &[$($(($folder, $name, include_str!(concat!("../", $folder, "/schemas/", $name, ".json")))),+),+]
    };
}

/// Contract, name and text of each schema.
const SCHEMAS: &[(&str, &str, &str)] = schemas! {
    "oao":
        "agent" "agent-new" "agent-page" "approval" "approval-page" "claim-new" "claim-renewed" "config" "decision-new"
        "deleted" "error" "event" "fence" "file" "message" "message-page" "operation" "pending-work" "result-new"
        "result-schema" "run" "run-new" "run-page" "session" "session-detail" "session-new" "session-page" "submission"
        "thread" "thread-page" "timeline-page" "tool-call" "tool-call-page" "version" "version-new" "version-page"
        "webhook" "webhook-batch" "webhook-change" "webhook-credential" "webhook-new" "webhook-page";
    "vetta":
        "agent" "agent-change" "agent-list" "agent-new" "balance" "confirmation-new" "confirmation-receipt" "error"
        "event" "event-list" "harness" "harness-list" "interrupt-receipt" "message-new" "message-receipt" "model-list"
        "session" "session-list" "session-new" "thread" "thread-list" "tool-answer" "tool-message";
};

/// One way in which a value does not have the shape of a schema.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    /// JSON pointer into the value.
    pub at: String,
    /// What is wrong there.
    pub reason: String,
}

/// A name that is no schema of a contract, or a schema of ours that does not compile.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SchemaError {
    /// There is no such schema.
    #[error("contract `{contract}` has no schema `{name}`")]
    Unknown {
        /// The contract.
        contract: Contract,
        /// What was asked for.
        name: String,
    },
    /// The schema files do not compile.
    #[error("the schema files do not compile: {0}")]
    Broken(String),
}

type Compiled = BTreeMap<(&'static str, &'static str), Validator>;

static COMPILED: LazyLock<Result<Compiled, String>> = LazyLock::new(compile);

fn compile() -> Result<Compiled, String> {
    let mut parsed = Vec::new();
    let mut registry = Registry::new();
    for (contract, name, text) in SCHEMAS {
        let within = |error: &dyn std::fmt::Display| format!("spec/{contract}/schemas/{name}.json: {error}");
        let schema: Value = serde_json::from_str(text).map_err(|error| within(&error))?;
        let id = schema.get("$id").and_then(Value::as_str).ok_or_else(|| within(&"no $id"))?.to_owned();
        registry = registry.add(&id, schema.clone()).map_err(|error| within(&error))?;
        parsed.push((*contract, *name, schema));
    }
    let registry = registry.prepare().map_err(|error| error.to_string())?;
    let build = |(contract, name, schema): (&'static str, &'static str, Value)| {
        let validator = jsonschema::options().with_registry(&registry).build(&schema);
        Ok((
            (contract, name),
            validator.map_err(|error| format!("spec/{contract}/schemas/{name}.json: {error}"))?,
        ))
    };
    parsed.into_iter().map(build).collect()
}

/// The names of the schemas of `contract`.
pub fn names(contract: Contract) -> impl Iterator<Item = &'static str> {
    SCHEMAS.iter().filter(move |(folder, _, _)| *folder == contract.name()).map(|(_, name, _)| *name)
}

/// The text of each schema of `contract`, by name.
pub(crate) fn texts(contract: Contract) -> impl Iterator<Item = (&'static str, &'static str)> {
    SCHEMAS
        .iter()
        .filter(move |(folder, _, _)| *folder == contract.name())
        .map(|(_, name, text)| (*name, *text))
}

/// A schema somewhere in a larger document.
#[derive(Debug)]
pub(crate) struct Shape(Validator);

impl Shape {
    /// The schemas at `places` (JSON pointers) of `document`, which is called `uri`.
    pub(crate) fn all(
        uri: &str,
        document: &Value,
        places: impl IntoIterator<Item = String>,
    ) -> Result<BTreeMap<String, Self>, String> {
        let registry = Registry::new().add(uri, document.clone()).map_err(|error| error.to_string())?;
        let registry = registry.prepare().map_err(|error| error.to_string())?;
        let build = |place: String| {
            let fragment = place.replace('{', "%7B").replace('}', "%7D");
            let schema = serde_json::json!({ "$ref": format!("{uri}#{fragment}") });
            let validator = jsonschema::options().with_registry(&registry).build(&schema);
            Ok((place.clone(), Self(validator.map_err(|error| format!("{place}: {error}"))?)))
        };
        places.into_iter().map(build).collect()
    }

    /// How `value` differs from it.
    pub(crate) fn violations(&self, value: &Value) -> Vec<Violation> {
        self.0.iter_errors(value).map(violation).collect()
    }
}

fn violation(error: jsonschema::ValidationError<'_>) -> Violation {
    Violation { at: error.instance_path().to_string(), reason: error.to_string() }
}

/// How `value` differs from the schema called `name`; nothing where it has its shape.
pub fn violations(contract: Contract, name: &str, value: &Value) -> Result<Vec<Violation>, SchemaError> {
    let compiled = COMPILED.as_ref().map_err(|reason| SchemaError::Broken(reason.clone()))?;
    let validator = compiled
        .iter()
        .find(|((folder, each), _)| *folder == contract.name() && *each == name)
        .map(|(_, validator)| validator)
        .ok_or_else(|| SchemaError::Unknown { contract, name: name.to_owned() })?;
    Ok(validator.iter_errors(value).map(violation).collect())
}

#[cfg(test)]
mod tests {
    use std::{fs, path::Path};

    use super::*;

    #[test]
    fn every_schema_file_is_compiled_in_and_compiles() {
        for contract in Contract::ALL {
            let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(contract.name()).join("schemas");
            let mut on_disk: Vec<String> = fs::read_dir(folder)
                .unwrap()
                .map(|entry| entry.unwrap().file_name().into_string().unwrap())
                .filter_map(|name| name.strip_suffix(".json").map(str::to_owned))
                .collect();
            on_disk.sort();
            assert_eq!(names(contract).collect::<Vec<_>>(), on_disk, "{contract}");
            for name in names(contract) {
                assert!(
                    violations(contract, name, &Value::Null).is_ok_and(|found| !found.is_empty()),
                    "{contract} {name}"
                );
            }
        }
    }

    #[test]
    fn a_violation_says_where() {
        let list = serde_json::json!({"data": [{"base": 7}], "has_more": false, "next_cursor": null});
        let found = violations(Contract::Vetta, "harness-list", &list).unwrap();
        assert!(found.iter().any(|violation| violation.at == "/data/0/base"), "{found:?}");
    }
}
