//! What is asked of the control port, read with errors that name the field.

use axum::{
    Json,
    http::StatusCode,
    response::{IntoResponse, Response},
};
use serde::de::DeserializeOwned;
use serde_json::json;

/// The body as a `T`; the answer that refuses it where it is none. `shape` shows what a body looks like.
pub(crate) fn read<T: DeserializeOwned>(body: &str, shape: &str) -> Result<T, Box<Response>> {
    match Json::<T>::from_bytes(body.as_bytes()) {
        Ok(Json(read)) => Ok(read),
        Err(why) => {
            let why = why.body_text();
            // What stands before the place and the reason says nothing here.
            let reason = why.split_once(": ").map_or(why.as_str(), |(_, reason)| reason);
            Err(Box::new(bad(&format!("the body must be {shape}: {reason}"))))
        }
    }
}

/// A request that is wrong in itself.
pub(crate) fn bad(message: &str) -> Response {
    refused(StatusCode::BAD_REQUEST, "bad_request", message)
}

/// A request about something that is not there.
pub(crate) fn missing(message: &str) -> Response {
    refused(StatusCode::NOT_FOUND, "not_found", message)
}

fn refused(status: StatusCode, code: &str, message: &str) -> Response {
    (status, Json(json!({"error": {"code": code, "message": message}}))).into_response()
}
