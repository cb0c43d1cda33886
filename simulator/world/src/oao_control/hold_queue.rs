//! `PUT /_control/queue {"agentId": "…", "held": true}`: the runs of an agent stay queued until it is let go.

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

/// The name of the feature.
pub(super) const NAME: &str = "hold-queue";

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct Hold {
    agent_id: String,
    held: bool,
}

pub(super) fn routes(service: &Service) -> Router {
    Router::new().route("/queue", put(hold)).with_state(service.clone())
}

async fn hold(State(service): State<Service>, body: String) -> Response {
    match serde_json::from_str::<Hold>(&body) {
        Ok(hold) => {
            service.queue().hold(&hold.agent_id, hold.held);
            StatusCode::NO_CONTENT.into_response()
        }
        Err(reason) => {
            let message = format!("the body must be {{\"agentId\": ID, \"held\": true or false}}: {reason}");
            (StatusCode::BAD_REQUEST, Json(json!({"error": {"code": "bad_request", "message": message}})))
                .into_response()
        }
    }
}
