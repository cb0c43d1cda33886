//! The bodies of a session start and of a message.

use serde_json::{Map, Value};

use crate::{Refusal, agents::Fields, approvals::Decision};

/// The limits of the bodies.
#[derive(Clone, Debug)]
pub struct SessionRules {
    /// Longest title, in characters.
    pub title_chars_max: usize,
    /// Largest schema of a typed answer, as compact JSON, in bytes.
    pub schema_bytes_max: usize,
    /// Longest message, in characters.
    pub content_chars_max: usize,
}

impl Default for SessionRules {
    fn default() -> Self {
        Self { title_chars_max: 256, schema_bytes_max: 64 * 1024, content_chars_max: 100_000 }
    }
}

/// The body of `POST /v1/sessions` (open points U09, U11).
#[derive(Clone, Debug, PartialEq)]
pub struct Start {
    /// `agent_…`
    pub agent: String,
    /// A title for display.
    pub title: Option<String>,
    /// The JSON Schema of a typed answer. Without one any JSON value will do.
    pub structured_output_schema: Option<Value>,
    /// Whether a turn without a typed answer has failed. `false` when absent: a schema alone is an offer.
    pub structured_output_required: bool,
}

impl Start {
    /// Reads the body; only its shape is judged here.
    pub fn read(rules: &SessionRules, members: &Map<String, Value>) -> Result<Self, Refusal> {
        let mut fields = Fields::new(members, "");
        let start = Self {
            agent: fields.required_text("agent", 1..=256),
            title: fields.text("title", 0..=rules.title_chars_max),
            structured_output_schema: fields.object("structured_output_schema").cloned().map(Value::Object),
            structured_output_required: fields.flag("structured_output_required").unwrap_or(false),
        };
        let schema_bytes =
            start.structured_output_schema.as_ref().map_or(0, |schema| schema.to_string().len());
        if schema_bytes > rules.schema_bytes_max {
            fields.fault(
                "structured_output_schema",
                format!("is larger than {} bytes", rules.schema_bytes_max),
            );
        }
        let faults = fields.finish();
        if faults.is_empty() { Ok(start) } else { Err(Refusal::faults(&faults)) }
    }
}

/// The body of `POST /v1/sessions/{id}/tool_confirmations` (open point U16).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Confirmation {
    /// `call_…`
    pub tool_call_id: String,
    /// What is decided.
    pub decision: Decision,
    /// What the model is told of a denial.
    pub message: Option<String>,
}

impl Confirmation {
    /// Reads the body.
    pub fn read(rules: &SessionRules, members: &Map<String, Value>) -> Result<Self, Refusal> {
        let mut fields = Fields::new(members, "");
        let tool_call_id = fields.required_text("tool_call_id", 1..=256);
        let decision = match fields.required_text("decision", 1..=16).as_str() {
            "allow" => Some(Decision::Allow),
            "deny" => Some(Decision::Deny),
            "" => None,
            other => {
                fields.fault("decision", format!("is `{other}`, neither `allow` nor `deny`"));
                None
            }
        };
        let message = fields.text("message", 0..=rules.content_chars_max);
        let faults = fields.finish();
        match decision {
            Some(decision) if faults.is_empty() => Ok(Self { tool_call_id, decision, message }),
            _ => Err(Refusal::faults(&faults)),
        }
    }
}

/// The body of `POST /v1/sessions/{id}/messages`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message {
    /// What is said.
    pub content: String,
}

impl Message {
    /// Reads the body.
    pub fn read(rules: &SessionRules, members: &Map<String, Value>) -> Result<Self, Refusal> {
        let mut fields = Fields::new(members, "");
        let message = Self { content: fields.required_text("content", 1..=rules.content_chars_max) };
        let faults = fields.finish();
        if faults.is_empty() { Ok(message) } else { Err(Refusal::faults(&faults)) }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn each_fault_of_a_start_names_its_member() {
        let rules = SessionRules::default();
        let cases = [
            (json!({}), "agent"),
            (json!({"agent": 1}), "agent"),
            (json!({"agent": "a", "title": []}), "title"),
            (json!({"agent": "a", "structured_output_schema": "x"}), "structured_output_schema"),
            (
                json!({"agent": "a", "structured_output_schema": {"description": "x".repeat(65_536)}}),
                "structured_output_schema",
            ),
            (json!({"agent": "a", "structured_output_required": "true"}), "structured_output_required"),
            (json!({"agent": "a", "tools": {}}), "tools"),
        ];
        for (body, param) in cases {
            let refusal = Start::read(&rules, body.as_object().unwrap()).unwrap_err();
            assert_eq!((refusal.status, refusal.param.as_deref()), (400, Some(param)));
        }
    }

    #[test]
    fn a_message_says_something() {
        let rules = SessionRules::default();
        for body in [json!({}), json!({"content": ""}), json!({"content": ["x"]}), json!({"content": null})] {
            let refusal = Message::read(&rules, body.as_object().unwrap()).unwrap_err();
            assert_eq!(refusal.param.as_deref(), Some("content"), "{body}");
        }
    }
}
