//! The MCP toolset that a target offers for the suite.

use engine::Driver;
use recording::{Recording, View};
use serde_json::{Value, json};

/// `config` with the toolset bound under each of these namespaces.
pub(crate) fn bind(driver: &Driver<'_>, mut config: Value, namespaces: &[&str]) -> Value {
    let setting = |name: &str| driver.facts().text(name).unwrap_or_default();
    let bindings: Vec<Value> = namespaces
        .iter()
        .map(|namespace| {
            json!({
                "toolsetVersionId": setting("mcp_toolset"),
                "credentialPolicyVersionId": setting("mcp_credential_policy"),
                "namespace": namespace,
            })
        })
        .collect();
    config["mcpBindings"] = json!(bindings);
    driver.fact("mcp_tool", json!(setting("mcp_tool")));
    config
}

/// The name that the tool has when it is mounted under `namespace`.
pub(crate) fn name(recording: &Recording, namespace: &str) -> String {
    let tool = recording.fact("mcp_tool").ok().and_then(Value::as_str).unwrap_or_default();
    format!("mcp__{namespace}__{tool}")
}
