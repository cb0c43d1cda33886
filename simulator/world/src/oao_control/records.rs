//! `records`: what the runtime keeps of the scratch conversations below a session.

use axum::{
    Json, Router,
    extract::{Query, State},
    routing::get,
};
use oao::Service;
use serde::Deserialize;
use serde_json::{Value, json};

/// `GET /_control/records?session=ID` gives `{"records": [{id, parentSessionId, runId, toolCallId, operationKey,
/// ended}]}`.
pub(super) fn routes(service: &Service) -> Router {
    Router::new().route("/records", get(list)).with_state(service.clone())
}

#[derive(Deserialize)]
struct Asked {
    session: String,
}

async fn list(State(service): State<Service>, Query(asked): Query<Asked>) -> Json<Value> {
    let records: Vec<Value> = service
        .records()
        .of_session(&asked.session)
        .into_iter()
        .map(|record| {
            json!({
                "id": record.id,
                "parentSessionId": record.parent_session_id,
                "runId": record.run_id,
                "toolCallId": record.tool_call_id,
                "operationKey": record.operation_key,
                "ended": record.ended,
            })
        })
        .collect();
    Json(json!({"records": records}))
}
