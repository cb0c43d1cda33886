//! The protocol: from the body of a POST to its answer, over any source of tools.

use serde_json::{Map, Value, json};

use super::{Fault, Message, MessageId, Revision, ToolSource, message::result};

/// What a POST is answered.
#[derive(Clone, Debug, PartialEq)]
pub enum Answer {
    /// A response, or an array of them, with this HTTP status.
    Json(u16, Value),
    /// 202: nothing in the body wanted an answer.
    Accepted,
}

/// Answers the body of a POST. `header` is the value of `mcp-protocol-version`, if there is one.
///
/// Errors that are about the body as a whole have the HTTP status 400; an answer to a request has 200,
/// whether it is a result or an error.
pub async fn answer(tools: &dyn ToolSource, header: Option<&str>, body: &[u8]) -> Answer {
    let body: Value = match serde_json::from_slice(body) {
        Ok(body) => body,
        Err(error) => return bad(Fault::parse(format!("the body is not JSON: {error}"))),
    };
    let revision = match revision(header, &body) {
        Ok(revision) => revision,
        Err(fault) => return bad(fault),
    };
    let Value::Array(messages) = &body else { return single(tools, &body).await };
    if !revision.takes_batches() {
        let message = format!("revision {} has no batches; send one message at a time", revision.name());
        return bad(Fault::invalid_request(message));
    }
    if messages.is_empty() {
        return bad(Fault::invalid_request("the batch is empty"));
    }
    batch(tools, messages).await
}

fn bad(fault: Fault) -> Answer {
    Answer::Json(400, fault.response(None))
}

/// The revision of a body. `initialize` settles the revision itself, so its header is not looked at.
fn revision(header: Option<&str>, body: &Value) -> Result<Revision, Fault> {
    let Some(header) = header.filter(|_| body["method"] != "initialize") else {
        return Ok(Revision::UNSAID);
    };
    Revision::parse(header).ok_or_else(|| {
        let message = format!("revision `{header}` is not spoken here; take one of `data.supported`");
        let supported: Vec<&str> = Revision::ALL.iter().map(|revision| revision.name()).collect();
        Fault::invalid_request(message).data(json!({"supported": supported, "requested": header}))
    })
}

async fn single(tools: &dyn ToolSource, message: &Value) -> Answer {
    match Message::read(message) {
        Err((id, fault)) => Answer::Json(400, fault.response(id.as_ref())),
        Ok(Message::Notification | Message::Response) => Answer::Accepted,
        Ok(Message::Request { id, method, params }) => {
            let outcome = match params {
                Ok(params) => request(tools, &method, &params).await,
                Err(fault) => Err(fault),
            };
            Answer::Json(200, response(&id, outcome))
        }
    }
}

async fn batch(tools: &dyn ToolSource, messages: &[Value]) -> Answer {
    let mut responses = Vec::new();
    for message in messages {
        if message["method"] == "initialize" {
            let id = Message::read(message).ok().and_then(|message| match message {
                Message::Request { id, .. } => Some(id),
                _ => None,
            });
            let fault = Fault::invalid_request("`initialize` is not part of a batch");
            responses.push(fault.response(id.as_ref()));
        } else if let Answer::Json(_, response) = single(tools, message).await {
            responses.push(response);
        }
    }
    if responses.is_empty() { Answer::Accepted } else { Answer::Json(200, Value::Array(responses)) }
}

fn response(id: &MessageId, outcome: Result<Value, Fault>) -> Value {
    match outcome {
        Ok(value) => result(id, value),
        Err(fault) => fault.response(Some(id)),
    }
}

async fn request(tools: &dyn ToolSource, method: &str, params: &Map<String, Value>) -> Result<Value, Fault> {
    match method {
        "initialize" => initialize(params),
        "ping" => Ok(json!({})),
        "tools/list" => list(tools, params).await,
        "tools/call" => call(tools, params).await,
        _ => Err(Fault::no_method(method)),
    }
}

/// The revision that was asked for when it is spoken here, the latest one otherwise.
fn initialize(params: &Map<String, Value>) -> Result<Value, Fault> {
    let asked = text(params, "protocolVersion")?;
    for member in ["capabilities", "clientInfo"] {
        if !params.get(member).is_some_and(Value::is_object) {
            return Err(Fault::invalid_params(format!("`params.{member}` is not an object")));
        }
    }
    let spoken = Revision::parse(asked).unwrap_or(Revision::LATEST);
    Ok(json!({
        "protocolVersion": spoken.name(),
        "capabilities": {"tools": {"listChanged": false}},
        "serverInfo": {"name": "vetta-session-tools", "version": env!("CARGO_PKG_VERSION")},
    }))
}

/// All tools fit one page, so no cursor was ever handed out.
async fn list(tools: &dyn ToolSource, params: &Map<String, Value>) -> Result<Value, Fault> {
    if params.contains_key("cursor") {
        let message = "`params.cursor` was not handed out by this endpoint; list without it";
        return Err(Fault::invalid_params(message));
    }
    let listed = tools.list().await.map_err(Fault::internal)?;
    let tools: Vec<Value> = listed.iter().map(super::Listed::to_value).collect();
    Ok(json!({ "tools": tools }))
}

async fn call(tools: &dyn ToolSource, params: &Map<String, Value>) -> Result<Value, Fault> {
    let name = text(params, "name")?;
    let arguments = match params.get("arguments") {
        None => Map::new(),
        Some(Value::Object(arguments)) => arguments.clone(),
        Some(_) => return Err(Fault::invalid_params("`params.arguments` is not an object")),
    };
    match tools.call(name, arguments).await.map_err(Fault::internal)? {
        Some(called) => Ok(called.to_value()),
        None => {
            Err(Fault::invalid_params(format!("unknown tool: {name}; `tools/list` says which there are")))
        }
    }
}

fn text<'a>(params: &'a Map<String, Value>, member: &str) -> Result<&'a str, Fault> {
    let text = params.get(member).and_then(Value::as_str);
    text.ok_or_else(|| Fault::invalid_params(format!("`params.{member}` is not a string")))
}
