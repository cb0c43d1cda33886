//! The tool endpoint of a session on the second road, as its loop would call it (open point U43).
//!
//! Where it is and with which token it is called, no client of the API is told, so the control port says it.

use engine::{Call, Driver, Halt, Key, Reply};
use recording::Seen;
use serde_json::{Value, json};

use crate::percent::encoded;

/// The feature of the control port.
const FEATURE: &str = "tool-endpoint";
/// The revision of MCP that is asked for.
const REVISION: &str = "2025-06-18";

/// An endpoint, and the token with which it is called.
#[derive(Clone)]
pub(crate) struct ToolEndpoint<'a> {
    driver: &'a Driver<'a>,
    path: String,
    token: String,
    /// The MCP session, where the endpoint keeps one.
    mcp_session: Option<String>,
}

impl<'a> ToolEndpoint<'a> {
    /// The endpoint of `session`, as a step before the one under test. `name` stands for its token in what
    /// is recorded.
    pub(crate) async fn need(
        driver: &'a Driver<'a>,
        name: &'static str,
        session: &str,
    ) -> Result<Self, Halt> {
        driver.control(FEATURE)?;
        let call = Call::control("GET", &format!("/{FEATURE}?session={}", encoded(session)));
        let (reply, token) = driver.send_for_secret(name, call, ("/tool_endpoint/token", name)).await;
        let step = "find the tool endpoint of a session on the second road";
        let url = driver.need_text(&reply, "/tool_endpoint/url", step)?;
        let Some(token) = token else {
            return Err(driver.setup_failed(&reply, step, "a string at `/tool_endpoint/token`"));
        };
        Ok(Self { driver, path: path_of(&url), token, mcp_session: None })
    }

    /// This endpoint, called with the token of `other`.
    pub(crate) fn with_token_of(&self, other: &Self) -> Self {
        Self { token: other.token.clone(), ..self.clone() }
    }

    /// Begins a conversation as MCP wants it.
    pub(crate) async fn hello(&mut self, label: &str) -> Reply {
        let params = json!({
            "protocolVersion": REVISION,
            "capabilities": {},
            "clientInfo": {"name": "proofhouse", "version": "1"},
        });
        let reply = self.ask(label, "initialize", &params).await;
        self.mcp_session = reply.header("mcp-session-id").map(str::to_owned);
        let told = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
        self.send(&format!("{label}: initialized"), &told).await;
        reply
    }

    /// Lists the tools.
    pub(crate) async fn list(&self, label: &str) -> Reply {
        self.ask(label, "tools/list", &json!({})).await
    }

    /// Calls a tool.
    pub(crate) async fn call(&self, label: &str, tool: &str, arguments: &Value) -> Reply {
        self.ask(label, "tools/call", &json!({"name": tool, "arguments": arguments})).await
    }

    async fn ask(&self, label: &str, method: &str, params: &Value) -> Reply {
        let message = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params});
        self.send(label, &message).await
    }

    async fn send(&self, label: &str, message: &Value) -> Reply {
        let mut call = Call::post(self.path.clone(), message)
            .with_key(Key::Raw(format!("Bearer {}", self.token)))
            .header("accept", "application/json, text/event-stream");
        if message["method"] != "initialize" {
            call = call.header("mcp-protocol-version", REVISION);
            if let Some(session) = &self.mcp_session {
                call = call.header("mcp-session-id", session.clone());
            }
        }
        self.driver.send(label, call).await
    }
}

/// The path below the target's base URL.
fn path_of(url: &str) -> String {
    let path = url.split_once("://").map_or(url, |(_, rest)| rest.find('/').map_or("/", |at| &rest[at..]));
    path.find("/v1/").map_or(path, |at| &path[at..]).to_owned()
}

/// What an endpoint answered.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Answered {
    /// A result.
    Result(Value),
    /// A refusal: the HTTP status, and the code of JSON-RPC where there is one.
    Refused(u16, Option<i64>),
    /// Nothing, within the time that a call may take.
    Nothing,
}

impl Answered {
    /// What the exchange `seen` came to.
    pub(crate) fn of(seen: &Seen<'_>) -> Self {
        let Some(status) = seen.status() else { return Self::Nothing };
        let message = message(seen.text().unwrap_or_default());
        let error = message.as_ref().and_then(|message| message.get("error"));
        match message.as_ref().and_then(|message| message.get("result")) {
            Some(result) if (200..300).contains(&status) => Self::Result(result.clone()),
            _ => Self::Refused(status, error.and_then(|error| error.get("code")?.as_i64())),
        }
    }

    /// Whether it is an error: a refusal, or a result that says that the tool failed.
    pub(crate) fn is_error(&self) -> bool {
        match self {
            Self::Result(result) => result["isError"] == true,
            Self::Refused(..) => true,
            Self::Nothing => false,
        }
    }
}

/// The message in an answer: JSON, or the last one of an event stream that is a response.
fn message(text: &str) -> Option<Value> {
    if let Ok(message) = serde_json::from_str::<Value>(text) {
        return message.is_object().then_some(message);
    }
    let data = text.lines().filter_map(|line| line.strip_prefix("data:"));
    let mut messages = data.filter_map(|data| serde_json::from_str::<Value>(data).ok());
    messages.rfind(|message| message.get("id").is_some())
}

/// The names of the tools in the answer to a listing; `None` where it is no listing.
pub(crate) fn listed(seen: &Seen<'_>) -> Option<Vec<String>> {
    let Answered::Result(result) = Answered::of(seen) else { return None };
    let tools = result.get("tools")?.as_array()?;
    Some(tools.iter().filter_map(|tool| Some(tool.get("name")?.as_str()?.to_owned())).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_taken_below_the_base_url() {
        for (url, path) in [
            ("http://h:1/v1/sessions/s/tools/mcp", "/v1/sessions/s/tools/mcp"),
            ("https://h/api/v1/sessions/s/tools/mcp", "/v1/sessions/s/tools/mcp"),
            ("https://tools.h/mcp/s", "/mcp/s"),
            ("/v1/x", "/v1/x"),
        ] {
            assert_eq!(path_of(url), path, "{url}");
        }
    }

    #[test]
    fn a_response_is_read_from_json_and_from_a_stream() {
        let response = r#"{"jsonrpc":"2.0","id":1,"result":{}}"#;
        let told = r#"{"jsonrpc":"2.0","method":"notifications/message"}"#;
        let stream = format!("event: message\ndata: {told}\n\nevent: message\ndata: {response}\n\n");
        for text in [response.to_owned(), stream] {
            assert_eq!(message(&text).and_then(|message| message.get("result").cloned()), Some(json!({})));
        }
        assert_eq!(message("<html>"), None);
        assert_eq!(message("[]"), None);
    }
}
