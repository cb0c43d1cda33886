//! One exchange: a request comes in, a turn is chosen, its answer goes out piece by piece.

use std::{
    hash::{DefaultHasher, Hash, Hasher},
    time::Duration,
};

use axum::{
    body::{Body, Bytes, to_bytes},
    extract::Request,
    response::Response,
};
use http::{HeaderName, HeaderValue, StatusCode, header, request::Parts};
use serde_json::Value;
use wire::{
    clock::Pace,
    serve::{Hangup, Line},
};

use crate::{
    delivery::{Delivery, pieces_of},
    fault::{self, Frames},
    headers::Headers,
    heads,
    host::Host,
    journal::{Outcome, Record, kept},
    key,
    rejection::Rejection,
    reply::Reply,
    request::Asked,
    resume,
    script::Wrong,
    secret_name::without_secrets,
    state::{Due, Fate, Read},
    wires::{Wire, understood},
};

/// The largest request body that is read.
pub(crate) const BODY_BYTES_MAX: usize = 32 * 1024 * 1024;

/// How often other tasks are let in before the same request is answered twice.
const LOOKS: usize = 8;
/// How long a request that no turn answers waits for an earlier one that says the same to turn out to be left.
const LEAVING: Duration = Duration::from_secs(1);

/// Answers a request on `wire`.
pub(crate) async fn answer(host: Host, wire: &'static dyn Wire, request: Request) -> Response {
    let (parts, bytes, read) = arrive(wire, request).await;
    let (record, read) = prepared(&host, Some(wire), &parts, &bytes, read);
    let waiting = Waiting { host: &host, record: Some(record) };
    if let Ok(asked) = &read {
        waiting.for_those_who_leave(asked).await;
    }
    let fate = waiting.decide(&read);
    match (fate, &read) {
        (Fate::Answer(due), Ok(asked)) if due.settled => settled(wire, &due.reply, asked),
        (Fate::Answer(due), Ok(asked)) => deliver(host, wire, *due, asked, parts.extensions.get()).await,
        (Fate::Error(rejection), _) => error(wire, &rejection, &host.token(&[&bytes])),
        (Fate::Answer(_), Err(rejection)) => error(wire, rejection, &host.token(&[&bytes])),
    }
}

/// Waits for the whole of a request and has `wire` read it. There are no bytes when it did not arrive.
pub(crate) async fn arrive(wire: &'static dyn Wire, request: Request) -> (Parts, Bytes, Read) {
    let (parts, body) = request.into_parts();
    match to_bytes(body, BODY_BYTES_MAX).await {
        Err(error) => (parts, Bytes::new(), Err(no_body(&error))),
        Ok(bytes) => {
            let read = read(wire, &parts, &bytes);
            (parts, bytes, read)
        }
    }
}

/// Why there is no body: it is too long, or it broke off.
pub(crate) fn no_body(error: &(dyn std::error::Error + 'static)) -> Rejection {
    let mut causes = std::iter::successors(Some(error), |error| error.source());
    if causes.any(|cause| cause.is::<http_body_util::LengthLimitError>()) {
        return Rejection::no_body(BODY_BYTES_MAX);
    }
    Rejection::half_a_body()
}

/// What a wire makes of a request that has arrived whole.
pub(crate) fn read(wire: &dyn Wire, parts: &Parts, bytes: &[u8]) -> Read {
    if key::is_unreadable(&parts.uri, &parts.headers) {
        return Err(Rejection::unreadable_session());
    }
    let body: Value = serde_json::from_slice(bytes).map_err(|error| Rejection::not_json(&error))?;
    let headers = Headers::of(&parts.headers);
    let understood = understood(wire, &body, &headers)?;
    Ok(Asked { request: understood.request, body, headers, complaints: understood.complaints })
}

/// Answers a request that no wire takes, and writes a line in the journal about it.
pub(crate) fn refuse(
    host: &Host,
    wire: &'static dyn Wire,
    request: Request,
    rejection: Rejection,
) -> Response {
    let (parts, _) = request.into_parts();
    let answer = error(wire, &rejection, &host.token(&[parts.uri.path().as_bytes()]));
    let (record, read) = prepared(host, None, &parts, &Bytes::new(), Err(rejection));
    let _ = host.state().receive(record, &read, host.mint(), host.now_ms());
    answer
}

/// A record of a request that has arrived, with nothing decided yet.
pub(crate) fn arrived(
    host: &Host,
    wire: Option<&'static dyn Wire>,
    parts: &Parts,
    bytes: &Bytes,
    read: &Read,
) -> Record {
    let target = [parts.method.as_str(), &without_secrets(&parts.uri)].join(" ");
    Record {
        sequence: 0,
        session: "".into(),
        target: target.into_boxed_str(),
        headers: match read {
            Ok(asked) => asked.headers.clone(),
            Err(_) => Headers::of(&parts.headers),
        },
        body: kept(bytes),
        wire,
        identity: 0,
        arrived_ms: host.now_ms(),
        answered_ms: None,
        ended_ms: None,
        outcome: Outcome::Pending,
        client_left: false,
        status: None,
        script: None,
        before: None,
        answered: None,
        pieces_sent: 0,
        error: None,
    }
}

/// A record of a request with the session that it belongs to, and what it goes on from put before it.
fn prepared(
    host: &Host,
    wire: Option<&'static dyn Wire>,
    parts: &Parts,
    bytes: &Bytes,
    mut read: Read,
) -> (Record, Read) {
    let mut record = arrived(host, wire, parts, bytes, &read);
    let state = host.state();
    record.session = state.session_of(&parts.uri, &parts.headers, &read, bytes);
    let resumed = match &mut read {
        Ok(asked) => resume::resume(asked, &record.session, &state.journal, host.mint()),
        Err(_) => Ok(None),
    };
    match resumed {
        Ok(before) => record.before = before,
        Err(rejection) => read = Err(rejection),
    }
    if let Ok(asked) = &read {
        record.identity = asked.request.identity();
    }
    (record, read)
}

/// A request that nothing is decided about. Whoever drops it says that the client is gone.
struct Waiting<'a> {
    host: &'a Host,
    record: Option<Record>,
}

