//! Wrong ways to stream events.

use std::sync::{
    Arc,
    atomic::{AtomicU64, Ordering},
};

use bytes::Bytes;
use futures_util::{StreamExt, stream};
use oao::{
    Parts,
    events::{Row, position_of, start_of},
    http::{Call, Reply, ReplyBody},
};
use serde_json::{Value, json};

use super::super::Edit;

pub(super) const DEFECTS: &[Edit<Parts>] = &[
    Edit { id: "positions-have-gaps", edit: |parts| parts.events.stream_row = every_second_position },
    Edit { id: "resume-repeats-the-last", edit: |parts| parts.events.start = from_the_last_on },
    Edit { id: "query-beats-header", edit: |parts| parts.events.start = by_query_first },
    Edit {
        id: "garbage-cursor-starts-over",
        edit: |parts| parts.events.start = |call| Ok(start_of(call).unwrap_or_default()),
    },
    Edit { id: "once-greets", edit: |parts| parts.front.rewrites.push(Arc::new(greet_once)) },
    Edit { id: "no-greeting", edit: |parts| parts.front.rewrites.push(Arc::new(never_greet)) },
    Edit { id: "no-keepalive", edit: |parts| parts.events.feed.keepalive_ms = 1_000_000 },
    Edit { id: "ids-change-on-replay", edit: number_the_readings },
    Edit { id: "detail-row-renumbered", edit: |parts| parts.events.detail_row = counted_from_zero },
];

fn every_second_position(row: &Row) -> Value {
    let mut shown = row.to_stream_json();
    shown["projectPosition"] = json!((2 * row.position).to_string());
    shown
}

fn counted_from_zero(row: &Row) -> Value {
    let mut shown = row.to_detail_json();
    shown["projectPosition"] = json!((row.position - 1).to_string());
    shown
}

/// Takes the event that a client has seen last for the first one that it wants.
fn from_the_last_on(call: &Call) -> Result<u64, oao::errors::Refusal> {
    let start = start_of(call)?;
    Ok(if call.header("last-event-id").is_some() { start.saturating_sub(1) } else { start })
}

fn by_query_first(call: &Call) -> Result<u64, oao::errors::Refusal> {
    let start = start_of(call)?;
    Ok(call.query("cursor").and_then(position_of).unwrap_or(start))
}

/// Changes the pieces of an event stream.
fn change_pieces(reply: &mut Reply, change: impl Fn(Bytes) -> Bytes + Clone + Send + Sync + 'static) {
    if let ReplyBody::Stream(open) = &reply.body {
        let open = open.clone();
        reply.body = ReplyBody::Stream(Arc::new(move || open().map(change.clone()).boxed()));
    }
}

fn greet_once(call: &Call, reply: &mut Reply) {
    if let (ReplyBody::Stream(open), Some("true")) = (&reply.body, call.query("once")) {
        let open = open.clone();
        let greeting = || stream::iter([Bytes::from_static(b": connected\n\n")]);
        reply.body = ReplyBody::Stream(Arc::new(move || greeting().chain(open()).boxed()));
    }
}

fn never_greet(_: &Call, reply: &mut Reply) {
    let is_greeting =
        |piece: &Bytes| piece.starts_with(b":") && piece.windows(9).any(|part| part == b"connected");
    change_pieces(reply, move |piece| if is_greeting(&piece) { Bytes::new() } else { piece });
}

/// Makes up ids while it reads.
fn number_the_readings(parts: &mut Parts) {
    let readings = Arc::new(AtomicU64::new(0));
    parts.front.rewrites.push(Arc::new(move |call, reply| {
        if call.query("once").is_none() {
            return;
        }
        let reading = readings.fetch_add(1, Ordering::Relaxed);
        change_pieces(reply, move |piece| {
            let text = String::from_utf8_lossy(&piece).replace("\"id\":\"", &format!("\"id\":\"{reading}-"));
            text.into_bytes().into()
        });
    }));
}
