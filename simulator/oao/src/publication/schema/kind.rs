//! The types of the subset.

use serde_json::Value;

/// A type that a node may declare.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// `string`
    String,
    /// `number`
    Number,
    /// `integer`
    Integer,
    /// `boolean`
    Boolean,
    /// `null`
    Null,
    /// `array`
    Array,
    /// `object`
    Object,
}

impl Kind {
    /// The type of this name.
    pub fn named(name: &str) -> Option<Self> {
        Some(match name {
            "string" => Self::String,
            "number" => Self::Number,
            "integer" => Self::Integer,
            "boolean" => Self::Boolean,
            "null" => Self::Null,
            "array" => Self::Array,
            "object" => Self::Object,
            _ => return None,
        })
    }

    /// Its name in a schema.
    pub fn name(self) -> &'static str {
        match self {
            Self::String => "string",
            Self::Number => "number",
            Self::Integer => "integer",
            Self::Boolean => "boolean",
            Self::Null => "null",
            Self::Array => "array",
            Self::Object => "object",
        }
    }

    /// Whether a value is of this type.
    pub fn fits(self, value: &Value) -> bool {
        match self {
            Self::String => value.is_string(),
            Self::Number => value.is_number(),
            Self::Integer => safe_integer(value).is_some(),
            Self::Boolean => value.is_boolean(),
            Self::Null => value.is_null(),
            Self::Array => value.is_array(),
            Self::Object => value.is_object(),
        }
    }
}

/// A declared type, with or without `null` beside it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Declared {
    /// The type.
    pub kind: Kind,
    /// Whether `null` is allowed too.
    pub nullable: bool,
}

impl Declared {
    /// Whether a value is of the declared type.
    pub fn fits(self, value: &Value) -> bool {
        self.kind.fits(value) || (self.nullable && value.is_null())
    }
}

/// The largest integer that a double holds exactly together with its neighbours.
const SAFE_INTEGER_MAX: f64 = 9_007_199_254_740_991.0;

/// The value as a safe integer: `3` and `3.0`, but neither `3.5` nor `1e300`.
pub fn safe_integer(value: &Value) -> Option<i64> {
    if let Some(integer) = value.as_i64() {
        return (integer.unsigned_abs() <= SAFE_INTEGER_MAX as u64).then_some(integer);
    }
    let number = value.as_f64()?;
    (number.fract() == 0.0 && number.abs() <= SAFE_INTEGER_MAX).then_some(number as i64)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn integers_are_safe_integers_however_they_are_written() {
        for (value, expected) in [
            (json!(3), Some(3)),
            (json!(3.0), Some(3)),
            (json!(-0.0), Some(0)),
            (json!(3.5), None),
            (json!(9_007_199_254_740_991_i64), Some(9_007_199_254_740_991)),
            (json!(9_007_199_254_740_992_i64), None),
            (json!(u64::MAX), None),
            (json!(1e300), None),
            (json!("3"), None),
            (json!(true), None),
        ] {
            assert_eq!(safe_integer(&value), expected, "{value}");
        }
    }

    #[test]
    fn names_go_both_ways() {
        for name in ["string", "number", "integer", "boolean", "null", "array", "object"] {
            assert_eq!(Kind::named(name).map(Kind::name), Some(name));
        }
        assert_eq!(Kind::named("String"), None);
    }
}
