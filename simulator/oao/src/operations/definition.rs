//! An operation, as it was published.

use serde_json::{Value, json};

/// One operation of a version.
#[derive(Clone, Debug, PartialEq)]
pub struct Operation {
    /// The name of its tool.
    pub key: String,
    /// What the parent is told about it.
    pub description: String,
    /// What the scratch loop is told to do. Private.
    pub instructions: String,
    /// What it has to return.
    pub result_schema: Value,
    /// How long a call may take, in milliseconds.
    pub timeout_ms: u64,
    /// The definition as it is stored.
    pub stored: Value,
}

impl Operation {
    /// Reads a stored definition.
    pub fn read(stored: &Value) -> Self {
        let text = |name: &str| stored[name].as_str().unwrap_or_default().to_owned();
        Self {
            key: text("key"),
            description: text("description"),
            instructions: text("instructions"),
            result_schema: stored.get("resultSchema").cloned().unwrap_or_else(|| json!({"type": "object"})),
            timeout_ms: stored["timeoutMs"].as_u64().unwrap_or_default(),
            stored: stored.clone(),
        }
    }
}
