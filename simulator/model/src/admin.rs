//! The administration over HTTP: load, release, look, judge, drop.

use std::{convert::Infallible, time::Duration};

use axum::{
    Extension, Json, Router,
    body::Body,
    extract::{DefaultBodyLimit, Path, Query, rejection::StringRejection},
    response::{IntoResponse, Response},
    routing::{get, post, put},
};
use futures_util::stream;
use http::{HeaderValue, Method, StatusCode, Uri, header};
use serde_json::{Value, json};

use crate::{
    export::{Selection, SelectionError, number, once},
    gate::GateError,
    host::Host,
    script::{Script, ScriptError, is_id, suggest},
    verdict::{AssertError, Expectations},
};

/// How long a wait at a gate lasts when nothing is said, in milliseconds.
const WITHIN_MS: u64 = 10_000;
/// How long it may last.
const WITHIN_MS_MAX: u64 = 600_000;

/// The longest script that is taken, in bytes.
const SCRIPT_BYTES_MAX: usize = 64 * 1024 * 1024;

type Pairs = Query<Vec<(String, String)>>;

/// The routes; the host comes as an extension of the request.
pub(crate) fn routes() -> Router {
    Router::new()
        .route("/_model/journal", get(whole_journal))
        .route("/_model/sessions", get(sessions))
        .route("/_model/sessions/{key}", put(load).delete(drop_session))
        .route("/_model/sessions/{key}/reset", post(reset))
        .route("/_model/sessions/{key}/journal", get(journal))
        .route("/_model/sessions/{key}/verdict", get(verdict))
        .route("/_model/sessions/{key}/assert", post(assert))
        .route("/_model/sessions/{key}/gates", get(gates))
        .route("/_model/sessions/{key}/gates/{gate}/release", post(release))
        .route("/_model/sessions/{key}/gates/{gate}/wait", post(wait))
        .fallback(unknown_path)
        .method_not_allowed_fallback(unknown_method)
        .layer(DefaultBodyLimit::max(SCRIPT_BYTES_MAX))
}

async fn unknown_path(uri: Uri) -> Response {
    let message =
        format!("there is no {} in the administration; the README of the model lists its paths", uri.path());
    (StatusCode::NOT_FOUND, Json(json!({"error": {"message": message}}))).into_response()
}

async fn unknown_method(method: Method, uri: Uri) -> Response {
    let message = format!("{} does not take {method}", uri.path());
    (StatusCode::METHOD_NOT_ALLOWED, Json(json!({"error": {"message": message}}))).into_response()
}

/// Takes a script as JSON or YAML. 201 for a new session, 200 for one that starts afresh.
async fn load(
    Extension(host): Extension<Host>,
    Path(key): Path<String>,
    text: Result<String, StringRejection>,
) -> Response {
    if !is_id(&key) {
        let message = format!("`{key}` is no session key; use 1 to 64 letters, digits, `-` and `_`");
        return wrong(json!({"message": message}));
    }
    let text = match text {
        Ok(text) => text,
        Err(why) => {
            let message =
                format!("the script cannot be read: {why}; give UTF-8 of {SCRIPT_BYTES_MAX} bytes at most");
            return (why.status(), Json(json!({"error": {"message": message}}))).into_response();
        }
    };
    match Script::from_yaml("script", &text) {
        Ok(script) => {
            let status = if host.is_loaded(&key) { StatusCode::OK } else { StatusCode::CREATED };
            let turns = script.turns().len();
            host.load(&key, script);
            (status, Json(json!({"session": key, "turns": turns}))).into_response()
        }
        Err(mut error) => {
            let lost_its_lines =
                !text.trim_start().starts_with('{') && !text.contains('\n') && text.contains(": ");
            if let Some(first) = error.problems.first_mut().filter(|_| lost_its_lines) {
                first.fix = Some(
                    "all of it stands in one line: `curl -d` takes line ends away, send a file with \
                     `--data-binary @FILE`"
                        .to_owned(),
                );
            }
            problems(&error)
        }
    }
}

async fn sessions(Extension(host): Extension<Host>) -> Json<Value> {
    Json(json!({"sessions": host.sessions()}))
}

/// The same script, unplayed.
async fn reset(Extension(host): Extension<Host>, Path(key): Path<String>) -> Response {
    match host.reset(&key) {
        Some(turns) => Json(json!({"session": key, "turns": turns})).into_response(),
        None => no_session(&key),
    }
}

async fn drop_session(Extension(host): Extension<Host>, Path(key): Path<String>) -> Response {
    if host.drop_session(&key) { StatusCode::NO_CONTENT.into_response() } else { no_session(&key) }
}

async fn gates(Extension(host): Extension<Host>, Path(key): Path<String>) -> Response {
    match host.gates(&key) {
        Ok(gates) => Json(json!({"session": key, "gates": gates})).into_response(),
        Err(error) => not_found(&error),
    }
}

