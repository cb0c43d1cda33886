//! Arguments of a call as scripts write them.

use serde_json::Value;

/// Arguments that are given as a text: as a value when that is written in the same way, else as the text.
pub(crate) fn written(text: &str) -> (Option<Value>, Option<String>) {
    let value = serde_json::from_str::<Value>(text).ok().filter(Value::is_object);
    let written = value.as_ref().map(Value::to_string);
    if written.is_some_and(|written| written == text) { (value, None) } else { (None, Some(text.to_owned())) }
}
