//! `environments`: one more environment, with a key of its own. Those that are there stay as they are.

use axum::{
    Json, Router,
    extract::State,
    http::StatusCode,
    response::{IntoResponse, Response},
    routing::post,
};
use serde_json::json;
use vetta::{Environment, Service};

/// The feature.
pub(super) const NAME: &str = "environments";
/// The account that owns what is made in such an environment.
const ACCOUNT: &str = "acct_ada";

/// `POST /_control/environments` takes an environment, as the files of `fixtures/vetta/environments` hold one,
/// and gives `{"name": NAME, "key": KEY}`.
pub(super) fn routes(service: &Service) -> Router {
    Router::new().route("/environments", post(make)).with_state(service.clone())
}

async fn make(State(service): State<Service>, body: String) -> Response {
    let environment = match Environment::parse(&body, "the body") {
        Ok(environment) => environment,
        Err(error) => return refuse(error.to_string()),
    };
    let name = environment.name.clone();
    let key = format!("sk_sim_ada_{name}");
    if service.open(environment, &key, ACCOUNT) {
        (StatusCode::CREATED, Json(json!({"name": name, "key": key}))).into_response()
    } else {
        refuse(format!("there is an environment `{name}` already, and none ever changes; give another name"))
    }
}

fn refuse(message: String) -> Response {
    let body = json!({"error": {"code": "bad_request", "message": message}});
    (StatusCode::BAD_REQUEST, Json(body)).into_response()
}
