//! One form for all schemas that say the same.
//!
//! What is stored may differ from what was sent: defaults are written out, names are sorted. None of
//! that changes what a schema says, so schemas are compared in a form in which it is gone.

use serde_json::{Map, Number, Value, json};

/// A schema in the form in which two of them are compared: defaults left out, lists that are sets in
/// order, numbers in their shortest form.
pub(crate) fn schema(schema: &Value) -> Value {
    let Value::Object(members) = schema else { return schema.clone() };
    let members: Map<String, Value> = members
        .iter()
        .filter(|(name, member)| !is_default(name, member))
        .map(|(name, member)| (name.clone(), keyword(name, member)))
        .collect();
    Value::Object(members)
}

fn is_default(name: &str, member: &Value) -> bool {
    match name {
        "properties" => *member == json!({}),
        "required" => *member == json!([]),
        "additionalProperties" => *member == json!(true),
        _ => false,
    }
}

fn keyword(name: &str, member: &Value) -> Value {
    match (name, member) {
        ("properties", Value::Object(properties)) => {
            properties.iter().map(|(name, property)| (name.clone(), schema(property))).collect()
        }
        ("items" | "additionalProperties", node) => schema(node),
        ("required" | "enum" | "type", Value::Array(items)) => {
            let mut items: Vec<Value> = items.iter().map(numbers).collect();
            items.sort_by_key(Value::to_string);
            Value::Array(items)
        }
        (_, other) => numbers(other),
    }
}

/// A value with every number in its shortest form, so that `1.0` is `1`.
pub(crate) fn numbers(value: &Value) -> Value {
    match value {
        Value::Number(number) => Value::Number(shortest(number)),
        Value::Array(items) => items.iter().map(numbers).collect(),
        Value::Object(members) => {
            members.iter().map(|(name, member)| (name.clone(), numbers(member))).collect()
        }
        other => other.clone(),
    }
}

/// Beyond this a double no longer holds every whole number.
const WHOLE_MAX: f64 = 9_007_199_254_740_992.0;

fn shortest(number: &Number) -> Number {
    match number.as_f64() {
        Some(double) if number.is_f64() && double.fract() == 0.0 && double.abs() <= WHOLE_MAX => {
            Number::from(double as i64)
        }
        _ => number.clone(),
    }
}

/// A definition in the form in which two of them are compared: the five fields, the schema in its form.
pub(crate) fn definition(operation: &Value) -> Value {
    let field = |name: &str| match operation.get(name) {
        Some(value) if name == "resultSchema" => schema(value),
        Some(value) => numbers(value),
        None => Value::Null,
    };
    FIELDS.iter().map(|name| ((*name).to_owned(), field(name))).collect()
}

/// The fields of a definition.
const FIELDS: [&str; 5] = ["key", "description", "instructions", "resultSchema", "timeoutMs"];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_says_the_same_has_one_form() {
        let sent = json!({"type": "object", "properties": {
            "b": {"type": ["null", "string"], "maxLength": 3.0},
            "a": {"type": "object", "properties": {"y": {"enum": ["q", null, 2]}, "x": {"const": 1}}, "required": ["y", "x"]},
        }});
        let stored = json!({"type": "object", "required": [], "additionalProperties": true, "properties": {
            "a": {"type": "object", "properties": {"x": {"const": 1.0}, "y": {"enum": [2, "q", null]}}, "required": ["x", "y"]},
            "b": {"type": ["string", "null"], "maxLength": 3},
        }});
        assert_eq!(schema(&sent), schema(&stored));
        assert_eq!(schema(&json!({"type": "object", "properties": {}})), json!({"type": "object"}));
    }

    #[test]
    fn what_says_something_else_keeps_its_form() {
        let sent = json!({"type": "object", "properties": {"a": {"type": "string", "maxLength": 3}}, "required": ["a"]});
        for (pointer, value) in [
            ("/properties/a/maxLength", json!(4)),
            ("/properties/a/type", json!(["string", "null"])),
            ("/required", json!([])),
            ("/properties/a", json!({"type": "string"})),
        ] {
            let mut other = sent.clone();
            *other.pointer_mut(pointer).unwrap() = value;
            assert_ne!(schema(&sent), schema(&other), "{pointer}");
        }
        assert_ne!(schema(&json!({"additionalProperties": false})), schema(&json!({})));
        assert_ne!(schema(&json!({"items": {"type": "null"}})), schema(&json!({})));
    }

    #[test]
    fn names_of_properties_and_values_of_examples_are_data() {
        let data =
            json!({"properties": {"required": {"enum": ["a"]}}, "examples": [{"required": ["b", "a"]}]});
        assert_eq!(schema(&data), data);
        assert_ne!(
            schema(&json!({"properties": {"enum": {"type": "string"}}})),
            schema(&json!({"properties": {"enum": {"type": "null"}}}))
        );
    }
}
