//! `tool-endpoint`: where a session's loop reaches the tools that are contributed to it, and with what.

use axum::{
    Json, Router,
    extract::{Query, State},
    http::{HeaderMap, header::HOST},
    routing::get,
};
use serde::Deserialize;
use serde_json::{Value, json};
use vetta::Service;

/// The name of the feature.
pub(super) const NAME: &str = "tool-endpoint";

/// `GET /_control/tool-endpoint?session=ID` gives `{"tool_endpoint": {"url", "token"}}`, or `null` in its
/// place for a session that has none.
pub(super) fn routes(service: &Service) -> Router {
    Router::new().route("/tool-endpoint", get(read)).with_state(service.clone())
}

#[derive(Deserialize)]
struct Asked {
    session: String,
}

async fn read(State(service): State<Service>, Query(asked): Query<Asked>, headers: HeaderMap) -> Json<Value> {
    let host = headers.get(HOST).and_then(|host| host.to_str().ok()).unwrap_or("localhost");
    let endpoint = service.tool_endpoint(&asked.session);
    let shown = endpoint.map(|(path, token)| json!({"url": format!("http://{host}{path}"), "token": token}));
    Json(json!({ "tool_endpoint": shown }))
}
