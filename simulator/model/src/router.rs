//! The paths that a host answers.

use axum::{
    Json, Router,
    extract::{Request, State},
    middleware::{self, Next},
    response::{IntoResponse, Response},
    routing::{get, post},
};
use http::{HeaderMap, HeaderValue, Method, StatusCode, Uri, header};
use serde_json::{Value, json};

use crate::{
    admin, exchange,
    host::Host,
    key,
    rejection::Rejection,
    wires::{CHAT, Wire},
};

/// The model that is listed besides those that scripts ask for.
const MODEL: &str = "fake-model";

/// Every wire and the path it is spoken at, below a session's prefix or not.
const WIRES: [(&str, &dyn Wire); 1] = [("/v1/chat/completions", &CHAT)];

pub(crate) fn of(host: Host) -> Router {
    let mut router = Router::new();
    for prefix in ["", "/s/{key}"] {
        for (path, wire) in WIRES {
            let call =
                move |State(host): State<Host>, request: Request| exchange::answer(host, wire, request);
            router = router.route(&format!("{prefix}{path}"), post(call));
        }
        router = router.route(&format!("{prefix}/v1/models"), get(models));
    }
    router
        .merge(admin::routes())
        .fallback(unknown_path)
        .method_not_allowed_fallback(unknown_method)
        .layer(middleware::from_fn(browsers))
        .with_state(host)
}

async fn models(State(host): State<Host>, uri: Uri, headers: HeaderMap) -> Json<Value> {
    let mut names = vec![MODEL.to_owned()];
    let mut state = host.state();
    let session = key::of(&uri, &headers, None, "", |key| state.sessions.contains_key(key));
    if let Ok(session) = state.session(&session) {
        let asked =
            session.script().turns().iter().filter_map(|turn| turn.when.model.clone()).collect::<Vec<_>>();
        names.extend(asked);
    }
    names.sort();
    names.dedup();
    let created = host.mint().created;
    let model =
        |name: String| json!({"id": name, "object": "model", "created": created, "owned_by": "proofhouse"});
    Json(json!({"object": "list", "data": names.into_iter().map(model).collect::<Vec<_>>()}))
}

async fn unknown_path(State(host): State<Host>, request: Request) -> Response {
    let rejection = Rejection::unknown_path(request.method().as_str(), request.uri().path());
    turn_away(&host, request, rejection)
}

async fn unknown_method(State(host): State<Host>, request: Request) -> Response {
    let rejection = Rejection::unknown_method(request.method().as_str(), request.uri().path());
    turn_away(&host, request, rejection)
}

/// Clients probe with HEAD whether anybody is there: somebody is. All else is told what is wrong.
fn turn_away(host: &Host, request: Request, rejection: Rejection) -> Response {
    if request.method() == Method::HEAD {
        return StatusCode::OK.into_response();
    }
    exchange::refuse(host, &CHAT, request, rejection)
}

/// Lets browsers in, whatever headers they mean to send.
async fn browsers(request: Request, next: Next) -> Response {
    let wanted = request.headers().get(header::ACCESS_CONTROL_REQUEST_HEADERS).cloned();
    let mut response = match *request.method() {
        Method::OPTIONS => StatusCode::NO_CONTENT.into_response(),
        _ => next.run(request).await,
    };
    let any = HeaderValue::from_static("*");
    let headers = response.headers_mut();
    headers.insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, any.clone());
    headers.insert(header::ACCESS_CONTROL_EXPOSE_HEADERS, any.clone());
    if let Some(wanted) = wanted {
        // The star does not cover `authorization`, so the names are repeated.
        headers.insert(header::ACCESS_CONTROL_ALLOW_HEADERS, wanted);
        headers.insert(header::ACCESS_CONTROL_ALLOW_METHODS, any);
    }
    response
}
