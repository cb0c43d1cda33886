//! From a request at the endpoint to its answer.

use std::sync::Arc;

use axum::{body::Body, extract::Request, http::Response};

use super::{Answer, Mount, ToolSource, answer, transport};
use crate::{
    Call, Caller, Refusal, Reply, auth::credentials, environment::Road, http::read_head, service::Core,
    sessions::Session,
};

/// Where the endpoint of a session is.
pub(crate) const PATH: &str = "/v1/sessions/{id}/tools/mcp";

/// Opens the endpoint of a session that is new, if its loop is on the second road. It serves `tools`.
pub(crate) fn open(core: &Core, caller: &Caller, session: &Session, tools: Arc<dyn ToolSource>) {
    if session.row.facts.road != Some(Road::Second) {
        return;
    }
    let token = format!("tok_{}", core.ids.uuid().replace('-', ""));
    let mount = Mount { session_id: session.id.clone(), account: caller.account.clone(), tools };
    core.mounts.lock().open(token, mount);
}

/// Answers one request. No API key opens an endpoint, and no token opens anything else.
pub(crate) async fn serve(core: &Arc<Core>, request: Request) -> Response<Body> {
    let (mut head, body) = request.into_parts();
    let call = read_head(&mut head, Some(PATH)).await;
    let mut reply = take(core, &call, body).await.unwrap_or_else(|refusal| {
        let reply = refusal.reply((core.parts.http.error)(&refusal, &core.ids.prefixed("req_")));
        if refusal.status == 405 { reply.header("allow", "POST") } else { reply }
    });
    core.parts.http.outgoing.apply(&call, &mut reply);
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
