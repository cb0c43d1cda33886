//! Coercion of primitives, which happens before validation.

use serde_json::{Number, Value};

use crate::publication::schema::{Declared, Kind};

/// The value as the declared type wants it, when a primitive can be turned into it: `"4"` into 4, 12 into `"12"`,
/// `null` into the empty value. Whatever fits already, and whatever cannot be turned, stays as it is.
pub fn coerce(declared: Declared, value: &Value) -> Value {
    if declared.fits(value) {
        return value.clone();
    }
    let coerced = match declared.kind {
        Kind::String => to_text(value),
        Kind::Number => to_number(value),
        Kind::Integer => to_number(value).filter(|number| Kind::Integer.fits(number)),
        Kind::Boolean => to_boolean(value),
        Kind::Null => to_null(value),
        Kind::Array | Kind::Object => None,
    };
    coerced.unwrap_or_else(|| value.clone())
}

fn to_text(value: &Value) -> Option<Value> {
    match value {
        Value::Null => Some(Value::from("")),
        Value::Bool(truth) => Some(Value::from(truth.to_string())),
        Value::Number(number) => Some(Value::from(number.to_string())),
        _ => None,
    }
}

fn to_number(value: &Value) -> Option<Value> {
    match value {
        Value::Null => Some(Value::from(0)),
        Value::Bool(truth) => Some(Value::from(i64::from(*truth))),
        Value::String(text) => {
            let plain = text.trim();
            let number: Number = serde_json::from_str(plain).ok()?;
            Some(crate::publication::canonical::numbers(&Value::Number(number)))
        }
        _ => None,
    }
}

fn to_boolean(value: &Value) -> Option<Value> {
    let truth = match value {
        Value::Null => false,
        Value::String(text) if text == "true" => true,
        Value::String(text) if text == "false" => false,
        Value::Number(number) if number.as_f64() == Some(1.0) => true,
        Value::Number(number) if number.as_f64() == Some(0.0) => false,
        _ => return None,
    };
    Some(Value::from(truth))
}

fn to_null(value: &Value) -> Option<Value> {
    let empty = match value {
        Value::String(text) => text.is_empty(),
        Value::Bool(truth) => !truth,
        Value::Number(number) => number.as_f64() == Some(0.0),
        _ => false,
    };
    empty.then_some(Value::Null)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn primitives_are_turned_and_everything_else_stays() {
        let to = |kind, value: Value| coerce(Declared { kind, nullable: false }, &value);
        for (kind, given, expected) in [
            (Kind::Integer, json!("4"), json!(4)),
            (Kind::String, json!(12), json!("12")),
            (Kind::Boolean, json!("true"), json!(true)),
            (Kind::Integer, json!(null), json!(0)),
            (Kind::String, json!(null), json!("")),
            (Kind::Boolean, json!(null), json!(false)),
            (Kind::Number, json!("1.5"), json!(1.5)),
            (Kind::Integer, json!("1.5"), json!("1.5")),
            (Kind::Number, json!("x"), json!("x")),
            (Kind::Number, json!(""), json!("")),
            (Kind::Integer, json!(true), json!(1)),
            (Kind::Null, json!(""), json!(null)),
            (Kind::Null, json!("x"), json!("x")),
            (Kind::String, json!([1]), json!([1])),
            (Kind::Array, json!("x"), json!("x")),
            (Kind::Object, json!(null), json!(null)),
            (Kind::Boolean, json!(2), json!(2)),
            (Kind::Integer, json!(3.0), json!(3.0)),
        ] {
            assert_eq!(to(kind, given.clone()), expected, "{kind:?} {given}");
        }
        assert_eq!(coerce(Declared { kind: Kind::Integer, nullable: true }, &json!(null)), json!(null));
        assert_eq!(coerce(Declared { kind: Kind::Integer, nullable: true }, &json!("7")), json!(7));
    }
}
