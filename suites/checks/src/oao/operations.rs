//! Definitions of operations, as the checks send them.

use serde_json::{Map, Value, json};

/// A small valid definition with this key. It is well inside every limit.
pub(crate) fn operation(key: &str) -> Value {
    json!({
        "key": key,
        "description": "Add up the lines of one invoice in the workspace.",
        "instructions": "Open the invoice that the task names, add up its lines and report the sum.",
        "resultSchema": {
            "type": "object",
            "properties": {"total": {"type": "integer"}, "remark": {"type": "string"}},
            "required": ["total"],
            "additionalProperties": false,
        },
        "timeoutMs": 60_000,
    })
}

/// The same definition with another value for `field`.
pub(crate) fn with(field: &str, value: impl Into<Value>) -> Value {
    let mut definition = operation("total");
    definition[field] = value.into();
    definition
}

/// The same definition without `field`.
pub(crate) fn without(field: &str) -> Value {
    let mut definition = operation("total");
    if let Value::Object(members) = &mut definition {
        members.remove(field);
    }
    definition
}

/// The pair of operations that the documents show.
pub(crate) fn documented() -> Vec<Value> {
    let text = include_str!("../../../../fixtures/oao/documents/shipment-operations.json");
    let document: Map<String, Value> = serde_json::from_str(text).unwrap_or_default();
    document.get("harnessOperations").and_then(Value::as_array).cloned().unwrap_or_default()
}

/// The definitions under their keys, in the order of the keys: the order of a list is not promised.
pub(crate) fn by_key(operations: &[Value]) -> Vec<(&str, &Value)> {
    let mut pairs: Vec<(&str, &Value)> = operations.iter().map(|each| (key_of(each), each)).collect();
    pairs.sort_by_key(|(key, _)| *key);
    pairs
}

/// The key of a definition; empty where it has none.
pub(crate) fn key_of(operation: &Value) -> &str {
    operation.get("key").and_then(Value::as_str).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_documented_pair_is_there() {
        let documented = documented();
        let keys: Vec<&str> = documented.iter().map(key_of).collect();
        assert_eq!(keys, ["extract_shipment", "verify_shipment"]);
        for operation in &documented {
            let fields: Vec<&String> = operation.as_object().unwrap().keys().collect();
            assert_eq!(fields, ["description", "instructions", "key", "resultSchema", "timeoutMs"]);
        }
    }
}
