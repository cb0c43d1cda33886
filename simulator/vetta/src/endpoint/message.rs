//! Messages of JSON-RPC 2.0, as MCP narrows them.

use serde_json::{Map, Value, json};

/// The id of a request: a string or a whole number.
#[derive(Clone, Debug, PartialEq)]
pub struct MessageId(Value);

impl MessageId {
    fn read(value: &Value) -> Option<Self> {
        let fits = value.is_string() || value.is_i64() || value.is_u64();
        fits.then(|| Self(value.clone()))
    }
}

/// A message of a client.
#[derive(Clone, Debug, PartialEq)]
pub enum Message {
    /// It wants an answer.
    Request {
        /// The id that the answer repeats.
        id: MessageId,
        /// What is asked for.
        method: String,
        /// The parameters; empty when there are none.
        params: Result<Map<String, Value>, Fault>,
    },
    /// It wants none, even when it makes no sense.
    Notification,
    /// The answer to a request of the server. The endpoint never asks, so it answers nothing.
    Response,
}

/// Parameters, or something that is no object.
pub(super) type Params = Result<Map<String, Value>, Fault>;

/// What is wrong with a message, as an error of JSON-RPC.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{message} ({code})")]
pub struct Fault {
    /// `-32700`, `-32600`, `-32601`, `-32602` or `-32603`.
    pub code: i32,
    /// What happened and the way out.
    pub message: String,
    /// More about it; `null` for nothing.
    pub data: Value,
}

impl Fault {
    /// The body is no JSON.
    pub fn parse(message: impl Into<String>) -> Self {
        Self::new(-32700, message)
    }

    /// It is JSON, and no message.
    pub fn invalid_request(message: impl Into<String>) -> Self {
        Self::new(-32600, message)
    }

    /// There is no such method.
    pub fn no_method(method: &str) -> Self {
        let message = format!("there is no method `{method}`; this endpoint has tools and nothing else");
        Self::new(-32601, message)
    }

    /// The parameters do not fit the method.
    pub fn invalid_params(message: impl Into<String>) -> Self {
        Self::new(-32602, message)
    }

    /// The endpoint cannot do what it should be able to.
    pub fn internal(message: impl Into<String>) -> Self {
        Self::new(-32603, message)
    }

    fn new(code: i32, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), data: Value::Null }
    }

    /// Adds `data`.
    #[must_use]
    pub fn data(mut self, data: Value) -> Self {
        self.data = data;
        self
    }

    /// The error response. Without an id, `null` stands for a message whose id could not be read.
    pub fn response(&self, id: Option<&MessageId>) -> Value {
        let mut error = json!({"code": self.code, "message": self.message});
        if !self.data.is_null() {
            error["data"] = self.data.clone();
        }
        json!({"jsonrpc": "2.0", "id": id.map_or(&Value::Null, |id| &id.0), "error": error})
    }
}

impl Message {
    /// Reads one message. What is no message comes with the id that it has, if it has a usable one.
    pub fn read(value: &Value) -> Result<Self, (Option<MessageId>, Fault)> {
        let Value::Object(members) = value else {
            return Err((None, Fault::invalid_request("a message is a JSON object")));
        };
        let id = members.get("id").and_then(MessageId::read);
        let wrong = |message: &str| Err((id.clone(), Fault::invalid_request(message)));
        if members.get("jsonrpc").and_then(Value::as_str) != Some("2.0") {
            return wrong("the member `jsonrpc` is not \"2.0\"");
        }
        let Some(method) = members.get("method") else {
            let answers = members.contains_key("result") != members.contains_key("error");
            return if answers && id.is_some() {
                Ok(Self::Response)
            } else {
                wrong("the message has no member `method`, and answers nothing")
            };
        };
        let Some(method) = method.as_str() else { return wrong("the member `method` is not a string") };
        match (members.contains_key("id"), id.clone()) {
            (false, _) => Ok(Self::Notification),
            (true, None) => wrong("the member `id` is neither a string nor a whole number"),
            (true, Some(id)) => Ok(Self::Request { id, method: method.to_owned(), params: params(members) }),
        }
    }
}

fn params(members: &Map<String, Value>) -> Params {
    match members.get("params") {
        None => Ok(Map::new()),
        Some(Value::Object(params)) => Ok(params.clone()),
        Some(_) => Err(Fault::invalid_params("the member `params` is not an object")),
    }
}

/// The response to `id`.
pub(super) fn result(id: &MessageId, result: Value) -> Value {
    json!({"jsonrpc": "2.0", "id": id.0, "result": result})
}
