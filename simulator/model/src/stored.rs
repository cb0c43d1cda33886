//! Answers of the Responses wire that are told again.

use axum::{body::Body, extract::Request, response::Response};
use http::StatusCode;

use crate::{
    exchange, host::Host, journal::Outcome, key, rejection::Rejection, resume, script::WireName, wires::wire,
};

/// What stands before the id of an answer.
const PATH: &str = "/v1/responses/";
/// What stands there and is no id.
const NO_IDS: [&str; 2] = ["input_tokens", "compact"];

/// The id that a path below the session's prefix names.
pub(crate) fn id_at(path: &str) -> Option<&str> {
    let id = path.strip_prefix(PATH)?;
    (!id.is_empty() && !id.contains('/') && !NO_IDS.contains(&id)).then_some(id)
}

/// Tells an answer again that was given whole and that the client had stored, as the API does by itself. It is
/// known as long as the journal keeps it.
pub(crate) fn respond(host: &Host, request: Request, id: &str) -> Response {
    let words = wire(WireName::Responses);
    let streamed =
        request.uri().query().is_some_and(|query| query.split('&').any(|pair| pair == "stream=true"));
    if streamed {
        let message = "an answer is told again in one piece only; leave `stream` out";
        return exchange::refuse(host, words, request, Rejection::invalid("stream", None, message));
    }
    match whole(host, &request, id) {
        Some((token, text)) => exchange::answer_with(StatusCode::OK, words, &token, Body::from(text)),
        None => {
            let message =
                format!("there is no answer `{id}`, it was not stored, or the journal does not keep it");
            exchange::refuse(host, words, request, Rejection::gone(message))
        }
    }
}

fn whole(host: &Host, request: &Request, id: &str) -> Option<(String, String)> {
    let record = {
        let state = host.state();
        let is_loaded = |key: &str| state.sessions.contains_key(key);
        let session = key::of(request.uri(), request.headers(), None, b"", is_loaded);
        resume::given(id, WireName::Responses, &session, &state.journal, host.mint())?.clone()
    };
    let asked = record.asked().filter(|_| record.outcome == Outcome::Answered)?;
    let reply = record.reply(&asked, host.mint()).filter(|_| asked.body["store"] != false)?;
    let text = wire(WireName::Responses).whole(&reply, &asked);
    Some((reply.token, text))
}
