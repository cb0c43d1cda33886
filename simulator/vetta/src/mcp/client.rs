//! A conversation with one server.

use std::sync::{
    Arc,
    atomic::{AtomicU64, Ordering},
};

use serde_json::{Map, Value, json};
use wire::http::{Failure, Response};

use super::{Channel, reply};
use crate::endpoint::{Called, Listed, Revision};

/// The most pages of tools that are read; a server whose cursors never end is not read for ever.
const PAGES_MAX: usize = 100;

/// Why a server is of no use.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum McpError {
    /// It was not reached.
    #[error(transparent)]
    Failure(#[from] Failure),
    /// It answered with another status than 2xx.
    #[error("it answered {0}")]
    Status(u16),
    /// It answered with an error.
    #[error("it answered with error {code}: {message}")]
    Refused {
        /// The code of JSON-RPC.
        code: i64,
        /// Its words.
        message: String,
    },
    /// What it answered is not understood.
    #[error("its answer is not understood: {0}")]
    Unreadable(String),
}

/// A conversation with one server, opened by `initialize`.
#[derive(Clone)]
pub struct Client {
    channel: Arc<dyn Channel>,
    headers: Vec<(String, String)>,
    next_id: Arc<AtomicU64>,
}

impl Client {
    /// Opens a conversation over `channel`. `headers` go with every message: a token, for instance.
    pub async fn open(channel: Arc<dyn Channel>, headers: Vec<(String, String)>) -> Result<Self, McpError> {
        let mut client = Self { channel, headers, next_id: Arc::new(AtomicU64::new(1)) };
        let hello = json!({
            "protocolVersion": Revision::LATEST.name(),
            "capabilities": {},
            "clientInfo": {"name": "vetta", "version": env!("CARGO_PKG_VERSION")},
        });
        let (answer, result) = client.exchange("initialize", hello).await?;
        let spoken = result["protocolVersion"].as_str().and_then(Revision::parse).ok_or_else(|| {
            McpError::Unreadable(format!("revision {} is not spoken here", result["protocolVersion"]))
        })?;
        client.headers.push(("mcp-protocol-version".to_owned(), spoken.name().to_owned()));
        if let Some(session) = reply::header(&answer, "mcp-session-id") {
            client.headers.push(("mcp-session-id".to_owned(), session.to_owned()));
        }
        client.post(json!({"jsonrpc": "2.0", "method": "notifications/initialized"})).await?;
        Ok(client)
    }

    /// Its tools, all pages of them. What has no name or no schema is passed over.
    pub async fn tools(&self) -> Result<Vec<Listed>, McpError> {
        let (mut tools, mut params) = (Vec::new(), json!({}));
        for _ in 0..PAGES_MAX {
            let (_, mut page) = self.exchange("tools/list", params).await?;
            let Value::Array(listed) = page["tools"].take() else {
                return Err(McpError::Unreadable("there is no list of tools in it".to_owned()));
            };
            tools.extend(listed.into_iter().filter_map(read));
            match page["nextCursor"].as_str() {
                Some(cursor) => params = json!({ "cursor": cursor }),
                None => return Ok(tools),
            }
        }
        Err(McpError::Unreadable(format!("its list of tools has more than {PAGES_MAX} pages")))
    }

    /// Calls a tool.
    pub async fn call(&self, name: &str, arguments: &Map<String, Value>) -> Result<Called, McpError> {
        let params = json!({"name": name, "arguments": arguments});
        let (_, mut result) = self.exchange("tools/call", params).await?;
        let Value::Array(content) = result["content"].take() else {
            return Err(McpError::Unreadable("there is no content in it".to_owned()));
        };
        let structured = result.get("structuredContent").cloned();
        Ok(Called { content, structured, is_error: result["isError"] == true })
    }

    async fn exchange(&self, method: &str, params: Value) -> Result<(Response, Value), McpError> {
        let id = self.next_id.fetch_add(1, Ordering::Relaxed);
        let message = json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params});
        let answer = self.post(message).await?;
        let result = reply::result(&answer, id)?;
        Ok((answer, result))
    }

    async fn post(&self, message: Value) -> Result<Response, McpError> {
        let answer = self.channel.post(self.headers.clone(), message.to_string()).await?;
        if (200..300).contains(&answer.status) { Ok(answer) } else { Err(McpError::Status(answer.status)) }
    }
}

fn read(tool: Value) -> Option<Listed> {
    let Value::Object(mut more) = tool else { return None };
    let name = more.remove("name")?.as_str()?.to_owned();
    let schema = more.remove("inputSchema").filter(Value::is_object)?;
    let description = match more.remove("description") {
        Some(Value::String(description)) => description,
        _ => String::new(),
    };
    Some(Listed { name, description, schema, more })
}