async fn release(Extension(host): Extension<Host>, Path((key, gate)): Path<(String, String)>) -> Response {
    match host.release(&key, &gate) {
        Ok(count) => Json(json!({"released": count})).into_response(),
        Err(error) => not_found(&error),
    }
}

/// Waits until a gate holds so many requests. 409 when they do not come in time.
async fn wait(
    Extension(host): Extension<Host>,
    Path((key, gate)): Path<(String, String)>,
    Query(pairs): Pairs,
) -> Response {
    let (count, within_ms) = match wanted(&pairs) {
        Ok(wanted) => wanted,
        Err(error) => return wrong_parameter(&error),
    };
    match host.wait_for_held_within(&key, &gate, count, Duration::from_millis(within_ms)).await {
        Some(Ok(())) => Json(json!({"gate": gate, "held": host.held(&key, &gate)})).into_response(),
        Some(Err(error)) => not_found(&error),
        None => {
            let held = host.held(&key, &gate);
            let message = format!("gate `{gate}` holds {held} of {count} requests after {within_ms} ms");
            let body = json!({"error": {"message": message}, "gate": gate, "held": held});
            (StatusCode::CONFLICT, Json(body)).into_response()
        }
    }
}

fn wanted(pairs: &[(String, String)]) -> Result<(usize, u64), SelectionError> {
    let (mut count, mut within_ms) = (1, WITHIN_MS);
    for (place, (name, value)) in pairs.iter().enumerate() {
        once(&pairs[..place], name)?;
        match name.as_str() {
            "count" => count = number(name, value, "a number of requests, 1 or more", 1)?,
            "within_ms" => {
                let what = format!("milliseconds, from 0 to {WITHIN_MS_MAX}");
                within_ms = number(name, value, &what, 0)?;
                if within_ms > WITHIN_MS_MAX {
                    let message = format!("`{name}` takes {what}; `{value}` is too many");
                    return Err(SelectionError::new(name, message));
                }
            }
            _ => {
                let fix = suggest(name, &["count", "within_ms"]);
                return Err(SelectionError::new(name, format!("there is no parameter `{name}`; {fix}")));
            }
        }
    }
    Ok((count, within_ms))
}

async fn verdict(Extension(host): Extension<Host>, Path(key): Path<String>) -> Response {
    match host.verdict(&key) {
        Some(verdict) => Json(verdict).into_response(),
        None => no_session(&key),
    }
}

/// Takes expectations as JSON or YAML. 409 when they do not hold.
async fn assert(Extension(host): Extension<Host>, Path(key): Path<String>, text: String) -> Response {
    let expectations = match Expectations::from_text(&text) {
        Ok(expectations) => expectations,
        Err(error) => return problems(&error),
    };
    match host.assert(&key, &expectations) {
        Ok(()) => Json(json!({"holds": true})).into_response(),
        Err(AssertError::Unmet(unmet)) => {
            (StatusCode::CONFLICT, Json(json!({"holds": false, "problems": unmet}))).into_response()
        }
        Err(AssertError::Invalid(error)) => problems(&error),
        Err(AssertError::NoSession(key)) => no_session(&key),
    }
}

async fn journal(Extension(host): Extension<Host>, Path(key): Path<String>, Query(pairs): Pairs) -> Response {
    // Requests for a key that was never loaded are kept under that key.
    if !host.is_loaded(&key) && !host.is_asked(&key) {
        return no_session(&key);
    }
    export(&host, Some(&key), &pairs)
}

async fn whole_journal(Extension(host): Extension<Host>, Query(pairs): Pairs) -> Response {
    export(&host, None, &pairs)
}

/// Entries leave as they are told, so that a long journal is never one text.
fn export(host: &Host, key: Option<&str>, pairs: &[(String, String)]) -> Response {
    let export = Selection::from_query(key, pairs).and_then(|selection| host.export(&selection));
    match export {
        Ok(export) => {
            let media_type = HeaderValue::from_static(export.media_type());
            let mut response =
                Response::new(Body::from_stream(stream::iter(export.map(Ok::<_, Infallible>))));
            response.headers_mut().insert(header::CONTENT_TYPE, media_type);
            response
        }
        Err(error) => wrong_parameter(&error),
    }
}

fn problems(error: &ScriptError) -> Response {
    wrong(json!({"message": error.to_string(), "problems": error.problems}))
}

fn wrong_parameter(error: &SelectionError) -> Response {
    wrong(json!({"message": error.message, "parameter": error.parameter}))
}

fn wrong(error: Value) -> Response {
    (StatusCode::BAD_REQUEST, Json(json!({"error": error}))).into_response()
}

fn no_session(key: &str) -> Response {
    not_found(&GateError::NoSession(key.to_owned()))
}

fn not_found(error: &GateError) -> Response {
    (StatusCode::NOT_FOUND, Json(json!({"error": {"message": error.to_string()}}))).into_response()
}