impl Waiting<'_> {
    /// Gives the connection of an earlier request that says the same some time to turn out to be closed. A client
    /// that closes one connection and asks again on another may be heard on the new one first.
    async fn for_those_who_leave(&self, asked: &Asked) {
        let Some(record) = &self.record else { return };
        let is_early = |sure| self.host.state().too_early(record, asked, sure).is_some();
        for _ in 0..LOOKS {
            if !is_early(true) {
                return;
            }
            tokio::task::yield_now().await;
        }
        // Another turn may answer; who would get none can wait.
        let waiting = async {
            loop {
                let changed =
                    self.host.state().too_early(record, asked, false).map(|one| one.changed.clone());
                let Some(changed) = changed else { return };
                let change = changed.notified();
                tokio::pin!(change);
                // Registered before looking, so that a change in between is not missed.
                change.as_mut().enable();
                if !is_early(false) {
                    return;
                }
                change.await;
            }
        };
        self.host.clock().within(LEAVING, waiting).await;
    }

    fn decide(mut self, read: &Read) -> Fate {
        let Some(record) = self.record.take() else { return Fate::Error(Rejection::half_a_body()) };
        let mut state = self.host.state();
        state.receive(record, read, self.host.mint(), self.host.now_ms())
    }
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        let Some(mut record) = self.record.take() else { return };
        let mut state = self.host.state();
        record.sequence = state.journal.next_sequence();
        record.ended_ms = Some(self.host.now_ms());
        (record.outcome, record.client_left) = (Outcome::Dropped, true);
        state.journal.add(record);
    }
}

/// An answer that nothing can keep, spoil or break off any more: the journal has its end already.
fn settled(wire: &'static dyn Wire, reply: &Reply, asked: &Asked) -> Response {
    // Its length is told by whoever writes it.
    answer_with(StatusCode::OK, wire, &reply.token, Body::from(wire.whole(reply, asked)))
}

async fn deliver(
    host: Host,
    wire: &'static dyn Wire,
    mut due: Due,
    asked: &Asked,
    line: Option<&Line>,
) -> Response {
    let ticket = due.ticket.take();
    let (reply, mut wrong, sequence) = (due.reply.clone(), due.wrong.take(), due.sequence);
    let waiting = ticket.as_ref().map(|ticket| ticket.number);
    let mut delivery = Delivery::new(host, due, waiting, line.cloned());
    if let Some(ticket) = ticket {
        if ticket.opened.await.is_err() {
            // Nobody holds the other end any more: the session was dropped or loaded afresh.
            let rejection = Rejection::no_turn("the session ended while this request was held at a gate");
            delivery.ended(Outcome::Missed);
            return error(wire, &rejection, &delivery.host().token(&[reply.token.as_bytes()]));
        }
        delivery.let_in();
        let now = delivery.host().now_ms();
        let status = status_of(wrong.as_ref());
        delivery.host().state().journal.change(sequence, |record| {
            record.answered_ms = Some(now);
            record.status = status;
        });
    }
    let stream = asked.request.stream;
    if let Some(beyond) = wrong.take_if(|wrong| stream && !fault::changes(wire, &reply, asked, wrong)) {
        // What lies beyond the end of an answer breaks nothing, so nothing is said of it either.
        drop(beyond);
        delivery.fault_fell_short();
    }
    if let Some(wrong) = wrong.as_ref().filter(|wrong| !wrong.is_an_answer()) {
        delivery.spoiled();
        if let Some(response) = instead(wire, &mut delivery, wrong, &reply.token).await {
            return response;
        }
    }
    let (first, gap) = match &wrong {
        Some(Wrong::Slow(slow)) => (slow.first_ms, slow.gap_ms),
        _ => (reply.stream.first_ms.unwrap_or(0), reply.stream.gap_ms.unwrap_or(0)),
    };
    let pace = delivery.host().pace(first, gap);
    if asked.request.stream {
        let frames = fault::frames(wire, &reply, asked, wrong.as_ref());
        return streamed(wire, &reply.token, frames, delivery, pace, reply.stream.flush_each, wrong.as_ref());
    }
    let text = wire.whole(&reply, asked);
    pace.wait(0).await;
    let length = text.len();
    let frames = fault::whole(text, wrong.as_ref());
    in_one_piece(wire, &reply.token, frames, length, delivery, wrong.as_ref())
}

