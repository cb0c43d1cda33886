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
    durability::{Order, Point, UnknownPoint},
};
use serde::Deserialize;
use serde_json::json;

use crate::control_request::{bad, missing, read};

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
    let body: CrashBody = match read(&body, r#"{"point": "call.after_record"}"#) {
        Ok(body) => body,
        Err(refusal) => return *refusal,
    };
    if body.nth == 0 {
        return bad("nth: 1 or more is needed");
    }
    let point: Point = match body.point.parse() {
        Ok(point) => point,
        Err(why) => {
            let why: UnknownPoint = why;
            return bad(&format!("point: {why}"));
        }
    };
    service.deaths().give(Order { point, call: body.call, nth: body.nth });
    StatusCode::NO_CONTENT.into_response()
}

async fn steps(State(service): State<Service>, Path(run): Path<String>) -> Response {
    if !service.has_run(&run) {
        return missing(&format!("run: there is no run `{run}`"));
    }
    let ends = service.recorded_ends(&run).into_iter();
    let data: Vec<_> = ends.map(|(call, ends)| json!({"toolCallId": call, "ends": ends})).collect();
    Json(json!({"data": data})).into_response()
}
