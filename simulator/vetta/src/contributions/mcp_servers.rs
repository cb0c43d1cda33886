//! The tools of an agent's MCP servers, under the names that the servers give them.

use std::sync::Arc;

use agent::ToolOutcome;
use futures_util::{FutureExt, future::BoxFuture};
use serde_json::{Map, Value};
use wire::Net;

use crate::{
    agents::McpServer,
    endpoint::{Called, Listed},
    mcp::{Client, HttpChannel, McpError, McpUrl},
    tools::{Candidate, Contributing, Contributor, Origin, Remote},
    turns::TurnError,
};

/// Asks the servers anew for every turn.
#[derive(Clone, Debug)]
pub struct McpServers {
    net: Net,
}

impl McpServers {
    /// Reaches servers over `net`, those at `https://…` over TLS.
    pub fn over(net: Net) -> Self {
        Self { net }
    }

    async fn of(&self, server: &McpServer) -> Result<Vec<Candidate>, TurnError> {
        let failed = |why: &dyn std::fmt::Display| {
            let message = format!("the tools of MCP server `{}` cannot be had: {why}", server.name);
            TurnError::new("mcp_server_unavailable", message)
        };
        let url: McpUrl = server.url.parse().map_err(|why| failed(&why))?;
        let channel = Arc::new(HttpChannel::new(self.net.clone(), url));
        let client = Client::open(channel, Vec::new()).await.map_err(|why| failed(&why))?;
        let listed = client.tools().await.map_err(|why| failed(&why))?;
        Ok(listed.into_iter().map(|tool| candidate(&client, &server.name, tool)).collect())
    }
}

impl Contributor for McpServers {
    fn candidates(&self, to: Contributing) -> BoxFuture<'static, Result<Vec<Candidate>, TurnError>> {
        let servers = self.clone();
        async move {
            let mut candidates = Vec::new();
            for server in &to.session.agent.config.mcp_servers {
                candidates.extend(servers.of(server).await?);
            }
            Ok(candidates)
        }
        .boxed()
    }
}

fn candidate(client: &Client, server: &str, tool: Listed) -> Candidate {
    let remote = Remote::new(tool.more);
    let (client, name, whole) = (client.clone(), tool.name.clone(), remote.clone());
    Candidate {
        name: tool.name,
        description: tool.description,
        schema: tool.schema,
        origin: Origin::McpServer(server.to_owned()),
        remote: Some(remote),
        run: Arc::new(move |_, arguments| {
            let (client, name, whole) = (client.clone(), name.clone(), whole.clone());
            async move { outcome(call(&client, &name, arguments).await, &whole) }.boxed()
        }),
    }
}

async fn call(client: &Client, name: &str, arguments: Value) -> Result<Called, McpError> {
    let arguments = if let Value::Object(arguments) = arguments { arguments } else { Map::new() };
    client.call(name, &arguments).await
}

/// What a model is told of a result; the whole of it is kept beside.
fn outcome(called: Result<Called, McpError>, whole: &Remote) -> ToolOutcome {
    match called {
        Ok(called) => {
            let text = called.to_text();
            let is_error = called.is_error;
            whole.keep(called);
            if is_error { ToolOutcome::failed("ToolError", text) } else { ToolOutcome::Done(text) }
        }
        Err(why) => ToolOutcome::failed("McpError", format!("the MCP server is of no use: {why}")),
    }
}
