//! `plant-events`: a session whose events are given, so that an observer can be judged on times and gaps that
//! no run brings about, and on sessions from before steps named their owners.

use axum::{
    Json, Router,
    extract::State,
    http::StatusCode,
    response::{IntoResponse, Response},
    routing::post,
};
use oao::{PlantedEvent, Service};
use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::control_request::{bad, missing, read};

/// The name of the feature.
pub(super) const NAME: &str = "plant-events";

/// `POST /_control/plant-events`
pub(super) fn routes(service: &Service) -> Router {
    Router::new().route("/plant-events", post(plant)).with_state(service.clone())
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct Body {
    agent_id: String,
    events: Vec<Planted>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct Planted {
    kind: String,
    occurred_at: String,
    payload: Map<String, Value>,
}

/// Takes `{agentId, events: [{kind, occurredAt, payload}]}`; gives 201 `{session, run, events: [id]}`.
async fn plant(State(service): State<Service>, body: String) -> Response {
    let shape = r#"{"agentId": …, "events": [{"kind": …, "occurredAt": …, "payload": {…}}]}"#;
    let body: Body = match read(&body, shape) {
        Ok(body) => body,
        Err(refusal) => return *refusal,
    };
    if !service.has_agent(&body.agent_id) {
        return missing(&format!("agentId: there is no agent `{}`", body.agent_id));
    }
    if let Some(at) = body.events.iter().position(|event| event.kind.is_empty()) {
        return bad(&format!("events[{at}].kind: a kind of event is needed"));
    }
    let event = |event: Planted| PlantedEvent {
        kind: event.kind,
        occurred_at: event.occurred_at,
        payload: Value::Object(event.payload),
    };
    match service.plant(&body.agent_id, body.events.into_iter().map(event).collect()) {
        Ok(planted) => {
            let planted = json!({"session": planted.session, "run": planted.run, "events": planted.events});
            (StatusCode::CREATED, Json(planted)).into_response()
        }
        Err(refusal) => bad(&refusal.message),
    }
}
