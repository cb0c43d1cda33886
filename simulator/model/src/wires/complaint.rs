//! What both OpenAI wires say about a request that they refuse.

use serde_json::Value;

use crate::rejection::Rejection;

/// Something that has to be there is not.
pub(super) fn missing(param: &str) -> Rejection {
    Rejection::invalid(param, Some("missing_required_parameter"), format!("`{param}` is required"))
}

/// Something is of another type than it must be.
pub(super) fn wrong_type(param: &str, wanted: &str, given: &Value) -> Rejection {
    let given = match given {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "an array",
        Value::Object(_) => "an object",
    };
    Rejection::invalid(param, Some("invalid_type"), format!("`{param}` is {given} and must be {wanted}"))
}

/// Something is none of the words that may stand there.
pub(super) fn wrong_word(param: &str, given: &str, wanted: &[&str]) -> Rejection {
    let message = format!("`{param}` is `{given}` and must be one of {}", wanted.join(", "));
    Rejection::invalid(param, Some("invalid_value"), message)
}
