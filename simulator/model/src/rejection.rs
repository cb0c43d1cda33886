//! A request that gets an error for an answer.

/// An error answer, in no wire's own words. Clients are told not to try again: the same request would
/// get the same answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Rejection {
    /// HTTP status.
    pub(crate) status: u16,
    /// For people.
    pub(crate) message: String,
    /// The field of the request that is to blame.
    pub(crate) param: Option<String>,
    /// A word for programs.
    pub(crate) code: Option<&'static str>,
}

impl Rejection {
    /// Status 400 for a request that the real API would refuse too.
    pub(crate) fn invalid(
        param: impl Into<String>,
        code: Option<&'static str>,
        message: impl Into<String>,
    ) -> Self {
        Self { status: 400, message: message.into(), param: Some(param.into()), code }
    }

    /// The body is no JSON.
    pub(crate) fn not_json(error: &serde_json::Error) -> Self {
        Self {
            status: 400,
            message: format!("the request body is no JSON: {error}"),
            param: None,
            code: None,
        }
    }

    /// The body did not arrive, or is too large to be read.
    pub(crate) fn no_body(bytes_max: usize) -> Self {
        let message = format!("the request body ended early or has more than {bytes_max} bytes");
        Self { status: 413, message, param: None, code: Some("request_too_large") }
    }

    /// No wire answers at this path.
    pub(crate) fn unknown_path(method: &str, path: &str) -> Self {
        let message =
            format!("nothing answers {method} {path}; this server speaks POST /v1/chat/completions");
        Self { status: 404, message, param: None, code: Some("unknown_url") }
    }

    /// The path is known under another method.
    pub(crate) fn unknown_method(method: &str, path: &str) -> Self {
        let message = format!("{path} does not take {method}");
        Self { status: 405, message, param: None, code: Some("method_not_supported") }
    }

    /// No turn answers. The status is one that no client tries again, and the code says that it is
    /// the script that has run out, not the API that has refused.
    pub(crate) fn no_turn(message: impl Into<String>) -> Self {
        Self { status: 400, message: message.into(), param: None, code: Some("proofhouse_no_turn") }
    }
}
