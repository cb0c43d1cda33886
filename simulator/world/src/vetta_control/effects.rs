//! `effects`: what the tools of a session have done, as they have written it down themselves.

use axum::{
    Json, Router,
    extract::{Query, State},
    routing::get,
};
use serde::Deserialize;
use serde_json::{Value, json};
use vetta::Service;

/// The name of the feature.
pub(super) const NAME: &str = "effects";

/// `GET /_control/effects?session=ID` gives `{"effects": [{tool, tool_call_id, arguments, at}]}`, oldest first:
/// one entry for each time that a tool did its work.
pub(super) fn routes(service: &Service) -> Router {
    Router::new().route("/effects", get(list)).with_state(service.clone())
}

#[derive(Deserialize)]
struct Asked {
    session: String,
}

async fn list(State(service): State<Service>, Query(asked): Query<Asked>) -> Json<Value> {
    let effects = service.effects().of_session(&asked.session).into_iter();
    let effects: Vec<Value> = effects
        .map(|effect| {
            json!({
                "tool": effect.name,
                "tool_call_id": effect.tool_call_id,
                "arguments": effect.arguments,
                "at": effect.at,
            })
        })
        .collect();
    Json(json!({ "effects": effects }))
}
