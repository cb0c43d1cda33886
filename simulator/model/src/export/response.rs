//! What was answered, made once more from what was decided.

use std::sync::Arc;

use axum::{
    body::{Body, Bytes, to_bytes},
    response::Response,
};
use futures_util::FutureExt;
use http::{HeaderName, HeaderValue, StatusCode, header};
use serde_json::json;
use wire::Seed;

use crate::{
    count, exchange,
    fault::{self, Frame},
    journal::{Outcome, Record},
    rejection::Rejection,
    request::Asked,
    router,
    script::{Oversized, Wrong},
    state::Mint,
    wires::{Wire, wire},
};

/// The most bytes of padding that are made once more.
const PADDING_MAX: u32 = 4096;

/// An answer as far as it went out.
#[derive(Debug, Default)]
pub(super) struct Sent {
    pub(super) status: u16,
    /// Names in lower case and values, in the order in which they are kept.
    pub(super) headers: Vec<(String, String)>,
    pub(super) body: Vec<u8>,
    /// How many bytes of the body are left out here.
    pub(super) left_out: u64,
}

/// What went out for a request; `None` when nothing did.
pub(super) fn again(record: &Record, mint: &Mint, seed: &Seed) -> Option<Sent> {
    let status = record.status?;
    let asked = record.asked();
    let response = match (&record.answered, record.outcome) {
        (None, Outcome::Served) => counted(record, asked.as_ref()?, seed),
        (None, _) => {
            let words = words(record);
            let rejection = rejection(record, words, asked.as_ref(), status);
            exchange::error(words, &rejection, &token(record, seed))
        }
        (Some(answered), _) => {
            let (words, asked) = (record.wire?, asked.as_ref()?);
            let reply = Arc::new(record.reply(asked, mint)?);
            let wrong = answered.wrong.as_ref().map(|(_, wrong)| wrong);
            if let Some(Wrong::Status(status)) = wrong {
                exchange::error(words, &Rejection::scripted(status), &reply.token)
            } else {
                let (wrong, left_out) = small(wrong);
                let (frames, promised) = if asked.request.stream {
                    (fault::frames(words, &reply, asked, wrong.as_ref()).collect(), None)
                } else {
                    let text = words.whole(&reply, asked);
                    let length = text.len();
                    let frames = fault::whole(text, wrong.as_ref());
                    let ends_well = frames.iter().all(|frame| matches!(frame, Frame::Data(_)));
                    let sent: usize = frames.iter().map(Frame::len).sum();
                    (frames, Some(if ends_well { sent } else { length }))
                };
                let response = head(words, &reply.token, wrong.as_ref(), promised, left_out);
                let body = body(frames, record.pieces_sent);
                return Some(sent(response, record, Some(body), left_out));
            }
        }
    };
    Some(sent(response, record, None, 0))
}

/// A wrong that takes little memory, and how many bytes less it makes.
fn small(wrong: Option<&Wrong>) -> (Option<Wrong>, u64) {
    match wrong {
        Some(Wrong::Oversized(Oversized { event, bytes })) if *bytes > PADDING_MAX => {
            let small = Oversized { event: *event, bytes: PADDING_MAX };
            (Some(Wrong::Oversized(small)), u64::from(bytes - PADDING_MAX))
        }
        other => (other.cloned(), 0),
    }
}

/// The head of an answer; `promised` is the length of one in one piece.
fn head(
    words: &'static dyn Wire,
    token: &str,
    wrong: Option<&Wrong>,
    promised: Option<usize>,
    left_out: u64,
) -> Response {
    let mut response = exchange::answer_with(StatusCode::OK, words, token, Body::empty());
    let headers = response.headers_mut();
    match promised {
        Some(length) => {
            let length = u64::try_from(length).unwrap_or(u64::MAX).saturating_add(left_out);
            headers.insert(header::CONTENT_TYPE, exchange::content_type(wrong, "application/json"));
            headers.insert(header::CONTENT_LENGTH, HeaderValue::from(length));
        }
        None => {
            headers.insert(header::CONTENT_TYPE, exchange::content_type(wrong, "text/event-stream"));
            headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-cache"));
        }
    }
    response
}

