//! `records`: what the runtime keeps of the scratch conversations below a session.

use axum::{
    Json, Router,
    extract::{Query, State, rejection::QueryRejection},
    response::{IntoResponse, Response},
    routing::get,
};
use oao::Service;
use serde_json::{Value, json};

use crate::control_request::{bad, missing};

/// `GET /_control/records?session=ID` gives `{"records": [{id, parentSessionId, runId, toolCallId, operationKey,
/// ended}]}`.
pub(super) fn routes(service: &Service) -> Router {
    Router::new().route("/records", get(list)).with_state(service.clone())
}

async fn list(
    State(service): State<Service>,
    asked: Result<Query<Vec<(String, String)>>, QueryRejection>,
) -> Response {
    let asked = asked.map(|Query(asked)| asked).unwrap_or_default();
    let session = match asked.as_slice() {
        [(name, session)] if name == "session" => session,
        _ => return bad("session: the query has to be `session=ID` and nothing else"),
    };
    if !service.has_session(session) {
        return missing(&format!("session: there is no session `{session}`"));
    }
    let records: Vec<Value> = service
        .records()
        .of_session(session)
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
    Json(json!({"records": records})).into_response()
}
