//! The administration over HTTP: load, release, look, drop.

use axum::{
    Json, Router,
    extract::{Path, State},
    response::{IntoResponse, Response},
    routing::{get, post, put},
};
use http::StatusCode;
use serde_json::{Value, json};

use crate::{
    host::Host,
    script::{Script, ScriptError, is_id},
};

pub(crate) fn routes() -> Router<Host> {
    Router::new()
        .route("/_model/journal", get(whole_journal))
        .route("/_model/sessions/{key}", put(load).delete(drop_session))
        .route("/_model/sessions/{key}/journal", get(journal))
        .route("/_model/sessions/{key}/gates/{gate}/release", post(release))
}

/// Takes a script as JSON or YAML. 201 for a new session, 200 for one that starts afresh.
async fn load(State(host): State<Host>, Path(key): Path<String>, text: String) -> Response {
    if !is_id(&key) {
        let message = format!("`{key}` is no session key; use 1 to 64 letters, digits, `-` and `_`");
        return (StatusCode::BAD_REQUEST, Json(json!({"error": {"message": message}}))).into_response();
    }
    match Script::from_yaml("script", &text) {
        Ok(script) => {
            let status = if host.is_loaded(&key) { StatusCode::OK } else { StatusCode::CREATED };
            let turns = script.turns().len();
            host.load(&key, script);
            (status, Json(json!({"session": key, "turns": turns}))).into_response()
        }
        Err(error) => (StatusCode::BAD_REQUEST, Json(problems(&error))).into_response(),
    }
}

fn problems(error: &ScriptError) -> Value {
    json!({"error": {"message": error.to_string(), "problems": error.problems}})
}

async fn drop_session(State(host): State<Host>, Path(key): Path<String>) -> Response {
    if host.drop_session(&key) {
        return StatusCode::NO_CONTENT.into_response();
    }
    not_found(format!("no session `{key}` is loaded"))
}

async fn release(State(host): State<Host>, Path((key, gate)): Path<(String, String)>) -> Response {
    match host.release(&key, &gate) {
        Ok(count) => Json(json!({"released": count})).into_response(),
        Err(error) => not_found(error.to_string()),
    }
}

async fn journal(State(host): State<Host>, Path(key): Path<String>) -> Json<Value> {
    let (entries, dropped) = host.state().journal.of(&key);
    let unused = host.unused_turns(&key);
    Json(json!({"session": key, "dropped": dropped, "unused_turns": unused, "entries": entries}))
}

async fn whole_journal(State(host): State<Host>) -> Json<Value> {
    let (entries, dropped) = host.journal_of_all();
    Json(json!({"dropped": dropped, "entries": entries}))
}

fn not_found(message: String) -> Response {
    (StatusCode::NOT_FOUND, Json(json!({"error": {"message": message}}))).into_response()
}
