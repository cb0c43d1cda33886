//! A request that gets an error for an answer.

use std::borrow::Cow;

use crate::{
    router::method_at,
    script::{ErrorStatus, WireName},
};

/// An error answer, in no wire's own words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Rejection {
    /// HTTP status.
    pub(crate) status: u16,
    /// For people.
    pub(crate) message: String,
    /// The field of the request that is to blame.
    pub(crate) param: Option<String>,
    /// A word for programs.
    pub(crate) code: Option<Cow<'static, str>>,
    /// The type in the envelope, when it is not what the wire says with this status.
    pub(crate) kind: Option<String>,
    /// Headers besides those of the wire.
    pub(crate) headers: Vec<(String, String)>,
}

impl Rejection {
    /// An error that clients are told not to try again: the same request would get the same answer.
    fn for_good(status: u16, message: impl Into<String>) -> Self {
        let headers = vec![("x-should-retry".to_owned(), "false".to_owned())];
        Self { status, message: message.into(), param: None, code: None, kind: None, headers }
    }

    /// Status 400 for a request that the real API would refuse too.
    pub(crate) fn invalid(
        param: impl Into<String>,
        code: Option<&'static str>,
        message: impl Into<String>,
    ) -> Self {
        let code = code.map(Cow::Borrowed);
        Self { param: Some(param.into()), code, ..Self::for_good(400, message) }
    }

    /// The body is no JSON.
    pub(crate) fn not_json(error: &serde_json::Error) -> Self {
        Self::for_good(400, format!("the request body is no JSON: {error}"))
    }

    /// The body broke off.
    pub(crate) fn half_a_body() -> Self {
        Self::for_good(400, "the request body broke off before its end")
    }

    /// The body did not arrive, or is too large to be read.
    pub(crate) fn no_body(bytes_max: usize) -> Self {
        let message = format!("the request body has more than {bytes_max} bytes");
        Self { code: Some("request_too_large".into()), ..Self::for_good(413, message) }
    }

    /// No wire answers at this path.
    pub(crate) fn unknown_path(method: &str, path: &str) -> Self {
        let message = format!(
            "nothing answers {method} {path}; this server speaks POST /v1/chat/completions, \
             POST /v1/responses, GET /v1/responses/ID, POST /v1/messages, POST /v1/messages/count_tokens and GET /v1/models, \
             all of them below /s/KEY too; a base URL for OpenAI clients ends with /v1, one for Anthropic \
             clients does not"
        );
        Self { code: Some("unknown_url".into()), ..Self::for_good(404, message) }
    }

    /// The path is known under another method.
    pub(crate) fn unknown_method(method: &str, path: &str) -> Self {
        let allowed = method_at(path);
        let message = format!("{path} does not take {method}, only {allowed}");
        let mut rejection = Self::for_good(405, message);
        rejection.headers.push(("allow".to_owned(), allowed.to_owned()));
        Self { code: Some("method_not_supported".into()), ..rejection }
    }

    /// The session cannot be told.
    pub(crate) fn unreadable_session() -> Self {
        let message = "the header `x-proofhouse-session` is not ASCII; a key has letters from a to z, digits, \
                       `-` and `_`";
        Self::invalid("x-proofhouse-session", Some("proofhouse_session"), message)
    }

    /// A recorder hears what a recorder passed on.
    pub(crate) fn in_a_circle() -> Self {
        let message = "this came through a recorder already: its upstream is a recorder, perhaps itself; name \
                       the real model as the upstream";
        Self { code: Some("proofhouse_circle".into()), ..Self::for_good(508, message) }
    }

    /// The client wants to speak WebSocket.
    pub(crate) fn no_upgrade() -> Self {
        let message = "this server speaks HTTP and server-sent events, no WebSocket; ask with POST";
        Self { code: Some("upgrade_not_supported".into()), ..Self::for_good(426, message) }
    }

    /// What is asked for is not there.
    pub(crate) fn gone(message: String) -> Self {
        Self::for_good(404, message)
    }

    /// What the request goes on from is not there.
    pub(crate) fn not_found(param: &str, code: &'static str, status: u16, message: String) -> Self {
        Self { param: Some(param.to_owned()), code: Some(code.into()), ..Self::for_good(status, message) }
    }

    /// No turn answers. The status is one that no client tries again, and the code says that it is
    /// the script that has run out, not the API that has refused.
    pub(crate) fn no_turn(message: impl Into<String>) -> Self {
        Self { code: Some("proofhouse_no_turn".into()), ..Self::for_good(400, message) }
    }

    /// The error that a script asks for.
    pub(crate) fn scripted(status: &ErrorStatus) -> Self {
        let message = status.message.clone();
        Self {
            status: status.code,
            message: message
                .unwrap_or_else(|| format!("the script answers this with status {}", status.code)),
            param: None,
            code: status.error_code.clone().map(Cow::Owned),
            kind: status.kind.clone(),
            headers: status.headers.iter().map(|(name, value)| (name.clone(), value.clone())).collect(),
        }
    }

    /// The type in the envelope of a wire.
    pub(crate) fn kind_on(&self, wire: WireName) -> &str {
        match (&self.kind, wire) {
            (Some(kind), _) => kind,
            (None, WireName::Messages) => match self.status {
                401 => "authentication_error",
                402 => "billing_error",
                403 => "permission_error",
                404 => "not_found_error",
                413 => "request_too_large",
                429 => "rate_limit_error",
                504 => "timeout_error",
                529 => "overloaded_error",
                500.. => "api_error",
                _ => "invalid_request_error",
            },
            (None, _) => match self.status {
                401 => "authentication_error",
                403 => "permission_error",
                429 if self.code.as_deref() == Some("insufficient_quota") => "insufficient_quota",
                429 => "rate_limit_error",
                503 | 529 => "service_unavailable_error",
                500.. => "server_error",
                _ => "invalid_request_error",
            },
        }
    }
}
