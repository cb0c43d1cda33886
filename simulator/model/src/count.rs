//! Counting the tokens of a request, which uses up no turn.

use axum::{body::Body, extract::Request, response::Response};
use http::{HeaderValue, StatusCode, header};
use serde_json::json;

use crate::{
    exchange,
    host::Host,
    journal::Outcome,
    rejection::Rejection,
    request::{Asked, ModelRequest},
    script::{Client, WireName},
    state::State,
    wires::wire,
};

/// How many bytes of text are taken for one token.
const BYTES_OF_A_TOKEN: usize = 4;

/// Answers a request for the number of tokens of a message. It may lack an output limit; all else that
/// the wire refuses is refused here too, unless the script of the session is lenient. No session is needed.
pub(crate) async fn tokens(host: Host, request: Request) -> Response {
    let wire = wire(WireName::Messages);
    let (parts, bytes, read) = exchange::arrive(wire, request).await;
    let mut record = exchange::arrived(&host, Some(wire), &parts, &bytes, &read);
    let counted = {
        let mut state = host.state();
        record.session = state.session_of(&parts.uri, &parts.headers, &read, &bytes);
        record.sequence = state.journal.next_sequence();
        let counted = read.and_then(|asked| count(&state, &record.session, asked));
        record.answered_ms = Some(record.arrived_ms);
        record.ended_ms = Some(record.arrived_ms);
        match &counted {
            Ok((identity, _)) => {
                record.identity = *identity;
                record.outcome = Outcome::Served;
                record.status = Some(200);
                record.pieces_sent = 1;
            }
            Err(rejection) => {
                record.outcome = Outcome::Rejected;
                record.status = Some(rejection.status);
                record.error = Some(rejection.message.as_str().into());
            }
        }
        state.journal.add(record);
        counted
    };
    let token = host.token(&[&bytes]);
    match counted {
        Ok((_, tokens)) => {
            let body = Body::from(json!({"input_tokens": tokens}).to_string());
            let mut response = exchange::answer_with(StatusCode::OK, wire, &token, body);
            response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
            response
        }
        Err(rejection) => exchange::error(wire, &rejection, &token),
    }
}

/// What the conversation is called and how many tokens it is said to have.
fn count(state: &State, session: &str, mut asked: Asked) -> Result<(u64, usize), Rejection> {
    asked.complaints.retain(|complaint| complaint.param.as_deref() != Some("max_tokens"));
    let session = state.sessions.get(session);
    let strict = session.is_none_or(|session| session.script().client() == Client::Strict);
    match asked.complaints.into_iter().next().filter(|_| strict) {
        Some(complaint) => Err(complaint),
        None => Ok((asked.request.identity(), tokens_of(&asked.request))),
    }
}

/// A number that follows from what is said and offered, and grows with it. It is no tokenizer's.
pub(crate) fn tokens_of(request: &ModelRequest) -> usize {
    let said = request.messages.iter().map(|message| {
        let thoughts: usize = message.thinking.iter().map(|thought| thought.text.len()).sum();
        let calls: usize = message.tool_calls.iter().map(|call| call.name.len() + call.arguments.len()).sum();
        message.text.len() + thoughts + calls
    });
    let offered = request
        .tools
        .iter()
        .map(|tool| tool.name.len() + tool.description.len() + tool.parameters.to_string().len());
    let bytes = request.system.len() + said.sum::<usize>() + offered.sum::<usize>();
    (bytes / BYTES_OF_A_TOKEN).max(1)
}
