//! One exchange: a request comes in, a turn is chosen, its answer goes out piece by piece.

use std::{collections::VecDeque, convert::Infallible};

use axum::{
    body::{Body, Bytes, to_bytes},
    extract::Request,
    response::Response,
};
use futures_util::stream;
use http::{HeaderValue, StatusCode, header, request::Parts};
use serde_json::Value;
use sha2::{Digest as _, Sha256};

use crate::{
    host::Host,
    journal::Outcome,
    rejection::Rejection,
    state::{Arrival, Due, Fate, Read},
    wires::Wire,
};

/// The largest request body that is read.
const BODY_BYTES_MAX: usize = 32 * 1024 * 1024;

/// Answers a request on `wire`.
pub(crate) async fn answer(host: Host, wire: &'static dyn Wire, request: Request) -> Response {
    let (parts, body) = request.into_parts();
    let (text, digest, read) = match to_bytes(body, BODY_BYTES_MAX).await {
        Err(_) => (String::new(), [0; 32], Err(Rejection::no_body(BODY_BYTES_MAX))),
        Ok(bytes) => {
            let read = serde_json::from_slice::<Value>(&bytes)
                .map_err(|error| Rejection::not_json(&error))
                .and_then(|json| Ok((wire.read(&json)?, json)));
            let digest = Sha256::new().chain_update(wire.name()).chain_update(&bytes).finalize().into();
            (String::from_utf8_lossy(&bytes).into_owned(), digest, read)
        }
    };
    let fate = receive(&host, &parts, text, digest, &read);
    match (fate, &read) {
        (Fate::Answer(due), Ok((_, json))) => deliver(host, wire, *due, json).await,
        (Fate::Error(rejection), _) => error(wire, &rejection, &token(&host, &digest)),
        (Fate::Answer(_), Err(rejection)) => error(wire, rejection, &token(&host, &digest)),
    }
}

/// Answers a request that no wire knows, and writes a line in the journal about it.
pub(crate) fn refuse(
    host: &Host,
    wire: &'static dyn Wire,
    request: Request,
    rejection: Rejection,
) -> Response {
    let (parts, _) = request.into_parts();
    let answer = error(wire, &rejection, &token(host, &[0; 32]));
    receive(host, &parts, String::new(), [0; 32], &Err(rejection));
    answer
}

fn receive(host: &Host, parts: &Parts, body: String, digest: [u8; 32], read: &Read) -> Fate {
    let target = format!("{} {}", parts.method, parts.uri);
    let arrival = Arrival { target, uri: &parts.uri, headers: &parts.headers, body, digest, read };
    let now = host.now_ms();
    host.state().receive(arrival, now, host.mint())
}

async fn deliver(host: Host, wire: &'static dyn Wire, mut due: Due, json: &Value) -> Response {
    let ticket = due.ticket.take();
    let waiting = ticket.as_ref().map(|ticket| ticket.number);
    let (reply, sequence, digest) = (due.reply.clone(), due.sequence, due.digest);
    let mut delivery = Delivery { host, due, waiting, over: false };
    if let Some(ticket) = ticket {
        if ticket.opened.await.is_err() {
            // Nobody holds the other end any more: the session was dropped or loaded afresh.
            let rejection = Rejection::no_turn("the session ended while this request was held at a gate");
            delivery.ended(Outcome::Missed);
            return error(wire, &rejection, &token(&delivery.host, &digest));
        }
        delivery.waiting = None;
        let now = delivery.host.now_ms();
        delivery.host.state().journal.change(sequence, |entry| entry.answered_ms = Some(now));
    }
    let request_id = format!("req_{}", reply.token);
    if wire.wants_stream(json) {
        let pieces = wire.events(&reply, json).into_iter().map(Bytes::from).collect();
        let mut response = answer_with(StatusCode::OK, wire, &request_id, pieces_of(delivery, pieces));
        let headers = response.headers_mut();
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("text/event-stream"));
        headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-cache"));
        return response;
    }
    let whole = Bytes::from(wire.whole(&reply).to_string());
    let length = HeaderValue::from(whole.len());
    let mut response =
        answer_with(StatusCode::OK, wire, &request_id, pieces_of(delivery, VecDeque::from([whole])));
    response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
    response.headers_mut().insert(header::CONTENT_LENGTH, length);
    response
}

/// A body of these pieces. The connection is flushed after each of them.
fn pieces_of(delivery: Delivery, pieces: VecDeque<Bytes>) -> Body {
    Body::from_stream(stream::unfold(
        (delivery, pieces, true),
        |(mut delivery, mut pieces, first)| async move {
            if !first {
                // A body that is not ready makes the connection flush; it also notices then that the
                // client has left.
                tokio::task::yield_now().await;
            }
            let piece = pieces.pop_front()?;
            if pieces.is_empty() {
                // Clients may close as soon as they have seen the last piece, so it counts as handed over
                // from here on.
                delivery.ended(Outcome::Answered);
            }
            Some((Ok::<_, Infallible>(piece), (delivery, pieces, false)))
        },
    ))
}

/// An error answer in the words of `wire`.
fn error(wire: &'static dyn Wire, rejection: &Rejection, token: &str) -> Response {
    let status = StatusCode::from_u16(rejection.status).unwrap_or(StatusCode::BAD_REQUEST);
    let body = Body::from(wire.error(rejection).to_string());
    let mut response = answer_with(status, wire, &format!("req_{token}"), body);
    response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
    response.headers_mut().insert("x-should-retry", HeaderValue::from_static("false"));
    response
}

fn answer_with(status: StatusCode, wire: &'static dyn Wire, request_id: &str, body: Body) -> Response {
    let mut response = Response::new(body);
    *response.status_mut() = status;
    if let Ok(value) = HeaderValue::from_str(request_id) {
        response.headers_mut().insert(wire.request_id_header(), value);
    }
    response
}

/// What stands in the request id of an error: it follows from the request.
fn token(host: &Host, digest: &[u8; 32]) -> String {
    let name: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
    host.mint().seed.child(&name).token()
}

/// An answer under way. Whoever drops it before it has ended says that the client is gone.
struct Delivery {
    host: Host,
    due: Due,
    waiting: Option<u64>,
    over: bool,
}

impl Delivery {
    fn ended(&mut self, outcome: Outcome) {
        self.over = true;
        let now = self.host.now_ms();
        self.host.state().end(&self.due, outcome, now);
    }
}

impl Drop for Delivery {
    fn drop(&mut self) {
        if self.over {
            return;
        }
        let now = self.host.now_ms();
        let mut state = self.host.state();
        state.end(&self.due, Outcome::Dropped, now);
        let Due { session, generation, digest, turn, .. } = &self.due;
        if let Some(session) =
            state.sessions.get_mut(session).filter(|session| session.generation == *generation)
        {
            session.abandon(*digest, *turn, self.waiting);
        }
    }
}
