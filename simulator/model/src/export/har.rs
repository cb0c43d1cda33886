//! An entry in the words of HTTP Archive 1.2.

use axum::extract::Query;
use base64::{Engine as _, engine::general_purpose::STANDARD};
use http::{StatusCode, Uri};
use jiff::{SignedDuration, Timestamp};
use serde_json::{Map, Value, json};
use wire::Seed;

use super::response::{self, Sent};
use crate::{
    journal::{JournalEntry, Record},
    state::Mint,
};

/// Where times are counted from, and what ids grow from.
#[derive(Clone, Copy, Debug)]
pub(super) struct Origin {
    /// When the clock of the host started.
    pub(super) started: Timestamp,
    pub(super) seed: Seed,
}

/// What stands for the host when a request names none.
const NO_HOST: &str = "localhost";
const HTTP_VERSION: &str = "HTTP/1.1";

/// One entry.
pub(super) fn entry(record: &Record, told: &JournalEntry, mint: &Mint, origin: &Origin) -> Value {
    let arrived = i64::try_from(told.arrived_ms).unwrap_or(i64::MAX);
    let started = origin.started.checked_add(SignedDuration::from_millis(arrived)).unwrap_or(Timestamp::MAX);
    let wait = told.answered_ms.or(told.ended_ms).map_or(0, |ms| ms.saturating_sub(told.arrived_ms));
    let receive = told.answered_ms.zip(told.ended_ms).map_or(0, |(from, to)| to.saturating_sub(from));
    let sent = response::again(record, mint, &origin.seed);
    json!({
        "startedDateTime": format!("{started:.3}"),
        "time": wait.saturating_add(receive),
        "request": request(record, told),
        "response": answer(told, sent),
        "cache": {},
        "timings": {"blocked": -1, "dns": -1, "connect": -1, "ssl": -1, "send": 0, "wait": wait, "receive": receive},
        "_proofhouse": about(told),
    })
}

/// What the journal knows beyond what stands in an archive.
fn about(told: &JournalEntry) -> Value {
    json!({
        "sequence": told.sequence,
        "session": told.session,
        "turn": told.turn,
        "outcome": told.outcome,
        "fault": told.fault,
        "retry": told.retry,
        "gate": told.gate,
        "client_left": told.client_left,
        "pieces_sent": told.pieces_sent,
        "findings": told.findings,
        "error": told.error,
    })
}

fn request(record: &Record, told: &JournalEntry) -> Value {
    let (method, target) = told.target.split_once(' ').unwrap_or(("GET", &told.target));
    let header =
        |wanted: &str| told.headers.iter().find(|(name, _)| name == wanted).map(|(_, value)| value.as_str());
    let query: Vec<(String, String)> = target
        .parse::<Uri>()
        .ok()
        .and_then(|uri| Query::try_from_uri(&uri).ok())
        .map(|Query(pairs)| pairs)
        .unwrap_or_default();
    let mut request = json!({
        "method": method,
        "url": format!("http://{}{target}", header("host").unwrap_or(NO_HOST)),
        "httpVersion": HTTP_VERSION,
        "cookies": [],
        "headers": pairs(&told.headers),
        "queryString": pairs(&query),
        "headersSize": -1,
        "bodySize": record.body.len(),
    });
    if !record.body.is_empty() {
        let mut data =
            json!({"mimeType": header("content-type").unwrap_or("application/octet-stream"), "params": []});
        text(&record.body, &mut data, "_encoding");
        request["postData"] = data;
    }
    request
}

fn answer(told: &JournalEntry, sent: Option<Sent>) -> Value {
    let Some(Sent { status, headers, body, left_out }) = sent else {
        // As browsers write a request that got no answer.
        return json!({
            "status": 0,
            "statusText": "",
            "httpVersion": "",
            "cookies": [],
            "headers": [],
            "content": {"size": 0, "mimeType": "x-unknown"},
            "redirectURL": "",
            "headersSize": -1,
            "bodySize": -1,
            "_error": told.fault.as_deref().unwrap_or(if told.client_left { "client_left" } else { "pending" }),
        });
    };
    let mime = headers
        .iter()
        .find(|(name, _)| name == "content-type")
        .map_or("x-unknown", |(_, value)| value.as_str());
    let size = u64::try_from(body.len()).unwrap_or(u64::MAX).saturating_add(left_out);
    let mut content = json!({"size": size, "mimeType": mime});
    text(&body, &mut content, "encoding");
    if left_out > 0 {
        // What is left out went over the network all the same, so it counts in `bodySize` alone.
        content["size"] = json!(body.len());
        content["comment"] = json!(format!("{left_out} bytes of padding are left out"));
    }
    let reason = StatusCode::from_u16(status).ok().and_then(|status| status.canonical_reason());
    json!({
        "status": status,
        "statusText": reason.unwrap_or_default(),
        "httpVersion": HTTP_VERSION,
        "cookies": [],
        "headers": pairs(&headers),
        "content": content,
        "redirectURL": "",
        "headersSize": -1,
        "bodySize": size,
    })
}

/// Writes bytes as text, or as base64 when they are no UTF-8, and says so in the field `encoding`.
fn text(bytes: &[u8], into: &mut Value, encoding: &str) {
    match std::str::from_utf8(bytes) {
        Ok(text) => into["text"] = json!(text),
        Err(_) => {
            into["text"] = json!(STANDARD.encode(bytes));
            into[encoding] = json!("base64");
        }
    }
}

fn pairs(pairs: &[(String, String)]) -> Vec<Map<String, Value>> {
    let pair = |(name, value): &(String, String)| {
        [("name".to_owned(), json!(name)), ("value".to_owned(), json!(value))].into_iter().collect()
    };
    pairs.iter().map(pair).collect()
}
