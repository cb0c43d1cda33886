//! What an operation is made of.

use serde_json::Value;

use super::{
    names::Names,
    reader::Reader,
    schema::{Subset, safe_integer},
    sensitive::Sensitive,
};
use crate::{
    errors::Refusal,
    limits::{Limits, Range, utf16_units},
};

/// A rule for a text.
#[derive(Clone, Copy, Debug)]
pub struct TextRule {
    /// How long it may be.
    pub range: Range,
    /// How its length is measured.
    pub units: fn(&str) -> u64,
}

/// A rule for a number.
#[derive(Clone, Copy, Debug)]
pub struct NumberRule {
    /// Which values are allowed.
    pub range: Range,
    /// Reads the number; `None` for what is none.
    pub read: fn(&Value) -> Option<u64>,
}

/// The rules for definitions. The default is the contract's.
#[derive(Clone, Debug)]
pub struct Definition {
    /// The fields that a definition may have.
    pub fields: Vec<String>,
    /// The fields that it has to have.
    pub required: Vec<String>,
    /// How many operations a version may have.
    pub count: Range,
    /// The length of a key.
    pub key: TextRule,
    /// The form of a key, from its first to its last character.
    pub key_form: fn(&str) -> bool,
    /// The description.
    pub description: TextRule,
    /// The instructions.
    pub instructions: TextRule,
    /// The timeout in milliseconds.
    pub timeout_ms: NumberRule,
    /// What `resultSchema` may say.
    pub result_schema: Subset,
    /// What the schemas of tools may say: the same.
    pub tool_schema: Subset,
    /// Names that are taken.
    pub names: Names,
    /// Names that hint at secrets.
    pub sensitive: Sensitive,
}

impl Default for Definition {
    fn default() -> Self {
        let limits = Limits::default().operation;
        let text = |range| TextRule { range, units: utf16_units };
        Self {
            fields: limits.fields.clone(),
            required: limits.fields,
            count: Range { min: 0, max: limits.count_max },
            key: text(limits.key_units),
            key_form: is_key,
            description: text(limits.description_units),
            instructions: text(limits.instructions_units),
            timeout_ms: NumberRule { range: limits.timeout_ms, read: whole_number },
            result_schema: Subset::default(),
            tool_schema: Subset::default(),
            names: Names::default(),
            sensitive: Sensitive::default(),
        }
    }
}

impl Definition {
    /// Checks one operation, which stands at `at`, apart from its schema and its name's uniqueness.
    pub fn check(&self, operation: &Value, at: &str) -> Result<(), Refusal> {
        let reader = Reader::of(operation, at)?;
        let fields: Vec<&str> = self.fields.iter().map(String::as_str).collect();
        reader.only(&fields)?;
        for field in &self.required {
            reader.need(field)?;
        }
        let present = |name: &str| reader.get(name).is_some();
        if present("key") {
            let key = reader.text_by("key", self.key.range, self.key.units)?;
            if !(self.key_form)(key) {
                return Err(reader
                    .refuse("key", "lower-case letters, digits, `_` and `-` are needed, a letter first"));
            }
        }
        for (name, rule) in [("description", self.description), ("instructions", self.instructions)] {
            if present(name) {
                reader.text_by(name, rule.range, rule.units)?;
            }
        }
        if let Some(value) = reader.get("timeoutMs") {
            let rule = self.timeout_ms;
            if !(rule.read)(value).is_some_and(|ms| rule.range.holds(ms)) {
                let problem =
                    format!("a whole number from {} to {} is needed", rule.range.min, rule.range.max);
                return Err(reader.refuse("timeoutMs", &problem));
            }
        }
        Ok(())
    }
}

/// `^[a-z][a-z0-9_-]*$`, where the end is the end: no line feed may follow.
fn is_key(key: &str) -> bool {
    let mut bytes = key.bytes();
    bytes.next().is_some_and(|byte| byte.is_ascii_lowercase())
        && bytes.all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || matches!(byte, b'_' | b'-'))
}

fn whole_number(value: &Value) -> Option<u64> {
    safe_integer(value).and_then(|number| u64::try_from(number).ok())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn operation(field: &str, value: Value) -> Value {
        let mut operation = json!({
            "key": "a", "description": "d", "instructions": "i", "resultSchema": {"type": "object"}, "timeoutMs": 1000,
        });
        operation[field] = value;
        operation
    }

    fn verdict(operation: &Value) -> bool {
        Definition::default().check(operation, "harnessOperations[0]").is_ok()
    }

    #[test]
    fn keys() {
        let long = "a".repeat(64);
        for key in ["a", "a-", "a_", "a--b", "a__b", "a9", "a-b_9", long.as_str()] {
            assert!(verdict(&operation("key", json!(key))), "{key:?}");
        }
        let too_long = "a".repeat(65);
        for key in ["", "A", "1a", "_a", "-a", "a.b", "a b", "é", "aé", "a\n", "\na", " a", too_long.as_str()]
        {
            assert!(!verdict(&operation("key", json!(key))), "{key:?}");
        }
    }

    #[test]
    fn texts_count_utf16_units_and_are_not_trimmed() {
        for (field, most) in [("description", 2000), ("instructions", 100_000)] {
            for text in [" ".to_owned(), "é".repeat(most), "😀".repeat(most / 2)] {
                assert!(verdict(&operation(field, json!(text))), "{field} of {} bytes", text.len());
            }
            for text in [String::new(), "x".repeat(most + 1), "😀".repeat(most / 2 + 1)] {
                assert!(!verdict(&operation(field, json!(text))), "{field} of {} bytes", text.len());
            }
        }
    }

    #[test]
    fn timeouts() {
        for value in [json!(1000), json!(300_000), json!(120_000.0)] {
            assert!(verdict(&operation("timeoutMs", value.clone())), "{value}");
        }
        for value in
            [json!(999), json!(300_001), json!(1500.5), json!("5000"), json!(null), json!(-1000), json!([])]
        {
            assert!(!verdict(&operation("timeoutMs", value.clone())), "{value}");
        }
    }

    #[test]
    fn exactly_the_five_fields() {
        for field in ["model", "skillVersionIds", "inputSchema", "sandbox", "enabled", "result_schema"] {
            assert!(!verdict(&operation(field, json!("x"))), "{field}");
        }
        for field in ["key", "description", "instructions", "resultSchema", "timeoutMs"] {
            let mut operation = operation("key", json!("a"));
            operation.as_object_mut().unwrap().remove(field);
            let why = Definition::default().check(&operation, "harnessOperations[0]").unwrap_err();
            assert_eq!(why.message, format!("harnessOperations[0].{field}: is missing"));
        }
        assert!(!verdict(&json!("a")) && !verdict(&json!(null)));
    }
}
