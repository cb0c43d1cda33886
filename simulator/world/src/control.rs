//! The control port: `/_control`, for whoever sits on this machine.

use axum::{
    Extension, Json, Router,
    extract::State,
    http::StatusCode,
    response::{IntoResponse, Response},
    routing::{get, put},
};
use serde::Deserialize;
use serde_json::{Value, json};
use wire::net::Peer;

use crate::ModelAddress;

/// What the control port knows.
#[derive(Clone)]
pub(crate) struct Control {
    pub(crate) description: Value,
    pub(crate) model: ModelAddress,
}

/// The routes of the control port.
///
/// * `GET /_control/target` gives the target description.
/// * `PUT /_control/model` takes `{"url": "http://host:port/v1"}`, the model to call from now on.
pub(crate) fn router(control: Control) -> Router {
    Router::new()
        .route("/_control/target", get(target))
        .route("/_control/model", put(model))
        .route_layer(axum::middleware::from_fn(local_only))
        .with_state(control)
}

/// A peer from elsewhere does not learn that there is a control port.
async fn local_only(
    peer: Option<Extension<Peer>>,
    request: axum::extract::Request,
    next: axum::middleware::Next,
) -> Response {
    match peer {
        Some(Extension(peer)) if peer.is_local() => next.run(request).await,
        _ => StatusCode::NOT_FOUND.into_response(),
    }
}

async fn target(State(control): State<Control>) -> Json<Value> {
    Json(control.description)
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ModelBody {
    url: String,
}

async fn model(State(control): State<Control>, body: String) -> Response {
    let parsed = serde_json::from_str::<ModelBody>(&body).map_err(|error| error.to_string());
    match parsed
        .and_then(|body| body.url.parse().map_err(|error: agent::model::BadModelUrl| error.to_string()))
    {
        Ok(url) => {
            control.model.set(url);
            StatusCode::NO_CONTENT.into_response()
        }
        Err(reason) => {
            let message = format!("the body must be {{\"url\": \"http://host:port/v1\"}}: {reason}");
            (StatusCode::BAD_REQUEST, Json(json!({"error": {"code": "bad_request", "message": message}})))
                .into_response()
        }
    }
}

#[cfg(test)]
mod tests {
    use std::net::SocketAddr;

    use axum::{body::Body, http::Request};
    use tower::ServiceExt;

    use super::*;

    const BEFORE: &str = "http://before.test:80/v1";

    fn control() -> Control {
        let model = ModelAddress::default();
        model.set(BEFORE.parse().unwrap());
        Control { description: json!({"name": "secretive"}), model }
    }

    async fn ask(control: &Control, peer: Option<Peer>, method: &str, path: &str, body: &str) -> StatusCode {
        let request = Request::builder().method(method).uri(path);
        let request = match peer {
            Some(peer) => request.extension(peer),
            None => request,
        };
        let request = request.body(Body::from(body.to_owned())).unwrap();
        router(control.clone()).oneshot(request).await.unwrap().status()
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
            assert_eq!(ask(&control, peer, "GET", "/_control/target", "").await, StatusCode::OK, "{peer:?}");
            let body = r#"{"url": "http://ours.test:80/v1"}"#;
            let status = ask(&control, peer, "PUT", "/_control/model", body).await;
            assert_eq!(status, StatusCode::NO_CONTENT, "{peer:?}");
            assert_eq!(control.model.get(), Some("http://ours.test:80/v1".parse().unwrap()));
        }
    }
}
