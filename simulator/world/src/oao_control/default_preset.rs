//! `default-preset`: the model preset that the project proposes for new agents.

use axum::{
    Json, Router,
    extract::State,
    response::{IntoResponse, Response},
    routing::put,
};
use oao::Service;
use serde::Deserialize;
use serde_json::json;

use crate::control_request::{bad, read};

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
    let body: Body = match read(&body, r#"{"preset": NAME}"#) {
        Ok(body) => body,
        Err(refusal) => return *refusal,
    };
    if !service.parts().catalogue.presets.contains(&body.preset) {
        return bad(&format!("preset: `{}` is no approved preset", body.preset));
    }
    Json(json!({"previous": service.set_default_preset(&body.preset)})).into_response()
}
