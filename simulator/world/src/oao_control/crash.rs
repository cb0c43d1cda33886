//! `crash` and `steps`: killing the worker of a run, and looking at what it has recorded.

use axum::{
    Json, Router,
    extract::{Path, State},
    http::StatusCode,
    response::{IntoResponse, Response},
    routing::{get, post},
};
use oao::{
    Service,
    durability::{Order, Point},
};
use serde::Deserialize;
use serde_json::json;

/// * `POST /crash` takes `{"point": "call.after_record", "call"?: "call_1", "nth"?: 1}`: the worker of a run
///   dies when it reaches the point for the nth time, at the call of that id if one is given.
/// * `GET /steps/{run}` gives how many ends are on record for each call of the run's parent:
///   `{"data": [{"toolCallId": "call_1", "ends": 1}]}`.
pub(super) fn routes(service: &Service) -> Router {
    Router::new().route("/crash", post(crash)).route("/steps/{run}", get(steps)).with_state(service.clone())
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct CrashBody {
    point: String,
    call: Option<String>,
    #[serde(default = "next")]
    nth: u64,
}

fn next() -> u64 {
    1
}

async fn crash(State(service): State<Service>, body: String) -> Response {
    let order = serde_json::from_str::<CrashBody>(&body)
        .map_err(|error| format!("the body must be {{\"point\": \"call.after_record\"}}: {error}"))
        .and_then(|body| {
            if body.nth == 0 {
                return Err("nth: 1 or more is needed".to_owned());
            }
            let point: Point = body.point.parse().map_err(|error| format!("point: {error}"))?;
            Ok(Order { point, call: body.call, nth: body.nth })
        });
    match order {
        Ok(order) => {
            service.deaths().give(order);
            StatusCode::NO_CONTENT.into_response()
        }
        Err(message) => {
            (StatusCode::BAD_REQUEST, Json(json!({"error": {"code": "bad_request", "message": message}})))
                .into_response()
        }
    }
}

async fn steps(State(service): State<Service>, Path(run): Path<String>) -> Response {
    let ends = service.recorded_ends(&run).into_iter();
    let data: Vec<_> = ends.map(|(call, ends)| json!({"toolCallId": call, "ends": ends})).collect();
    Json(json!({"data": data})).into_response()
}
