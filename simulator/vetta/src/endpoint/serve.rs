//! From a request at the endpoint to its answer.

use std::sync::Arc;

use axum::{body::Body, extract::Request, http::Response};

use super::{Answer, Mount, answer, session_tools::SessionTools, transport};
use crate::{
    Call, Refusal, Reply, auth::credentials, environment::Road, http::read_head, service::Core,
    sessions::Session, store::Scope,
};

/// Where the endpoint of a session is.
pub(crate) const PATH: &str = "/v1/sessions/{id}/tools/mcp";

/// Opens the endpoint of a session or thread that is new, if its loop is on the second road.
pub(crate) fn open(core: &Arc<Core>, scope: &Scope, session: &Session) {
    if session.row.facts.road != Some(Road::Second) {
        return;
    }
    let token = format!("tok_{}", core.ids.uuid().replace('-', ""));
    let tools = SessionTools { core: Arc::downgrade(core), scope: scope.clone(), seen: session.clone() };
    let mount =
        Mount { session_id: session.id.clone(), account: scope.account().to_owned(), tools: Arc::new(tools) };
    core.mounts.lock().open(token, mount);
}

/// Answers one request that the router leads here. No API key opens an endpoint, and no token opens anything
/// else.
pub(crate) async fn serve(core: &Arc<Core>, request: Request) -> Response<Body> {
    let (mut head, body) = request.into_parts();
    let call = read_head(&mut head, Some(PATH)).await;
    respond(core, &call, body).await
}

/// Answers one request of a loop of this service at the endpoint of the session `session_id`.
pub(crate) async fn serve_at(core: &Arc<Core>, session_id: &str, request: Request) -> Response<Body> {
    let (mut head, body) = request.into_parts();
    let mut call = read_head(&mut head, Some(PATH)).await;
    call.params.insert("id".to_owned(), session_id.to_owned());
    respond(core, &call, body).await
}

async fn respond(core: &Arc<Core>, call: &Call, body: Body) -> Response<Body> {
    let mut reply = take(core, call, body).await.unwrap_or_else(|refusal| {
        let reply = refusal.reply((core.parts.http.error)(&refusal, &core.ids.prefixed("req_")));
        if refusal.status == 405 { reply.header("allow", "POST") } else { reply }
    });
    core.parts.http.outgoing.apply(call, &mut reply);
    reply.into_response(None)
}

async fn take(core: &Arc<Core>, call: &Call, body: Body) -> Result<Reply, Refusal> {
    let policy = &core.parts.endpoint;
    transport::check_origin(policy, call)?;
    let token = credentials(call).unwrap_or("");
    let mount = (policy.admit)(&core.mounts.lock(), token, call.param("id"))?;
    transport::check_method(call)?;
    transport::check_media(call)?;
    let bytes_max = core.parts.http.body_bytes_max;
    let body = axum::body::to_bytes(body, bytes_max).await.map_err(|_| Refusal::too_large(bytes_max))?;
    let reply = match answer(mount.tools.as_ref(), call.header("mcp-protocol-version"), &body).await {
        Answer::Json(status, body) => Reply::json(status, body),
        Answer::Accepted => Reply { status: 202, headers: Vec::new(), body: None },
    };
    Ok(reply)
}
