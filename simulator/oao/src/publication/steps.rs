//! The steps of a publication, in order.

use std::sync::Arc;

use serde_json::{Map, Value};

use super::{Definition, canonical, config, schema::place};
use crate::{catalogue::Catalogue, errors::Refusal, limits::ConfigLimits, sequence::Sequence};

/// What a step may look at besides the configuration.
pub struct View<'a> {
    /// The rules for definitions.
    pub definition: &'a Definition,
    /// The limits of a configuration.
    pub limits: &'a ConfigLimits,
    /// What the project has.
    pub catalogue: &'a Catalogue,
    /// Whether an agent version of this id exists in the project.
    pub version_exists: &'a dyn Fn(&str) -> bool,
}

/// One step: it refuses the configuration, or leaves it nearer to what will be stored.
pub type Step = Arc<dyn Fn(&View<'_>, &mut Map<String, Value>) -> Result<(), Refusal> + Send + Sync>;

/// The contract's steps.
pub fn all() -> Sequence<Step> {
    Sequence::of(vec![
        ("no-nul", Arc::new(no_nul) as Step),
        ("result-schemas", Arc::new(result_schemas)),
        ("tool-schemas", Arc::new(tool_schemas)),
        ("config", Arc::new(|view, config| config::check(config, view.limits))),
        ("operations", Arc::new(operations)),
        (
            "reserved-names",
            Arc::new(|view, config| {
                view.definition.names.check_reserved(&config::tool_names(config, view.catalogue))
            }),
        ),
        (
            "unique-names",
            Arc::new(|view, config| {
                view.definition.names.check_unique(&config::tool_names(config, view.catalogue))
            }),
        ),
        ("sensitive-names", Arc::new(sensitive_names)),
        ("references", Arc::new(references)),
        ("canonical", Arc::new(canonical_form)),
    ])
}

/// U+0000 cannot be stored.
fn no_nul(_: &View<'_>, config: &mut Map<String, Value>) -> Result<(), Refusal> {
    fn has_nul(value: &Value) -> bool {
        match value {
            Value::String(text) => text.contains('\0'),
            Value::Array(items) => items.iter().any(has_nul),
            Value::Object(members) => {
                members.iter().any(|(name, member)| name.contains('\0') || has_nul(member))
            }
            _ => false,
        }
    }
    match config.iter().find(|(name, member)| name.contains('\0') || has_nul(member)) {
        Some((name, _)) => {
            Err(Refusal::bad_request(format!("{}: U+0000 cannot be stored", place::member("", name))))
        }
        None => Ok(()),
    }
}

/// Result schemas are looked at first, because only they are refused with a place.
fn result_schemas(view: &View<'_>, config: &mut Map<String, Value>) -> Result<(), Refusal> {
    for (index, operation) in config::items(config, "harnessOperations").iter().enumerate() {
        if let Some(schema) = operation.get("resultSchema") {
            let at = place::member(&place::item("harnessOperations", index), "resultSchema");
            view.definition.result_schema.check(schema, &at)?;
        }
    }
    Ok(())
}

fn tool_schemas(view: &View<'_>, config: &mut Map<String, Value>) -> Result<(), Refusal> {
    for (index, tool) in config::items(config, "tools").iter().enumerate() {
        for field in ["inputSchema", "outputSchema"] {
            if let Some(schema) = tool.get(field) {
                let at = place::member(&place::item("tools", index), field);
                view.definition.tool_schema.check(schema, &at)?;
            }
        }
    }
    Ok(())
}

fn operations(view: &View<'_>, config: &mut Map<String, Value>) -> Result<(), Refusal> {
    let count = view.definition.count;
    let operations = config.entry("harnessOperations").or_insert_with(|| Value::Array(Vec::new()));
    let list = operations.as_array().filter(|list| count.holds(list.len() as u64)).ok_or_else(|| {
        Refusal::bad_request(format!(
            "harnessOperations: a list of {} to {} operations is needed",
            count.min, count.max
        ))
    })?;
    for (index, operation) in list.iter().enumerate() {
        view.definition.check(operation, &place::item("harnessOperations", index))?;
    }
    Ok(())
}

fn sensitive_names(view: &View<'_>, config: &mut Map<String, Value>) -> Result<(), Refusal> {
    let found = config.iter().find_map(|(name, member)| {
        let here = place::member("", name);
        if view.definition.sensitive.is_sensitive(name) {
            Some(here)
        } else {
            view.definition.sensitive.find(member, &here)
        }
    });
    found.map_or(Ok(()), |at| Err(Refusal::at(&at, "this name is sensitive and cannot be published")))
}

fn references(view: &View<'_>, config: &mut Map<String, Value>) -> Result<(), Refusal> {
    let preset = config.get("modelPreset").and_then(Value::as_str).unwrap_or_default();
    if !view.catalogue.presets.contains(preset) {
        return Err(Refusal::bad_request(format!("modelPreset: `{preset}` is no approved preset")));
    }
    let missing = |list: &str, field: Option<&str>, exists: &dyn Fn(&str) -> bool| {
        let ids = config::items(config, list).iter().map(|item| field.map_or(item, |field| &item[field]));
        let unknown = ids.filter_map(Value::as_str).find(|id| !exists(id))?;
        Some(Refusal::bad_request(format!("{list}: `{unknown}` is not known in this project")))
    };
    let unknown = missing("skillVersionIds", None, &|id| view.catalogue.skills.contains_key(id))
        .or_else(|| {
            missing("mcpBindings", Some("toolsetVersionId"), &|id| view.catalogue.toolsets.contains_key(id))
        })
        .or_else(|| missing("delegates", Some("agentVersionId"), view.version_exists));
    unknown.map_or(Ok(()), Err)
}

fn canonical_form(_: &View<'_>, config: &mut Map<String, Value>) -> Result<(), Refusal> {
    let lists =
        [("harnessOperations", &["resultSchema"][..]), ("tools", &["inputSchema", "outputSchema"][..])];
    for (list, fields) in lists {
        let Some(Value::Array(entries)) = config.get_mut(list) else { continue };
        for entry in entries {
            for field in fields {
                if let Some(schema) = entry.get_mut(*field) {
                    *schema = canonical::schema(schema);
                }
            }
        }
    }
    for value in config.values_mut() {
        *value = canonical::numbers(value);
    }
    Ok(())
}
