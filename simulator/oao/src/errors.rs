//! The error envelope.

use serde_json::{Map, Value, json};

/// The closed list of error codes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Code {
    /// 400: body, header, limit, cursor, configuration or schema.
    BadRequest,
    /// 401: no valid credential.
    Unauthenticated,
    /// 403: another project, or a missing scope.
    Forbidden,
    /// 404: no such resource or route.
    NotFound,
    /// 409: the state does not allow it.
    Conflict,
    /// 409: an idempotency key was used for another request.
    IdempotencyConflict,
    /// 429: declared, and given by no route.
    RateLimited,
    /// 500: everything else.
    InternalError,
}

impl Code {
    /// The code on the wire.
    pub fn name(self) -> &'static str {
        match self {
            Self::BadRequest => "bad_request",
            Self::Unauthenticated => "unauthenticated",
            Self::Forbidden => "forbidden",
            Self::NotFound => "not_found",
            Self::Conflict => "conflict",
            Self::IdempotencyConflict => "idempotency_conflict",
            Self::RateLimited => "rate_limited",
            Self::InternalError => "internal_error",
        }
    }

    /// The HTTP status that goes with it.
    pub fn status(self) -> u16 {
        match self {
            Self::BadRequest => 400,
            Self::Unauthenticated => 401,
            Self::Forbidden => 403,
            Self::NotFound => 404,
            Self::Conflict | Self::IdempotencyConflict => 409,
            Self::RateLimited => 429,
            Self::InternalError => 500,
        }
    }
}

/// A request that is refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct Refusal {
    /// Which kind of refusal.
    pub code: Code,
    /// What is wrong, for a person.
    pub message: String,
    /// `details.path`: the place in the request, where the contract promises one.
    pub path: Option<String>,
}

impl Refusal {
    /// A refusal without a place.
    pub fn new(code: Code, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), path: None }
    }

    /// A 400 without a place.
    pub fn bad_request(message: impl Into<String>) -> Self {
        Self::new(Code::BadRequest, message)
    }

    /// A 400 whose message begins with the place that `details.path` repeats.
    pub fn at(path: &str, message: &str) -> Self {
        Self { code: Code::BadRequest, message: format!("{path}: {message}"), path: Some(path.to_owned()) }
    }

    /// A 404.
    pub fn not_found(what: &str) -> Self {
        Self::new(Code::NotFound, format!("no such {what}"))
    }

    /// A 409.
    pub fn conflict(message: impl Into<String>) -> Self {
        Self::new(Code::Conflict, message)
    }

    /// The envelope.
    pub fn envelope(&self, request_id: &str) -> Value {
        let mut error = Map::new();
        error.insert("code".into(), self.code.name().into());
        error.insert("message".into(), self.message.as_str().into());
        error.insert("requestId".into(), request_id.into());
        if let Some(path) = &self.path {
            error.insert("details".into(), json!({"path": path}));
        }
        json!({"error": error})
    }
}
