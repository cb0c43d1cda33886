//! Many files, one document.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use super::OpenApiError;
use crate::{Contract, embedded, schemas};

/// The name of the root file, below the folder of its contract.
const ROOT: &str = "openapi.yaml";

/// The files of one contract, by their path below its folder.
struct Files {
    contract: Contract,
    files: BTreeMap<&'static str, Value>,
}

/// Reads the files of a contract and puts them together.
///
/// What the root names in other YAML files is put in its place. The schemas become components under their own
/// names, and a definition inside a schema becomes `schema.definition`.
pub(super) fn document(contract: Contract) -> Result<Value, OpenApiError> {
    let of_contract = embedded::OPENAPI.iter().filter(|file| file.contract == contract);
    let read = |file: &'static embedded::File| {
        let below = file.path.strip_prefix(contract.name()).unwrap_or(file.path).trim_start_matches('/');
        Ok((below, crate::load::read(file)?))
    };
    let files = Files { contract, files: of_contract.map(read).collect::<Result<_, OpenApiError>>()? };
    let root = files.files.get(ROOT).ok_or(OpenApiError::Missing(contract))?;
    let mut document = files.settled(ROOT, root)?;
    document["components"]["schemas"] = Value::Object(components(contract)?);
    Ok(document)
}

impl Files {
    /// `value`, which stands in `file`, with references that hold in the one document.
    fn settled(&self, file: &str, value: &Value) -> Result<Value, OpenApiError> {
        match value {
            Value::Array(items) => items.iter().map(|item| self.settled(file, item)).collect(),
            Value::Object(members) => match members.get("$ref").and_then(Value::as_str) {
                Some(reference) => self.referred(file, reference),
                None => members
                    .iter()
                    .map(|(name, member)| Ok((name.clone(), self.settled(file, member)?)))
                    .collect::<Result<Map<_, _>, _>>()
                    .map(Value::Object),
            },
            plain => Ok(plain.clone()),
        }
    }

    fn referred(&self, file: &str, reference: &str) -> Result<Value, OpenApiError> {
        let dangling = || OpenApiError::Dangling {
            file: format!("{}/{file}", self.contract),
            reference: reference.to_owned(),
        };
        let (target, place) = reference.split_once('#').unwrap_or((reference, ""));
        let target = if target.is_empty() { file.to_owned() } else { beside(file, target) };
        if let Some(name) = target.strip_prefix("schemas/").and_then(|name| name.strip_suffix(".json")) {
            let known = place.is_empty() && schemas::names(self.contract).any(|each| each == name);
            return if known { Ok(json!({"$ref": component(name)})) } else { Err(dangling()) };
        }
        let found = self.files.get(target.as_str()).and_then(|other| other.pointer(place));
        let found = found.ok_or_else(dangling)?;
        if target == ROOT { Ok(json!({"$ref": format!("#{place}")})) } else { self.settled(&target, found) }
    }
}

/// The file that `target` names when it is said in `file`.
fn beside(file: &str, target: &str) -> String {
    let mut parts: Vec<&str> = file.split('/').collect();
    parts.pop();
    for part in target.split('/') {
        match part {
            ".." => drop(parts.pop()),
            "." => {}
            part => parts.push(part),
        }
    }
    parts.join("/")
}

fn component(name: &str) -> String {
    format!("#/components/schemas/{name}")
}

/// The schemas of a contract and the definitions in them.
fn components(contract: Contract) -> Result<Map<String, Value>, OpenApiError> {
    let mut components = Map::new();
    for (name, text) in schemas::texts(contract) {
        let broken =
            |reason: String| OpenApiError::Broken { contract, reason: format!("schema {name}: {reason}") };
        let mut schema: Map<String, Value> =
            serde_json::from_str(text).map_err(|error| broken(error.to_string()))?;
        for identity in ["$schema", "$id"] {
            schema.remove(identity);
        }
        if let Some(Value::Object(definitions)) = schema.remove("$defs") {
            for (definition, inner) in definitions {
                components.insert(format!("{name}.{definition}"), within(name, inner));
            }
        }
        components.insert(name.to_owned(), within(name, Value::Object(schema)));
    }
    Ok(components)
}

/// A part of the schema called `name`, with references to components.
fn within(name: &str, part: Value) -> Value {
    match part {
        Value::Array(items) => items.into_iter().map(|item| within(name, item)).collect(),
        Value::Object(members) => members
            .into_iter()
            .map(|(member, value)| match value.as_str().filter(|_| member == "$ref") {
                Some(reference) => (member, Value::from(referred(name, reference))),
                None => (member, within(name, value)),
            })
            .collect(),
        plain => plain,
    }
}

/// The component that `reference` names when it is said in the schema called `name`.
fn referred(name: &str, reference: &str) -> String {
    let (file, place) = reference.split_once('#').unwrap_or((reference, ""));
    let schema = if file.is_empty() { name } else { file.strip_suffix(".json").unwrap_or(file) };
    match place.strip_prefix("/$defs/") {
        Some(definition) => component(&format!("{schema}.{definition}")),
        None => component(schema),
    }
}
