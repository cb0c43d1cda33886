//! The envelope of a tool's result, version 1.

use serde_json::{Value, json};

use crate::{errors::Refusal, limits::ToolCallLimits, publication::reader::Reader};

/// The result of a tool.
#[derive(Clone, Debug, PartialEq)]
pub enum Envelope {
    /// It worked.
    Success(Value),
    /// It did not.
    Failure {
        /// One of the codes of the contract.
        code: String,
        /// What happened, for the model.
        message: String,
    },
}

impl Envelope {
    /// A failure.
    pub fn failure(code: &str, message: impl Into<String>) -> Self {
        Self::Failure { code: code.to_owned(), message: message.into() }
    }

    /// Reads what a caller sent at `safeResult`.
    pub(super) fn read(value: &Value, limits: &ToolCallLimits) -> Result<Self, Refusal> {
        let at = "safeResult";
        let reader = Reader::of(value, at)?;
        if reader.need("version")? != &json!(1) {
            return Err(reader.refuse("version", "only version 1 is known"));
        }
        if reader.one_of("status", &["success", "failure"])? == "success" {
            reader.only(&["version", "status", "value"])?;
            let value = reader.need("value")?;
            return match value.is_object() {
                true => Ok(Self::Success(value.clone())),
                false => Err(reader.refuse("value", "an object is needed")),
            };
        }
        reader.only(&["version", "status", "error"])?;
        let place = reader.place("error");
        let error = Reader::of(reader.need("error")?, &place)?;
        error.only(&["code", "message"])?;
        let codes: Vec<&str> = limits.failure_codes.iter().map(String::as_str).collect();
        let code = error.one_of("code", &codes)?.to_owned();
        Ok(Self::Failure { code, message: error.text("message", limits.message_units)?.to_owned() })
    }

    /// The envelope on the wire, which is also what the model is told.
    pub fn to_json(&self) -> Value {
        match self {
            Self::Success(value) => json!({"version": 1, "status": "success", "value": value}),
            Self::Failure { code, message } => {
                json!({"version": 1, "status": "failure", "error": {"code": code, "message": message}})
            }
        }
    }

    /// Whether it is a failure.
    pub fn is_failure(&self) -> bool {
        matches!(self, Self::Failure { .. })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::limits::Limits;

    #[test]
    fn what_is_read_is_what_was_written_and_nothing_else_is_read() {
        let limits = Limits::default().tool_calls;
        for envelope in [
            Envelope::Success(json!({"a": 1})),
            Envelope::failure("tool_failed", "no"),
            Envelope::failure("tool_expired", "m".repeat(500)),
        ] {
            assert_eq!(Envelope::read(&envelope.to_json(), &limits), Ok(envelope));
        }
        for bad in [
            json!(null),
            json!([]),
            json!({"version": 2, "status": "success", "value": {}}),
            json!({"version": 1, "status": "success"}),
            json!({"version": 1, "status": "success", "value": 7}),
            json!({"version": 1, "status": "done", "value": {}}),
            json!({"version": 1, "status": "success", "value": {}, "error": {}}),
            json!({"version": 1, "status": "failure", "error": {"code": "mine", "message": "m"}}),
            json!({"version": 1, "status": "failure", "error": {"code": "tool_failed", "message": ""}}),
            json!({"version": 1, "status": "failure", "error": {"code": "tool_failed"}}),
        ] {
            assert!(Envelope::read(&bad, &limits).is_err(), "{bad}");
        }
    }
}
