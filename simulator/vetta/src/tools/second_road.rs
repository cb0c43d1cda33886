//! The contributed tools of a loop on the second road: it finds them at the endpoint of its session, as a
//! process on a machine of its own would.

use std::sync::Arc;

use agent::{CallContext, Tool, ToolOutcome};
use axum::{
    body::{Body, to_bytes},
    extract::Request,
};
use futures_util::{FutureExt, future::BoxFuture};
use serde_json::{Map, Value};
use wire::http::{Failure, Response};

use crate::{
    endpoint::{self, Listed},
    mcp::{Channel, Client},
    service::Core,
    turns::TurnError,
};

/// The largest answer of the endpoint that is read.
const ANSWER_BYTES_MAX: usize = 8 * 1024 * 1024;

/// The tools that the endpoint of a session lists.
pub(super) async fn at_endpoint(core: &Arc<Core>, session_id: &str) -> Result<Vec<Arc<dyn Tool>>, TurnError> {
    let failed = |why: &dyn std::fmt::Display| {
        let message = format!("the tools of the session's endpoint cannot be had: {why}");
        TurnError::new("tool_endpoint_unavailable", message)
    };
    let token = core.mounts.lock().of_session(session_id).map(|(token, _)| token.to_owned());
    let token = token.ok_or_else(|| failed(&"it has none"))?;
    let channel = Own { core: core.clone(), session_id: session_id.to_owned() };
    let headers = vec![("authorization".to_owned(), format!("Bearer {token}"))];
    let client = Client::open(Arc::new(channel), headers).await.map_err(|why| failed(&why))?;
    let listed = client.tools().await.map_err(|why| failed(&why))?;
    let tools = listed
        .into_iter()
        .map(|listed| -> Arc<dyn Tool> { Arc::new(Reached { client: client.clone(), listed }) });
    Ok(tools.collect())
}

/// The way to an endpoint of this service: its own route, without a network in between.
#[derive(Clone)]
struct Own {
    core: Arc<Core>,
    session_id: String,
}

impl Channel for Own {
    fn post(
        &self,
        headers: Vec<(String, String)>,
        body: String,
    ) -> BoxFuture<'static, Result<Response, Failure>> {
        let own = self.clone();
        async move {
            let broken = |why: &dyn std::fmt::Display| Failure::Broken(why.to_string());
            let mut request = Request::post(endpoint::PATH.replace("{id}", &own.session_id))
                .header("content-type", "application/json")
                .header("accept", "application/json, text/event-stream");
            for (name, value) in headers {
                request = request.header(name, value);
            }
            let request = request.body(Body::from(body)).map_err(|why| broken(&why))?;
            let (head, body) = endpoint::serve_at(&own.core, &own.session_id, request).await.into_parts();
            let body = to_bytes(body, ANSWER_BYTES_MAX).await.map_err(|why| broken(&why))?;
            let headers = head.headers.iter().map(|(name, value)| {
                (name.to_string(), String::from_utf8_lossy(value.as_bytes()).into_owned())
            });
            Ok(Response { status: head.status.as_u16(), headers: headers.collect(), body })
        }
        .boxed()
    }
}

/// A tool that is called through the endpoint, which knows the agent's policy and tells of the call.
struct Reached {
    client: Client,
    listed: Listed,
}

impl Tool for Reached {
    fn name(&self) -> &str {
        &self.listed.name
    }

    fn description(&self) -> &str {
        &self.listed.description
    }

    fn parameters(&self) -> Value {
        self.listed.schema.clone()
    }

    fn call(&self, _: CallContext, arguments: Value) -> BoxFuture<'static, ToolOutcome> {
        let (client, name) = (self.client.clone(), self.listed.name.clone());
        async move {
            let arguments = if let Value::Object(arguments) = arguments { arguments } else { Map::new() };
            match client.call(&name, &arguments).await {
                Ok(called) if called.is_error => ToolOutcome::failed("ToolError", called.to_text()),
                Ok(called) => ToolOutcome::Done(called.to_text()),
                Err(why) => ToolOutcome::failed("McpError", format!("the endpoint is of no use: {why}")),
            }
        }
        .boxed()
    }
}