/// The status that is answered; `None` when nothing is.
pub(crate) fn status_of(wrong: Option<&Wrong>) -> Option<u16> {
    match wrong {
        Some(Wrong::Status(status)) => Some(status.code),
        Some(Wrong::ResetBeforeHeaders | Wrong::StallBeforeHeaders) => None,
        _ => Some(200),
    }
}

/// What happens in place of an answer, when that is what goes wrong.
async fn instead(
    wire: &'static dyn Wire,
    delivery: &mut Delivery,
    wrong: &Wrong,
    token: &str,
) -> Option<Response> {
    match wrong {
        Wrong::Status(status) => {
            let rejection = Rejection::scripted(status);
            let (sequence, message) = (delivery.sequence(), rejection.message.clone());
            delivery.host().state().journal.change(sequence, |record| record.error = Some(message.into()));
            delivery.ended(Outcome::Broken);
            Some(error(wire, &rejection, token))
        }
        Wrong::ResetBeforeHeaders => {
            delivery.ended(Outcome::Broken);
            let mut response = Response::new(Body::empty());
            response.extensions_mut().insert(Hangup::Reset);
            Some(response)
        }
        Wrong::StallBeforeHeaders => std::future::pending().await,
        _ => None,
    }
}

fn streamed(
    wire: &'static dyn Wire,
    token: &str,
    frames: Frames,
    delivery: Delivery,
    pace: Pace,
    flush_each: bool,
    wrong: Option<&Wrong>,
) -> Response {
    let body = pieces_of(delivery, frames, Some(pace), flush_each);
    let mut response = answer_with(StatusCode::OK, wire, token, body);
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, content_type(wrong, "text/event-stream"));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    response
}

fn in_one_piece(
    wire: &'static dyn Wire,
    token: &str,
    frames: Vec<fault::Frame>,
    length: usize,
    mut delivery: Delivery,
    wrong: Option<&Wrong>,
) -> Response {
    let sent: usize = frames.iter().map(fault::Frame::len).sum();
    let ends_well = frames.iter().all(|frame| matches!(frame, fault::Frame::Data(_)));
    // An answer that breaks off had promised to be whole.
    let promised = if ends_well { sent } else { length };
    let body = match <[fault::Frame; 1]>::try_from(frames) {
        Ok([fault::Frame::Data(bytes)]) => {
            delivery.sent_whole();
            Body::from(bytes)
        }
        Ok(frames) => pieces_of(delivery, Box::new(frames.into_iter()), None, true),
        Err(frames) => pieces_of(delivery, Box::new(frames.into_iter()), None, true),
    };
    let mut response = answer_with(StatusCode::OK, wire, token, body);
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, content_type(wrong, "application/json"));
    headers.insert(header::CONTENT_LENGTH, HeaderValue::from(promised));
    response
}

pub(crate) fn content_type(wrong: Option<&Wrong>, right: &'static str) -> HeaderValue {
    match wrong {
        Some(Wrong::ContentType(value)) => {
            HeaderValue::from_str(value).unwrap_or_else(|_| HeaderValue::from_static("text/plain"))
        }
        _ => HeaderValue::from_static(right),
    }
}

/// An error answer in the words of `wire`.
pub(crate) fn error(wire: &'static dyn Wire, rejection: &Rejection, token: &str) -> Response {
    let status = StatusCode::from_u16(rejection.status).unwrap_or(StatusCode::BAD_REQUEST);
    let body = Body::from(wire.error(rejection, &request_id(token)).to_string());
    let mut response = answer_with(status, wire, token, body);
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
    for (name, value) in &rejection.headers {
        if let (Ok(name), Ok(value)) = (HeaderName::from_bytes(name.as_bytes()), HeaderValue::from_str(value))
        {
            headers.insert(name, value);
        }
    }
    response
}

/// An answer with the headers that a wire gives all of its answers. It is JSON unless somebody says otherwise.
pub(crate) fn answer_with(status: StatusCode, wire: &'static dyn Wire, token: &str, body: Body) -> Response {
    let mut response = Response::new(body);
    *response.status_mut() = status;
    let headers = response.headers_mut();
    *headers = heads::of(wire);
    if let Ok(value) = HeaderValue::try_from(request_id(token)) {
        headers.insert(HeaderName::from_static(wire.request_id_header()), value);
    }
    response
}

fn request_id(token: &str) -> String {
    ["req_", token].concat()
}

/// What stands in the request id of an answer that no turn gives: it follows from the request.
pub(crate) fn token_of(seed: &wire::Seed, parts: &[&[u8]]) -> String {
    let mut hash = DefaultHasher::new();
    parts.hash(&mut hash);
    seed.child(&format!("{:016x}", hash.finish())).token()
}
