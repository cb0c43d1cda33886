//! How the service says no: faults of a body, and the refusals that carry them.

use serde_json::{Value, json};

use crate::http::Reply;

/// One thing that is wrong with a request body.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// Path of the member to change: `multiagent`, `tools.permission`, `mcp_servers[1].url`.
    pub param: String,
    /// What is wrong with it, a lower-case fragment.
    pub message: String,
}

impl Fault {
    /// A fault at `param`.
    pub fn at(param: impl Into<String>, message: impl Into<String>) -> Self {
        Self { param: param.into(), message: message.into() }
    }
}

/// A refusal, before it is written as an error envelope (open point U01).
#[derive(Clone, Debug, PartialEq)]
pub struct Refusal {
    /// HTTP status.
    pub status: u16,
    /// The member `error.type`.
    pub kind: &'static str,
    /// The member `error.code`.
    pub code: &'static str,
    /// The member `error.param`: the field that the refusal names.
    pub param: Option<String>,
    /// The member `error.message`.
    pub message: String,
    /// The member `error.details`; left out when it is `null`.
    pub details: Value,
}

impl Refusal {
    fn new(
        status: u16,
        kind: &'static str,
        code: &'static str,
        param: Option<&str>,
        message: impl Into<String>,
    ) -> Self {
        let param = param.map(str::to_owned);
        Self { status, kind, code, param, message: message.into(), details: Value::Null }
    }

    /// 400 `validation_failed` naming `param`.
    pub fn invalid(param: &str, message: impl Into<String>) -> Self {
        Self::new(400, "invalid_request_error", "validation_failed", Some(param), message)
    }

    /// 400 `validation_failed` for one or more faults. The first one is named in `param`, and all of them
    /// are in `details.faults` when there are several.
    pub fn faults(faults: &[Fault]) -> Self {
        let Some(first) = faults.first() else {
            return Self::malformed("the request cannot be taken as it is");
        };
        let mut refusal = Self::invalid(&first.param, format!("`{}` {}", first.param, first.message));
        if faults.len() > 1 {
            let all: Vec<Value> =
                faults.iter().map(|fault| json!({"param": fault.param, "message": fault.message})).collect();
            refusal.details = json!({ "faults": all });
        }
        refusal
    }

    /// 400 for a body that is not the JSON that the route takes.
    pub fn malformed(message: impl Into<String>) -> Self {
        Self::new(400, "invalid_request_error", "malformed_body", None, message)
    }

    /// 401 (open point U35).
    pub fn unauthenticated(message: impl Into<String>) -> Self {
        Self::new(401, "authentication_error", "invalid_api_key", None, message)
    }

    /// 404 with the code of the kind of object that is not there.
    pub fn not_found(code: &'static str, param: Option<&str>, message: impl Into<String>) -> Self {
        Self::new(404, "not_found", code, param, message)
    }

    /// 403 with the code of what is not allowed.
    pub fn forbidden(code: &'static str, param: Option<&str>, message: impl Into<String>) -> Self {
        Self::new(403, "permission_error", code, param, message)
    }

    /// 406 for a caller that does not take what the route answers.
    pub fn not_acceptable(message: impl Into<String>) -> Self {
        Self::new(406, "invalid_request_error", "not_acceptable", Some("accept"), message)
    }

    /// 415 for a body of a kind that the route does not read.
    pub fn unsupported_media(message: impl Into<String>) -> Self {
        Self::new(415, "invalid_request_error", "unsupported_media_type", Some("content-type"), message)
    }

    /// 405 for a path that takes other methods (open point U57).
    pub fn method_not_allowed(message: impl Into<String>) -> Self {
        Self::new(405, "invalid_request_error", "method_not_allowed", None, message)
    }

    /// 409 with the code of the conflict.
    pub fn conflict(code: &'static str, param: Option<&str>, message: impl Into<String>) -> Self {
        Self::new(409, "conflict", code, param, message)
    }

    /// 413 for a body longer than the server reads.
    pub fn too_large(bytes_max: usize) -> Self {
        let message = format!("the body is larger than {bytes_max} bytes; send a smaller one");
        Self::new(413, "invalid_request_error", "body_too_large", None, message)
    }

    /// 501 `harness_not_runnable` naming `harness` (open points U03, U06).
    pub fn not_runnable(message: impl Into<String>) -> Self {
        Self::new(501, "not_implemented", "harness_not_runnable", Some("harness"), message)
    }

    /// 500, for what should not have happened.
    pub fn internal(message: impl Into<String>) -> Self {
        Self::new(500, "internal_error", "internal_error", None, message)
    }

    /// Adds `error.details`.
    #[must_use]
    pub fn details(mut self, details: Value) -> Self {
        self.details = details;
        self
    }

    /// The reference error envelope: `{"error":{"type","code","message","param"},"request_id"}`.
    pub fn envelope(&self, request_id: &str) -> Value {
        let mut error = json!({
            "type": self.kind,
            "code": self.code,
            "param": self.param,
            "message": self.message,
        });
        if !self.details.is_null() {
            error["details"] = self.details.clone();
        }
        json!({ "error": error, "request_id": request_id })
    }

    /// The answer that carries `envelope`. A 401 names the scheme that it wants, as HTTP demands.
    pub fn reply(&self, envelope: Value) -> Reply {
        let reply = Reply::json(self.status, envelope);
        if self.status == 401 { reply.header("www-authenticate", "Bearer") } else { reply }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn several_faults_make_one_refusal_that_names_them_all() {
        let refusal = Refusal::faults(&[Fault::at("name", "is missing"), Fault::at("model", "is missing")]);
        assert_eq!((refusal.status, refusal.code), (400, "validation_failed"));
        assert_eq!(
            refusal.envelope("req_1"),
            json!({
                "error": {
                    "type": "invalid_request_error", "code": "validation_failed", "param": "name",
                    "message": "`name` is missing",
                    "details": {"faults": [
                        {"param": "name", "message": "is missing"},
                        {"param": "model", "message": "is missing"},
                    ]},
                },
                "request_id": "req_1",
            })
        );
    }

    #[test]
    fn no_fault_at_all_is_still_a_refusal() {
        assert_eq!(Refusal::faults(&[]).status, 400);
    }
}
