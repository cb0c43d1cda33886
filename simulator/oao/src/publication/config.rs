//! The configuration around the operations.

use serde_json::{Map, Value, json};

use super::{
    names::{Named, Origin},
    reader::{Reader, is_uuid},
    schema::place,
};
use crate::{catalogue::Catalogue, errors::Refusal, limits::ConfigLimits};

/// What a sandbox may be able to do.
pub const CAPABILITIES: [&str; 4] = ["filesystem_read", "filesystem_write", "shell", "browser"];

const FIELDS: [&str; 9] = [
    "systemPrompt",
    "modelPreset",
    "tools",
    "skillVersionIds",
    "harnessOperations",
    "mcpBindings",
    "delegates",
    "sandbox",
    "limits",
];

/// Checks everything except the operations, and writes defaults out.
pub fn check(config: &mut Map<String, Value>, limits: &ConfigLimits) -> Result<(), Refusal> {
    let reader = Reader::new(config, "");
    reader.only(&FIELDS)?;
    reader.text("systemPrompt", limits.system_prompt_units)?;
    reader.text("modelPreset", limits.preset_units)?;
    check_limits(reader.need("limits")?, limits)?;
    let sandbox = sandbox(reader.need("sandbox")?, limits)?;
    let tools = tools(&reader, limits)?;
    let skills = reader.get("skillVersionIds").cloned().unwrap_or_else(|| json!([]));
    let all_ids = skills.as_array().is_some_and(|ids| ids.iter().all(|id| id.as_str().is_some_and(is_uuid)));
    if !all_ids {
        return Err(reader.refuse("skillVersionIds", "a list of UUIDs is needed"));
    }
    let bindings = bindings(&reader, limits)?;
    let delegates = delegates(&reader, limits)?;
    for (name, value) in [
        ("tools", tools),
        ("skillVersionIds", skills),
        ("mcpBindings", bindings),
        ("delegates", delegates),
        ("sandbox", sandbox),
    ] {
        config.insert(name.to_owned(), value);
    }
    Ok(())
}

fn check_limits(value: &Value, limits: &ConfigLimits) -> Result<(), Refusal> {
    let reader = Reader::of(value, "limits")?;
    reader.only(&["maxTurns", "timeoutMs"])?;
    reader.integer("maxTurns", limits.turns)?;
    reader.integer("timeoutMs", limits.timeout_ms)?;
    Ok(())
}

fn sandbox(value: &Value, limits: &ConfigLimits) -> Result<Value, Refusal> {
    let reader = Reader::of(value, "sandbox")?;
    reader.only(&["enabled", "provider", "snapshotId", "network", "capabilities"])?;
    let enabled = reader.boolean("enabled")?;
    reader.text("provider", limits.short_text_units)?;
    if enabled || reader.get("snapshotId").is_some() {
        reader.text("snapshotId", limits.short_text_units)?;
    }
    reader.one_of("network", &["none", "restricted"])?;
    let mut sandbox = value.clone();
    match reader.get("capabilities") {
        None => sandbox["capabilities"] = json!(CAPABILITIES[..3]),
        Some(list) => {
            let known = list.as_array().is_some_and(|list| {
                list.iter().all(|one| one.as_str().is_some_and(|one| CAPABILITIES.contains(&one)))
            });
            if !known {
                return Err(reader.refuse(
                    "capabilities",
                    &format!("a list out of {} is needed", CAPABILITIES.join(", ")),
                ));
            }
        }
    }
    Ok(sandbox)
}

fn tools(config: &Reader<'_, '_>, limits: &ConfigLimits) -> Result<Value, Refusal> {
    let mut tools = Vec::new();
    for (index, tool) in config.list("tools", limits.tools_max)?.iter().enumerate() {
        let at = place::item("tools", index);
        let reader = Reader::of(tool, &at)?;
        reader.only(&[
            "schemaVersion",
            "name",
            "description",
            "owner",
            "approval",
            "inputSchema",
            "outputSchema",
        ])?;
        if reader.get("schemaVersion").is_some() {
            reader.integer("schemaVersion", crate::limits::Range { min: 1, max: 1 })?;
        }
        reader.text("name", limits.tool_name_units)?;
        reader.text("description", limits.tool_description_units)?;
        reader.one_of("owner", &["platform", "caller"])?;
        reader.one_of("approval", &["never", "always"])?;
        reader.need("inputSchema")?;
        reader.need("outputSchema")?;
        let mut tool = tool.clone();
        tool["schemaVersion"] = json!(1);
        tools.push(tool);
    }
    Ok(Value::Array(tools))
}

