//! A request and its answer.

use std::{collections::BTreeMap, fmt};

use bytes::Bytes;
use futures_util::stream::BoxStream;
use http::HeaderMap;
use serde_json::{Map, Value};

use crate::{errors::Refusal, keys::Principal};

/// A request, as far as it has been understood.
#[derive(Clone, Debug, Default)]
pub struct Call {
    /// Method, in upper case.
    pub method: String,
    /// Path without its query.
    pub path: String,
    /// Parameters of the path by their names in the route.
    pub params: BTreeMap<String, String>,
    /// The query, in order.
    pub query: Vec<(String, String)>,
    /// Headers.
    pub headers: HeaderMap,
    /// The body as it came.
    pub bytes: Bytes,
    /// The body, once it has been read. Empty on routes that take none.
    pub body: Map<String, Value>,
    /// The id that the answer carries.
    pub request_id: String,
    /// Who asks, once that is known.
    pub principal: Option<Principal>,
}

impl Call {
    /// A header, when it is text.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).and_then(|value| value.to_str().ok())
    }

    /// The last value of a query parameter.
    pub fn query(&self, name: &str) -> Option<&str> {
        self.query.iter().rev().find(|(other, _)| other == name).map(|(_, value)| value.as_str())
    }

    /// A parameter of the path; empty when the route has none of this name.
    pub fn param(&self, name: &str) -> &str {
        self.params.get(name).map_or("", String::as_str)
    }

    /// The project in the path.
    pub fn project(&self) -> &str {
        self.param("p")
    }

    /// A parameter of the path that has to be a UUID. A malformed one is a 400, not a 404.
    pub fn uuid(&self, name: &str) -> Result<&str, Refusal> {
        let id = self.param(name);
        let fits = crate::publication::reader::is_uuid(id);
        fits.then_some(id).ok_or_else(|| Refusal::bad_request(format!("`{id}` in the path is no UUID")))
    }

    /// The id of whoever asks.
    pub fn principal_id(&self) -> &str {
        self.principal.as_ref().map_or("", |principal| &principal.id)
    }

    /// The organisation of whoever asks.
    pub fn organization_id(&self) -> &str {
        self.principal.as_ref().map_or("", |principal| &principal.organization_id)
    }
}

/// An answer.
#[derive(Clone, Debug)]
pub struct Reply {
    /// Status.
    pub status: u16,
    /// Headers beside those that every answer has.
    pub headers: Vec<(String, String)>,
    /// Body.
    pub body: ReplyBody,
}

impl Reply {
    /// A JSON answer.
    pub fn json(status: u16, body: Value) -> Self {
        Self { status, headers: Vec::new(), body: ReplyBody::Json(body) }
    }

    /// Adds a header.
    #[must_use]
    pub fn header(mut self, name: &str, value: impl Into<String>) -> Self {
        self.headers.push((name.to_owned(), value.into()));
        self
    }

    /// The JSON body, unless the answer is a stream.
    pub fn json_mut(&mut self) -> Option<&mut Value> {
        match &mut self.body {
            ReplyBody::Json(value) => Some(value),
            ReplyBody::Stream(_) => None,
        }
    }
}

/// The body of an answer.
#[derive(Clone)]
pub enum ReplyBody {
    /// One JSON value.
    Json(Value),
    /// Pieces that arrive over time, made when the answer is sent.
    Stream(std::sync::Arc<dyn Fn() -> BoxStream<'static, Bytes> + Send + Sync>),
}

impl fmt::Debug for ReplyBody {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Json(value) => f.debug_tuple("Json").field(value).finish(),
            Self::Stream(_) => f.write_str("Stream"),
        }
    }
}
