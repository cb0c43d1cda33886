//! A request, as the core sees it.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use crate::{Caller, Refusal};

/// Query parameters; of a repeated one the last counts.
pub type Query = BTreeMap<String, String>;

/// The body of a request.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Payload {
    /// None was read: the method takes none.
    #[default]
    Unread,
    /// JSON.
    Json(Value),
    /// Something else, and why it is no JSON.
    Malformed(String),
}

/// A request, as the core and the rewrites of outgoing answers see it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Call {
    /// Method, in upper case.
    pub method: String,
    /// Path as it was sent, percent-encoding included.
    pub path: String,
    /// The route that matched: `/v1/agents/{id}`. `None` when none did.
    pub route: Option<&'static str>,
    /// Decoded path parameters by name.
    pub params: BTreeMap<String, String>,
    /// Decoded query parameters.
    pub query: Query,
    /// Header names (lower case) and values, in order.
    pub headers: Vec<(String, String)>,
    /// The body.
    pub payload: Payload,
    /// Account and environment, once the credentials have been accepted.
    pub caller: Option<Caller>,
}

impl Call {
    /// A call without headers or body.
    pub fn new(method: &str, path: &str) -> Self {
        Self { method: method.to_owned(), path: path.to_owned(), ..Self::default() }
    }

    /// The first header called `name` (lower case).
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    /// The path parameter `name`; empty when the route has none of this name.
    pub fn param(&self, name: &str) -> &str {
        self.params.get(name).map_or("", String::as_str)
    }

    /// Whether method and matched route are these.
    pub fn is(&self, method: &str, route: &str) -> bool {
        self.method == method && self.route == Some(route)
    }

    /// Whether the caller wants `media`, by a member of `accept` of exactly this name.
    pub fn accepts(&self, media: &str) -> bool {
        let accepted = self.headers.iter().filter(|(name, _)| name == "accept");
        let mut members = accepted.flat_map(|(_, value)| value.split(','));
        members.any(|member| member.split(';').next().unwrap_or("").trim().eq_ignore_ascii_case(media))
    }

    /// The members of a body that has to be a JSON object.
    pub fn object(&self) -> Result<&Map<String, Value>, Refusal> {
        match &self.payload {
            Payload::Json(Value::Object(members)) => Ok(members),
            Payload::Json(_) => Err(Refusal::malformed("the body is not a JSON object")),
            Payload::Malformed(why) => Err(Refusal::malformed(format!("the body is not JSON: {why}"))),
            Payload::Unread => Err(Refusal::malformed("the body is missing")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn accept_is_read_by_member() {
        let mut call = Call::new("GET", "/");
        assert!(!call.accepts("text/event-stream"));
        call.headers.push(("accept".into(), "application/json".into()));
        assert!(!call.accepts("text/event-stream"));
        call.headers.push(("accept".into(), "text/html;q=0.5, Text/Event-Stream; q=0.9".into()));
        assert!(call.accepts("text/event-stream"));
    }

    #[test]
    fn only_an_object_is_an_object() {
        let mut call = Call::new("POST", "/");
        for payload in [Payload::Unread, Payload::Json(Value::Null), Payload::Malformed("line 1".into())] {
            call.payload = payload;
            assert_eq!(call.object().unwrap_err().status, 400);
        }
        call.payload = Payload::Json(serde_json::json!({}));
        assert!(call.object().unwrap().is_empty());
    }
}
