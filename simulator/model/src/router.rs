//! The paths that a host answers.

use axum::{
    extract::Request,
    response::{IntoResponse, Response},
};
use http::{HeaderMap, HeaderValue, Method, StatusCode, header};
use tower::Service as _;

use crate::{
    count, exchange, host::Host, models, rejection::Rejection, script::WireName, stored, wires::wire,
};

/// The header that tells a client of the Messages wire.
pub(crate) const ANTHROPIC: &str = "anthropic-version";

/// Every wire and the path it is spoken at, below a session's prefix or not.
const WIRES: [(&str, WireName); 3] = [
    ("/v1/chat/completions", WireName::Chat),
    ("/v1/responses", WireName::Responses),
    ("/v1/messages", WireName::Messages),
];
/// Where tokens are counted, on the Messages wire alone.
const COUNT: &str = "/v1/messages/count_tokens";

/// Answers a request. Paths are looked up by hand: this is the way of every answer, and costs what it costs
/// a thousand times a second.
pub(crate) async fn respond(host: Host, request: Request) -> Response {
    let wanted = request.headers().get(header::ACCESS_CONTROL_REQUEST_HEADERS).cloned();
    let mut response = match *request.method() {
        Method::OPTIONS => StatusCode::NO_CONTENT.into_response(),
        _ => dispatch(host, request).await,
    };
    open_to_browsers(response.headers_mut(), wanted);
    response
}

/// Lets pages of any origin read an answer. `wanted` are the headers that a browser asks to send.
pub(crate) fn open_to_browsers(headers: &mut HeaderMap, wanted: Option<HeaderValue>) {
    let any = HeaderValue::from_static("*");
    // Answers of a wire are open from the start.
    if !headers.contains_key(header::ACCESS_CONTROL_ALLOW_ORIGIN) {
        headers.insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, any.clone());
        headers.insert(header::ACCESS_CONTROL_EXPOSE_HEADERS, any.clone());
    }
    if let Some(wanted) = wanted {
        // The star does not cover `authorization`, so the names are repeated.
        headers.insert(header::ACCESS_CONTROL_ALLOW_HEADERS, wanted);
        headers.insert(header::ACCESS_CONTROL_ALLOW_METHODS, any);
    }
}

async fn dispatch(host: Host, request: Request) -> Response {
    let path = request.uri().path();
    if path.starts_with("/_model/") || path == "/_model" {
        let mut admin = host.admin();
        let (mut parts, body) = request.into_parts();
        parts.extensions.insert(host);
        let request = Request::from_parts(parts, body);
        return admin.call(request).await.unwrap_or_else(|never| match never {});
    }
    let path = below(path);
    let named = WIRES.iter().find(|(spoken_at, _)| *spoken_at == path).map(|(_, name)| *name);
    let is_upgrade = wants_web_socket(request.headers());
    if let (Some(name), &Method::POST, false) = (named, request.method(), is_upgrade) {
        return exchange::answer(host, wire(name), request).await;
    }
    let counts = path == COUNT;
    let spoken = spoken(path, request.headers().contains_key(ANTHROPIC));
    let envelope = wire(spoken);
    if is_upgrade {
        return exchange::refuse(&host, envelope, request, Rejection::no_upgrade());
    }
    let method = request.method().clone();
    match (named, &method) {
        (None, &Method::POST) if counts => count::tokens(host, request).await,
        // Clients probe with HEAD whether anybody is there: somebody is.
        (_, &Method::HEAD) => StatusCode::OK.into_response(),
        (None, &Method::GET) if models::are_at(path) => {
            let path = path.to_owned();
            models::respond(&host, request, &path, spoken)
        }
        (None, &Method::GET) if stored::id_at(path).is_some() => {
            let id = stored::id_at(path).unwrap_or_default().to_owned();
            stored::respond(&host, request, &id)
        }
        (None, _) if !counts && !models::are_at(path) && stored::id_at(path).is_none() => {
            let rejection = Rejection::unknown_path(method.as_str(), request.uri().path());
            exchange::refuse(&host, envelope, request, rejection)
        }
        _ => {
            let rejection = Rejection::unknown_method(method.as_str(), request.uri().path());
            exchange::refuse(&host, envelope, request, rejection)
        }
    }
}

/// Whether a client wants to speak WebSocket. Other upgrades are offers that a server may leave lying: clients
/// of HTTP/2 make one with every first request in the clear.
pub(crate) fn wants_web_socket(headers: &HeaderMap) -> bool {
    let values = headers.get_all(header::UPGRADE).into_iter().filter_map(|value| value.to_str().ok());
    values.flat_map(|value| value.split(',')).any(|word| {
        let protocol = word.trim().split('/').next().unwrap_or_default();
        protocol.eq_ignore_ascii_case("websocket")
    })
}

/// The wire that is spoken at a path.
pub(crate) fn wire_at(path: &str) -> Option<WireName> {
    let path = below(path);
    WIRES.iter().find(|(spoken_at, _)| *spoken_at == path).map(|(_, name)| *name)
}

/// The method that a known path takes.
pub(crate) fn method_at(path: &str) -> &'static str {
    let is_asked = wire_at(path).is_some() || below(path) == COUNT;
    if is_asked { "POST" } else { "GET, HEAD" }
}

/// The path without the session in front and without slashes at its end.
pub(crate) fn below(path: &str) -> &str {
    let below = path.strip_prefix("/s/").and_then(|rest| rest.find('/').map(|end| &rest[end..]));
    below.unwrap_or(path).trim_end_matches('/')
}

/// The wire in whose words a request at `path` is answered, whatever the answer. `anthropic` says whether it
/// has the header that tells a client of the Messages wire.
pub(crate) fn spoken(path: &str, anthropic: bool) -> WireName {
    let path = below(path);
    match WIRES.iter().find(|(spoken_at, _)| *spoken_at == path) {
        Some((_, name)) => *name,
        None if path == COUNT || anthropic => WireName::Messages,
        None => WireName::Chat,
    }
}