fn bindings(config: &Reader<'_, '_>, limits: &ConfigLimits) -> Result<Value, Refusal> {
    if config.get("mcpBindings").is_none() {
        return Ok(json!([]));
    }
    let list = config.list("mcpBindings", limits.bindings_max)?;
    let mut namespaces = Vec::new();
    for (index, binding) in list.iter().enumerate() {
        let at = place::item("mcpBindings", index);
        let reader = Reader::of(binding, &at)?;
        reader.only(&["toolsetVersionId", "credentialPolicyVersionId", "namespace"])?;
        reader.uuid("toolsetVersionId")?;
        reader.uuid("credentialPolicyVersionId")?;
        let namespace = reader.text("namespace", limits.namespace_units)?;
        if !is_namespace(namespace) || namespaces.contains(&namespace) {
            return Err(
                reader.refuse("namespace", "lower-case words joined by `_` are needed, each namespace once")
            );
        }
        namespaces.push(namespace);
    }
    Ok(Value::from(list))
}

/// `^[a-z][a-z0-9]*(?:_[a-z0-9]+)*$`
fn is_namespace(text: &str) -> bool {
    let starts = text.bytes().next().is_some_and(|byte| byte.is_ascii_lowercase());
    let word = |word: &str| {
        !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit())
    };
    starts && text.split('_').all(word)
}

fn delegates(config: &Reader<'_, '_>, limits: &ConfigLimits) -> Result<Value, Refusal> {
    if config.get("delegates").is_none() {
        return Ok(json!([]));
    }
    let mut delegates = Vec::new();
    for (index, delegate) in config.list("delegates", limits.delegates_max)?.iter().enumerate() {
        let at = place::item("delegates", index);
        let reader = Reader::of(delegate, &at)?;
        reader.only(&["key", "description", "agentVersionId", "maxParallel"])?;
        reader.text("key", limits.short_text_units)?;
        reader.text("description", limits.delegate_description_units)?;
        reader.uuid("agentVersionId")?;
        let mut delegate = delegate.clone();
        if reader.get("maxParallel").is_none() {
            delegate["maxParallel"] = json!(1);
        } else {
            reader.integer("maxParallel", limits.delegate_parallel)?;
        }
        delegates.push(delegate);
    }
    Ok(Value::Array(delegates))
}

/// Every name that the configuration mounts as a tool.
pub fn tool_names(config: &Map<String, Value>, catalogue: &Catalogue) -> Vec<Named> {
    let mut names = Vec::new();
    for (list, field, origin) in
        [("tools", "name", Origin::Authored), ("harnessOperations", "key", Origin::Operation)]
    {
        for (index, entry) in items(config, list).iter().enumerate() {
            if let Some(name) = entry[field].as_str() {
                names.push(Named {
                    name: name.to_owned(),
                    origin,
                    place: place::member(&place::item(list, index), field),
                });
            }
        }
    }
    for (index, binding) in items(config, "mcpBindings").iter().enumerate() {
        let namespace = binding["namespace"].as_str().unwrap_or_default();
        let toolset = binding["toolsetVersionId"].as_str().and_then(|id| catalogue.toolsets.get(id));
        for tool in toolset.iter().flat_map(|toolset| &toolset.tools) {
            let name = crate::mcp::mounted_name(namespace, &tool.name);
            names.push(Named { name, origin: Origin::Mounted, place: place::item("mcpBindings", index) });
        }
    }
    names
}

/// A list of the configuration, empty when it is not there.
pub fn items<'a>(config: &'a Map<String, Value>, name: &str) -> &'a [Value] {
    config.get(name).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}
