//! From bytes to bytes.

use axum::{
    Router,
    body::{Body, to_bytes},
    extract::{Query, Request},
    response::Response,
};
use futures_util::StreamExt;
use http::{HeaderName, HeaderValue, StatusCode};
use serde_json::Value;

use super::{Call, Flight, Reply, ReplyBody};
use crate::{
    Service,
    errors::{Code, Refusal},
};

/// The service as a router. Every path goes through the table of routes.
pub(crate) fn router(service: &Service) -> Router {
    let service = service.clone();
    Router::new().fallback(move |request: Request| {
        let service = service.clone();
        async move { respond(&service, request).await }
    })
}

async fn respond(service: &Service, request: Request) -> Response {
    let limits = &service.parts().front.limits;
    let (head, body) = request.into_parts();
    let own_id = head.headers.get("x-request-id").and_then(|value| value.to_str().ok());
    let own_id =
        own_id.filter(|id| !id.is_empty() && id.chars().count() as u64 <= limits.request_id_chars_max);
    let query =
        Query::<Vec<(String, String)>>::try_from_uri(&head.uri).map(|Query(query)| query).unwrap_or_default();
    let mut call = Call {
        method: head.method.as_str().to_owned(),
        path: head.uri.path().to_owned(),
        query,
        request_id: own_id.map_or_else(|| service.ids().uuid(), str::to_owned),
        headers: head.headers,
        ..Call::default()
    };
    let most = usize::try_from(limits.body_bytes_max).unwrap_or(usize::MAX);
    let read = to_bytes(body, most).await;
    let outcome = match read {
        Ok(bytes) => {
            call.bytes = bytes;
            answer(service, &mut call)
        }
        Err(_) => Err(Refusal::bad_request(format!("the body broke off or is larger than {most} bytes"))),
    };
    let mut reply = outcome
        .unwrap_or_else(|refusal| Reply::json(refusal.code.status(), refusal.envelope(&call.request_id)));
    for rewrite in &service.parts().front.rewrites {
        rewrite(&call, &mut reply);
    }
    encode(&call, reply)
}

fn answer(service: &Service, call: &mut Call) -> Result<Reply, Refusal> {
    let routes = &service.parts().front.routes;
    let found = routes.iter().find_map(|route| Some((route, route.params(&call.method, &call.path)?)));
    let (route, params) = found.ok_or_else(|| Refusal::not_found("route"))?;
    call.params = params;
    let mut flight = Flight { call: std::mem::take(call), route: route.clone(), act: None, reply: None };
    let passed = service.parts().front.stages.iter().try_for_each(|stage| stage(service, &mut flight));
    *call = flight.call;
    passed?;
    flight.reply.ok_or_else(|| Refusal::new(Code::InternalError, "nothing answered the request"))
}

fn encode(call: &Call, reply: Reply) -> Response {
    let is_json = matches!(reply.body, ReplyBody::Json(_));
    let body = match reply.body {
        ReplyBody::Json(Value::Null) => Body::empty(),
        ReplyBody::Json(value) => Body::from(value.to_string()),
        ReplyBody::Stream(open) => Body::from_stream(open().map(Ok::<_, std::convert::Infallible>)),
    };
    let mut response = Response::new(body);
    *response.status_mut() = StatusCode::from_u16(reply.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    let standard = [
        ("x-request-id", call.request_id.as_str()),
        ("x-content-type-options", "nosniff"),
        ("cache-control", "no-store"),
        ("content-type", if is_json { "application/json; charset=utf-8" } else { "text/event-stream" }),
    ];
    let own = reply.headers.iter().map(|(name, value)| (name.as_str(), value.as_str()));
    for (name, value) in standard.into_iter().chain(own) {
        // What cannot stand in a header is left out rather than answered with a panic.
        if let (Ok(name), Ok(value)) = (HeaderName::try_from(name), HeaderValue::try_from(value)) {
            response.headers_mut().insert(name, value);
        }
    }
    response
}
