//! Fields at the top of a request: what each must be, and how small or large its number may be.

use serde_json::{Map, Value};

use super::complaint::wrong_type;
use crate::rejection::Rejection;

/// The name of a field, and the least and the most that its number may be.
pub(super) type Range = (&'static str, f64, f64);

/// What a field must be when it is there and not null.
#[derive(Clone, Copy, Debug)]
pub(super) enum Kind {
    Text,
    Flag,
    Number,
    Whole,
    List,
    Object,
    TextOrList,
    TextOrObject,
}

impl Kind {
    pub(super) fn takes(self, value: &Value) -> bool {
        match self {
            Self::Text => value.is_string(),
            Self::Flag => value.is_boolean(),
            Self::Number => value.is_number(),
            Self::Whole => value.is_u64() || value.is_i64(),
            Self::List => value.is_array(),
            Self::Object => value.is_object(),
            Self::TextOrList => value.is_string() || value.is_array(),
            Self::TextOrObject => value.is_string() || value.is_object(),
        }
    }

    pub(super) fn word(self) -> &'static str {
        match self {
            Self::Text => "a string",
            Self::Flag => "a boolean",
            Self::Number => "a number",
            Self::Whole => "an integer",
            Self::List => "an array",
            Self::Object => "an object",
            Self::TextOrList => "a string or an array",
            Self::TextOrObject => "a string or an object",
        }
    }
}

/// Whether the word `json` stands somewhere in a value, whatever its case.
pub(super) fn speaks_of_json(value: &Value) -> bool {
    let has_word = |text: &str| text.as_bytes().windows(4).any(|word| word.eq_ignore_ascii_case(b"json"));
    match value {
        Value::String(text) => has_word(text),
        Value::Array(items) => items.iter().any(speaks_of_json),
        Value::Object(fields) => fields.values().any(speaks_of_json),
        _ => false,
    }
}

/// Whether there is nothing to say of a field.
fn is_right(name: &str, value: &Value, kinds: &[(&str, Kind)], ranges: &[Range]) -> bool {
    let kind = kinds.iter().find(|(known, _)| *known == name);
    let right = kind.is_none_or(|(_, kind)| value.is_null() || kind.takes(value));
    right
        && value.as_f64().is_none_or(|number| {
            let range = ranges.iter().find(|(known, _, _)| *known == name);
            range.is_none_or(|(_, least, most)| *least <= number && number <= *most)
        })
}

/// Complains about fields of the wrong type, and about numbers that are too small or too large.
pub(super) fn judge(
    fields: &Map<String, Value>,
    kinds: &[(&str, Kind)],
    ranges: &[Range],
    complaints: &mut Vec<Rejection>,
) {
    // A request has few of the fields that there are, and hardly ever one that is wrong.
    if fields.iter().all(|(name, value)| is_right(name, value, kinds, ranges)) {
        return;
    }
    for (name, kind) in kinds {
        if let Some(value) = fields.get(*name).filter(|value| !value.is_null() && !kind.takes(value)) {
            complaints.push(wrong_type(name, kind.word(), value));
        }
    }
    for (name, least, most) in ranges {
        let Some(number) = fields.get(*name).and_then(Value::as_f64) else { continue };
        let whole = kinds.iter().any(|(found, kind)| found == name && matches!(kind, Kind::Whole));
        let (code, wanted) = match whole {
            true if number < *least => ("integer_below_min_value", format!("at least {least}")),
            true if number > *most => ("integer_above_max_value", format!("at most {most}")),
            false if number < *least => ("decimal_below_min_value", format!("at least {least}")),
            false if number > *most => ("decimal_above_max_value", format!("at most {most}")),
            _ => continue,
        };
        let message = format!("`{name}` is {number} and must be {wanted}");
        complaints.push(Rejection::invalid(*name, Some(code), message));
    }
}
