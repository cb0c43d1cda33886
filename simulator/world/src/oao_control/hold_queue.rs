//! `PUT /_control/queue {"agentId": "…", "held": true}`: the runs of an agent stay queued until it is let go.

use axum::{
    Router,
    extract::State,
    http::StatusCode,
    response::{IntoResponse, Response},
    routing::put,
};
use oao::Service;
use serde::Deserialize;

use crate::control_request::{missing, read};

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
    let hold: Hold = match read(&body, r#"{"agentId": ID, "held": true or false}"#) {
        Ok(hold) => hold,
        Err(refusal) => return *refusal,
    };
    if !service.has_agent(&hold.agent_id) {
        return missing(&format!("agentId: there is no agent `{}`", hold.agent_id));
    }
    service.queue().hold(&hold.agent_id, hold.held);
    StatusCode::NO_CONTENT.into_response()
}
