//! An answer, before it is bytes.

use axum::{
    body::Body,
    http::{HeaderName, HeaderValue, Response, StatusCode},
};
use serde_json::Value;

/// An answer, before it is bytes.
#[derive(Clone, Debug, PartialEq)]
pub struct Reply {
    /// HTTP status.
    pub status: u16,
    /// Header names (lower case) and values, in order.
    pub headers: Vec<(String, String)>,
    /// The JSON body; `None` for an answer without a body, and for an event stream.
    pub body: Option<Value>,
}

impl Reply {
    /// An answer with a JSON body.
    pub fn json(status: u16, body: Value) -> Self {
        Self { status, headers: Vec::new(), body: Some(body) }
    }

    /// 204.
    pub fn no_content() -> Self {
        Self { status: 204, headers: Vec::new(), body: None }
    }

    /// Adds a header.
    #[must_use]
    pub fn header(mut self, name: &str, value: impl Into<String>) -> Self {
        self.headers.push((name.to_owned(), value.into()));
        self
    }

    /// The answer as a response of the server, with `stream` for a body when it has none of its own.
    /// A header that cannot be written is left out.
    pub(crate) fn into_response(self, stream: Option<Body>) -> Response<Body> {
        let status = StatusCode::from_u16(self.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        let (body, media) = match (self.body, stream) {
            (Some(json), _) => (Body::from(json.to_string()), Some("application/json")),
            (None, Some(stream)) => (stream, None),
            (None, None) => (Body::empty(), None),
        };
        let mut response = Response::new(body);
        *response.status_mut() = status;
        let headers = response.headers_mut();
        if let Some(media) = media {
            headers.insert("content-type", HeaderValue::from_static(media));
        }
        for (name, value) in &self.headers {
            let name = HeaderName::from_bytes(name.as_bytes());
            if let (Ok(name), Ok(value)) = (name, HeaderValue::from_str(value)) {
                headers.insert(name, value);
            }
        }
        response
    }
}
