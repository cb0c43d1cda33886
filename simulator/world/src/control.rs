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
