//! `default-preset`: the model preset that the project proposes for new agents.

use axum::{
    Json, Router,
    extract::State,
    http::StatusCode,
    response::{IntoResponse, Response},
    routing::put,
};
use oao::Service;
use serde::Deserialize;
use serde_json::json;

/// `PUT /_control/default-preset` takes `{"preset": NAME}` and gives `{"previous": NAME}`.
pub(super) fn routes(service: &Service) -> Router {
    Router::new().route("/default-preset", put(change)).with_state(service.clone())
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Body {
    preset: String,
}

async fn change(State(service): State<Service>, body: String) -> Response {
    match serde_json::from_str::<Body>(&body) {
        Ok(body) if service.parts().catalogue.presets.contains(&body.preset) => {
            Json(json!({"previous": service.set_default_preset(&body.preset)})).into_response()
        }
        Ok(body) => refuse(format!("`{}` is no approved preset", body.preset)),
        Err(reason) => refuse(format!("the body must be {{\"preset\": NAME}}: {reason}")),
    }
}

fn refuse(message: String) -> Response {
    let body = json!({"error": {"code": "bad_request", "message": message}});
    (StatusCode::BAD_REQUEST, Json(body)).into_response()
}
