//! The control port: `/_control`, for whoever sits on this machine.

use axum::{
    Extension, Json, Router,
    extract::{Request, State},
    http::StatusCode,
    middleware::{Next, from_fn},
    response::{IntoResponse, Response},
    routing::get,
};
use serde::Deserialize;
use serde_json::{Value, json};
use spec::Contract;
use tower::ServiceExt;
use wire::net::Peer;

use crate::{ModelAddress, control_request};

/// What the control port knows.
#[derive(Clone)]
pub(crate) struct Control {
    pub(crate) contract: Contract,
    pub(crate) description: Value,
    pub(crate) model: ModelAddress,
}

/// Puts the control port in front of a contract's routes.
///
/// * `GET /_control/target` gives the target description.
/// * `GET /_control/openapi.json` gives the API as an OpenAPI document.
/// * `PUT /_control/model` takes `{"url": "http://host:port/v1"}`, the model to call from now on.
/// * `GET /_control/model` gives it back, so that a run can see whether another one took the target over.
/// * `more` are the routes of one contract: its target description lists them under `settings.control`.
///
/// A peer from elsewhere gets whatever the contract says of a path that it does not have, and so does not
/// learn that there is a control port.
pub(crate) fn in_front_of(contract: Router, control: Control, more: Router) -> Router {
    let port = Router::new()
        .route("/_control/target", get(target))
        .route("/_control/openapi.json", get(openapi))
        .route("/_control/model", get(named).put(model))
        .with_state(control)
        .merge(Router::new().nest("/_control", more));
    contract.layer(from_fn(move |peer: Option<Extension<Peer>>, request: Request, next: Next| {
        let port = port.clone();
        async move {
            let is_here = peer.is_some_and(|Extension(peer)| peer.is_local());
            if is_here && request.uri().path().starts_with("/_control/") {
                return port.oneshot(request).await.unwrap_or_else(|never| match never {});
            }
            next.run(request).await
        }
    }))
}

async fn named(State(control): State<Control>) -> Json<Value> {
    Json(json!({"url": control.model.get().map(|url| url.to_string())}))
}

async fn target(State(control): State<Control>) -> Json<Value> {
    Json(control.description)
}

async fn openapi(State(control): State<Control>) -> Response {
    match spec::openapi::document(control.contract) {
        Ok(document) => Json(document).into_response(),
        Err(why) => {
            let error = json!({"error": {"code": "not_found", "message": why.to_string()}});
            (StatusCode::NOT_FOUND, Json(error)).into_response()
        }
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ModelBody {
    url: String,
}

async fn model(State(control): State<Control>, body: String) -> Response {
    let shape = r#"{"url": "http://host:port/v1"}"#;
    let body: ModelBody = match control_request::read(&body, shape) {
        Ok(body) => body,
        Err(refusal) => return *refusal,
    };
    match body.url.parse() {
        Ok(url) => {
            control.model.set(url);
            StatusCode::NO_CONTENT.into_response()
        }
        Err(reason) => {
            let reason: agent::model::BadModelUrl = reason;
            control_request::bad(&format!("the body must be {shape}: url: {reason}"))
        }
    }
}

#[cfg(test)]
mod tests {
    use std::net::SocketAddr;

    use axum::{body::Body, http::Request};

    use super::*;

    const BEFORE: &str = "http://before.test:80/v1";

    fn control() -> Control {
        let model = ModelAddress::default();
        model.set(BEFORE.parse().unwrap());
        Control { contract: Contract::Oao, description: json!({"name": "secretive"}), model }
    }

    async fn ask(control: &Control, peer: Option<Peer>, method: &str, path: &str, body: &str) -> StatusCode {
        let request = Request::builder().method(method).uri(path);
        let request = match peer {
            Some(peer) => request.extension(peer),
            None => request,
        };
        let request = request.body(Body::from(body.to_owned())).unwrap();
        in_front_of(Router::new(), control.clone(), Router::new()).oneshot(request).await.unwrap().status()
    }

    fn at(address: &str) -> Option<Peer> {
        Some(Peer::Tcp(address.parse::<SocketAddr>().unwrap()))
    }

    #[tokio::test]
    async fn whoever_is_elsewhere_finds_nothing_and_changes_nothing() {
        let control = control();
        let body = r#"{"url": "http://theirs.test:80/v1"}"#;
        for peer in [at("192.0.2.7:4000"), at("[2001:db8::1]:4000"), at("[::ffff:192.0.2.7]:4000"), None] {
            for (method, path) in [
                ("GET", "/_control/target"),
                ("GET", "/_control/openapi.json"),
                ("PUT", "/_control/model"),
                // A wrong method would give the route away too.
                ("POST", "/_control/target"),
                ("GET", "/_control/model"),
            ] {
                let status = ask(&control, peer, method, path, body).await;
                assert_eq!(status, StatusCode::NOT_FOUND, "{peer:?} {method} {path}");
            }
        }
        assert_eq!(control.model.get(), Some(BEFORE.parse().unwrap()));
    }

    #[tokio::test]
    async fn whoever_is_here_is_served() {
        for peer in
            [Some(Peer::Memory), at("127.0.0.1:4000"), at("[::1]:4000"), at("[::ffff:127.0.0.1]:4000")]
        {
            let control = control();
            for path in ["/_control/target", "/_control/openapi.json"] {
                assert_eq!(ask(&control, peer, "GET", path, "").await, StatusCode::OK, "{peer:?} {path}");
            }
            let body = r#"{"url": "http://ours.test:80/v1"}"#;
            let status = ask(&control, peer, "PUT", "/_control/model", body).await;
            assert_eq!(status, StatusCode::NO_CONTENT, "{peer:?}");
            assert_eq!(control.model.get(), Some("http://ours.test:80/v1".parse().unwrap()));
        }
    }
}
