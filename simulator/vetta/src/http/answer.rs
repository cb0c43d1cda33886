//! From a request to its answer: credentials, route, body, operation, rewrites.

use std::{collections::BTreeMap, sync::Arc};

use axum::{
    body::{Body, Bytes},
    extract::{FromRequestParts, Query as QueryString, RawPathParams, Request},
    http::{Response, request::Parts as Head},
};

use super::{Call, Outcome, Payload, Query, Route};
use crate::{Caller, Refusal, service::Core, store::Scope};

/// Answers one request. `route` is the one whose path matched.
pub(crate) async fn answer(
    core: &Arc<Core>,
    route: Option<&'static Route>,
    request: Request,
) -> Response<Body> {
    let (mut head, body) = request.into_parts();
    let mut call = read_head(&mut head, route.map(|route| route.path)).await;
    let outcome = operate(core, route, &mut call, &head, body).await.unwrap_or_else(|(refusal, headers)| {
        let envelope = (core.parts.http.error)(&refusal, &core.ids.prefixed("req_"));
        let mut reply = refusal.reply(envelope);
        reply.headers.extend(headers);
        Outcome::reply(reply)
    });
    let Outcome { mut reply, stream } = outcome;
    core.parts.http.outgoing.apply(&call, &mut reply);
    let stream = stream.filter(|_| reply.status == 200);
    reply.into_response(stream)
}

/// The head of a request whose path matched `route`.
pub(crate) async fn read_head(head: &mut Head, route: Option<&'static str>) -> Call {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let mut params = BTreeMap::new();
    if route.is_some()
        && let Ok(found) = RawPathParams::from_request_parts(head, &()).await
    {
        params.extend(found.iter().map(|(name, value)| (name.to_owned(), value.to_owned())));
    }
    Call {
        method: head.method.as_str().to_owned(),
        path: head.uri.path().to_owned(),
        route,
        params,
        query: QueryString::<Query>::try_from_uri(&head.uri).map(|query| query.0).unwrap_or_default(),
        headers: head
            .headers
            .iter()
            .map(|(name, value)| (name.to_string(), text(value.as_bytes())))
            .collect(),
        payload: Payload::Unread,
        caller: None,
    }
}

/// A refusal, and headers that belong to it.
type Refused = (Refusal, Vec<(String, String)>);

async fn operate(
    core: &Arc<Core>,
    route: Option<&'static Route>,
    call: &mut Call,
    head: &Head,
    body: Body,
) -> Result<Outcome, Refused> {
    let plain = |refusal: Refusal| (refusal, Vec::new());
    let caller = (core.parts.auth.check)(call, &core.keyring()).map_err(plain)?;
    call.caller = Some(caller.clone());
    let Some(route) = route else {
        let message = format!("there is nothing at {} {}", call.method, call.path);
        return Err(plain(Refusal::not_found("route_not_found", None, message)));
    };
    let Some(handler) = route.handler(&call.method) else {
        let message = format!("{} takes {}", route.path, route.allow());
        return Err((Refusal::method_not_allowed(message), vec![("allow".to_owned(), route.allow())]));
    };
    if head.uri.query().is_some() && QueryString::<Query>::try_from_uri(&head.uri).is_err() {
        return Err(plain(Refusal::malformed("the query string cannot be decoded")));
    }
    let bytes = read_body(core, call, body).await.map_err(plain)?;
    run(core, call, &caller, &bytes, handler).map_err(plain)
}

async fn read_body(core: &Arc<Core>, call: &mut Call, body: Body) -> Result<Bytes, Refusal> {
    if !matches!(call.method.as_str(), "POST" | "PATCH") {
        return Ok(Bytes::new());
    }
    let bytes_max = core.parts.http.body_bytes_max;
    let bytes = axum::body::to_bytes(body, bytes_max).await.map_err(|_| Refusal::too_large(bytes_max))?;
    call.payload = match serde_json::from_slice(&bytes) {
        Ok(value) => Payload::Json(value),
        Err(error) => Payload::Malformed(error.to_string()),
    };
    Ok(bytes)
}

fn run(
    core: &Arc<Core>,
    call: &Call,
    caller: &Caller,
    body: &[u8],
    handler: super::Handler,
) -> Result<Outcome, Refusal> {
    let scope = Scope::of(caller);
    core.replays.once(&core.parts.http.replay, (scope, call, body), || handler(core, call, caller))
}
