//! The canonical form: what is stored, and what is hashed.

use serde_json::{Map, Number, Value, json};
use sha2::{Digest, Sha256};

/// The value with every number in its shortest form: `120000.0` is `120000`.
pub fn numbers(value: &Value) -> Value {
    match value {
        Value::Number(number) => Value::Number(shortest(number)),
        Value::Array(items) => items.iter().map(numbers).collect(),
        Value::Object(members) => {
            members.iter().map(|(name, member)| (name.clone(), numbers(member))).collect()
        }
        other => other.clone(),
    }
}

fn shortest(number: &Number) -> Number {
    match number.as_f64() {
        Some(double) if number.is_f64() && double.fract() == 0.0 && double.abs() < 9.0e15 => {
            Number::from(double as i64)
        }
        _ => number.clone(),
    }
}

/// A result schema in canonical form: `required` sorted at every node, and the defaults `properties`,
/// `required` and `additionalProperties` written out at the root.
pub fn schema(schema: &Value) -> Value {
    let mut canonical = numbers(&node(schema));
    if let Value::Object(root) = &mut canonical {
        for (name, default) in
            [("properties", json!({})), ("required", json!([])), ("additionalProperties", json!(true))]
        {
            root.entry(name).or_insert(default);
        }
    }
    canonical
}

fn node(schema: &Value) -> Value {
    let Value::Object(members) = schema else { return schema.clone() };
    let canonical: Map<String, Value> = members
        .iter()
        .map(|(name, member)| {
            let member = match (name.as_str(), member) {
                ("required", Value::Array(names)) => {
                    let mut names = names.clone();
                    names.sort_by(|one, other| one.as_str().cmp(&other.as_str()));
                    Value::Array(names)
                }
                ("properties", Value::Object(properties)) => {
                    properties.iter().map(|(name, schema)| (name.clone(), node(schema))).collect()
                }
                ("items" | "additionalProperties", schema) => node(schema),
                (_, other) => other.clone(),
            };
            (name.clone(), member)
        })
        .collect();
    Value::Object(canonical)
}

/// SHA-256 over compact JSON with sorted keys, in lower-case hex. It does not depend on the order in which
/// members were sent.
pub fn content_hash(value: &Value) -> String {
    let mut text = String::new();
    write_sorted(value, &mut text);
    Sha256::digest(text.as_bytes()).iter().map(|byte| format!("{byte:02x}")).collect()
}

fn write_sorted(value: &Value, text: &mut String) {
    match value {
        Value::Array(items) => {
            text.push('[');
            for (at, item) in items.iter().enumerate() {
                if at > 0 {
                    text.push(',');
                }
                write_sorted(item, text);
            }
            text.push(']');
        }
        Value::Object(members) => {
            let mut sorted: Vec<_> = members.iter().collect();
            sorted.sort_by_key(|(name, _)| *name);
            text.push('{');
            for (at, (name, member)) in sorted.into_iter().enumerate() {
                if at > 0 {
                    text.push(',');
                }
                text.push_str(&Value::from(name.as_str()).to_string());
                text.push(':');
                write_sorted(member, text);
            }
            text.push('}');
        }
        primitive => text.push_str(&primitive.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_schema_is_put_in_order_and_completed_at_the_root_only() {
        let given = json!({
            "type": "object",
            "required": ["b", "a"],
            "properties": {
                "b": {"type": "object", "properties": {"y": {"type": "null"}, "x": {"type": "null"}}, "required": ["y", "x"]},
                "a": {"type": "array", "items": {"type": "integer", "minimum": 1.0}},
            },
        });
        let expected = json!({
            "type": "object",
            "additionalProperties": true,
            "required": ["a", "b"],
            "properties": {
                "a": {"type": "array", "items": {"type": "integer", "minimum": 1}},
                "b": {"type": "object", "properties": {"x": {"type": "null"}, "y": {"type": "null"}}, "required": ["x", "y"]},
            },
        });
        assert_eq!(schema(&given), expected);
        assert_eq!(
            schema(&json!({"type": "object"})),
            json!({"type": "object", "properties": {}, "required": [], "additionalProperties": true})
        );
    }

    #[test]
    fn a_property_called_like_a_keyword_is_data() {
        let given = json!({"type": "object", "properties": {"required": {"enum": ["b", "a"]}}});
        assert_eq!(schema(&given)["properties"]["required"]["enum"], json!(["b", "a"]));
    }

    #[test]
    fn the_hash_knows_content_and_not_order() {
        let one: Value = serde_json::from_str(r#"{"a":1,"b":{"d":[1,2],"c":"x"}}"#).unwrap();
        let other: Value = serde_json::from_str(r#"{"b":{"c":"x","d":[1,2]},"a":1}"#).unwrap();
        assert_eq!(content_hash(&one), content_hash(&other));
        assert_ne!(content_hash(&one), content_hash(&json!({"a": 1, "b": {"c": "x", "d": [2, 1]}})));
        assert_eq!(content_hash(&one).len(), 64);
    }
}