/// The pieces that went out.
fn body(frames: Vec<Frame>, pieces_sent: u32) -> Vec<u8> {
    let data = frames.into_iter().filter_map(|frame| match frame {
        Frame::Data(bytes) => Some(bytes),
        _ => None,
    });
    let pieces: Vec<Bytes> = data.take(usize::try_from(pieces_sent).unwrap_or(usize::MAX)).collect();
    pieces.concat()
}

fn counted(record: &Record, asked: &Asked, seed: &Seed) -> Response {
    let body = json!({"input_tokens": count::tokens_of(&asked.request)}).to_string();
    let mut response =
        exchange::answer_with(StatusCode::OK, words(record), &token(record, seed), Body::from(body));
    response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
    response
}

/// The wire in whose words a request was refused.
fn words(record: &Record) -> &'static dyn Wire {
    let anthropic = record.headers.get(router::ANTHROPIC).next().is_some();
    record.wire.unwrap_or_else(|| wire(router::spoken(path(record), anthropic)))
}

/// What stands in the request id of an answer that no turn gives.
fn token(record: &Record, seed: &Seed) -> String {
    let of: &[u8] = if record.wire.is_some() { &record.body } else { path(record).as_bytes() };
    exchange::token_of(seed, &[of])
}

fn path(record: &Record) -> &str {
    let target = record.target.split_once(' ').map_or(&*record.target, |(_, target)| target);
    target.split('?').next().unwrap_or(target)
}

/// The refusal with this status and this message, among those that there can be for the request.
fn rejection(record: &Record, words: &dyn Wire, asked: Option<&Asked>, status: u16) -> Rejection {
    let message = record.error.as_deref().unwrap_or_default();
    if record.outcome == Outcome::Missed {
        return Rejection::no_turn(message);
    }
    let mut candidates = Vec::new();
    match (record.wire, asked) {
        (_, Some(asked)) => candidates.extend(asked.complaints.iter().cloned()),
        (Some(_), None) => match serde_json::from_slice(&record.body) {
            Ok(body) => candidates.extend(words.read(&body).err()),
            Err(error) => {
                candidates.extend([
                    Rejection::not_json(&error),
                    Rejection::half_a_body(),
                    Rejection::no_body(exchange::BODY_BYTES_MAX),
                ]);
            }
        },
        (None, None) => {
            let method = record.target.split(' ').next().unwrap_or_default();
            candidates.extend([
                Rejection::no_upgrade(),
                Rejection::unknown_path(method, path(record)),
                Rejection::unknown_method(method, path(record)),
            ]);
        }
    }
    let is_it = |rejection: &Rejection| rejection.status == status && rejection.message == message;
    let found = candidates.into_iter().find(is_it);
    // What is left is a request that goes on from an answer that is not there.
    found.unwrap_or_else(|| crate::resume::not_there(words.name(), message))
}

fn sent(response: Response, record: &Record, body: Option<Vec<u8>>, left_out: u64) -> Sent {
    let (mut parts, rest) = response.into_parts();
    let body = body.unwrap_or_else(|| {
        // The body of a refusal is there at once.
        let bytes = to_bytes(rest, usize::MAX).now_or_never();
        bytes.and_then(Result::ok).map(Vec::from).unwrap_or_default()
    });
    let wanted = record.headers.get(header::ACCESS_CONTROL_REQUEST_HEADERS.as_str()).next();
    router::open_to_browsers(
        &mut parts.headers,
        wanted.and_then(|wanted| HeaderValue::from_str(wanted).ok()),
    );
    let told = |(name, value): (&HeaderName, &HeaderValue)| {
        (name.as_str().to_owned(), String::from_utf8_lossy(value.as_bytes()).into_owned())
    };
    Sent { status: parts.status.as_u16(), headers: parts.headers.iter().map(told).collect(), body, left_out }
}
