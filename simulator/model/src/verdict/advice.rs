//! What an error answer tells a client about trying again.

use std::collections::BTreeMap;

use jiff::fmt::rfc2822::DateTimeParser;

use super::exchange::Exchange;
use crate::{journal::Outcome, script::Wrong};

/// Statuses that another try may overcome, besides those from 500 on.
const PASSING: [u16; 3] = [408, 409, 429];
/// Statuses that the same request gets for ever.
const LASTING: [u16; 11] = [400, 401, 402, 403, 404, 405, 410, 413, 414, 415, 422];
/// What stands in the envelope when no try will help, whatever the status.
const SPENT: &str = "insufficient_quota";
/// Clients of the official kinds do not wait longer than that; they may give up at once instead.
pub(super) const WAIT_MAX_MS: u64 = 60_000;

/// What a failed attempt tells about trying again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Advice {
    /// What happened, for people: `status 429`.
    pub(super) what: String,
    pub(super) again: Again,
    /// How long to wait before the next try, when that was said.
    pub(super) wait_ms: Option<u64>,
}

/// Whether to try again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Again {
    /// A client that gives up at once gives up too early.
    Yes,
    /// Another try is a waste.
    No,
    /// Either is fine.
    Maybe,
}

impl Advice {
    /// What `exchange` was told, when it got an error instead of an answer. `epoch_ms` is when its clock
    /// started, in milliseconds since 1970.
    pub(super) fn to(exchange: &Exchange, epoch_ms: i64) -> Option<Self> {
        match &exchange.wrong {
            Some(Wrong::ResetBeforeHeaders) => {
                Some(Self { what: "a reset before the answer".to_owned(), again: Again::Yes, wait_ms: None })
            }
            Some(Wrong::Status(status)) => {
                let now_ms =
                    i64::try_from(exchange.answered_ms.unwrap_or(exchange.arrived_ms)).unwrap_or(i64::MAX);
                let wait_ms = wait(&status.headers, epoch_ms.saturating_add(now_ms));
                let spent =
                    [&status.kind, &status.error_code].into_iter().flatten().any(|word| word == SPENT);
                let again = match header(&status.headers, "x-should-retry") {
                    Some("false") => Again::No,
                    Some("true") => Again::Maybe,
                    _ if LASTING.contains(&status.code) => Again::No,
                    _ if !PASSING.contains(&status.code) && status.code < 500 => Again::Maybe,
                    _ if spent || wait_ms.is_some_and(|wait| wait > WAIT_MAX_MS) => Again::Maybe,
                    _ => Again::Yes,
                };
                Some(Self { what: format!("status {}", status.code), again, wait_ms })
            }
            // These answers carry `x-should-retry: false`.
            _ if matches!(exchange.outcome, Outcome::Missed | Outcome::Rejected) => {
                let status = exchange.status.unwrap_or(400);
                Some(Self { what: format!("status {status}"), again: Again::No, wait_ms: None })
            }
            _ => None,
        }
    }
}

fn header<'a>(headers: &'a BTreeMap<String, String>, wanted: &str) -> Option<&'a str> {
    let mut found = headers.iter().filter(|(name, _)| name.eq_ignore_ascii_case(wanted));
    found.next().map(|(_, value)| value.trim())
}

/// How long to wait, in milliseconds: `retry-after-ms`, else `retry-after` as seconds or as a date.
fn wait(headers: &BTreeMap<String, String>, now_ms: i64) -> Option<u64> {
    if let Some(ms) = header(headers, "retry-after-ms").and_then(number) {
        return Some(whole(ms));
    }
    let value = header(headers, "retry-after")?;
    if let Some(seconds) = number(value) {
        return Some(whole(seconds * 1000.0));
    }
    let date = DateTimeParser::new().parse_timestamp(value).ok()?;
    u64::try_from(date.as_millisecond().saturating_sub(now_ms)).ok()
}

fn number(text: &str) -> Option<f64> {
    text.parse().ok().filter(|number: &f64| number.is_finite() && *number >= 0.0)
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "the number is finite and not negative, and one that is too large becomes the largest"
)]
fn whole(number: f64) -> u64 {
    number as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_are_read_as_clients_read_them() {
        let wait = |pairs: &[(&str, &str)]| {
            let headers =
                pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
            // 2026-01-05T09:00:00Z
            wait(&headers, 1_767_603_600_000)
        };
        assert_eq!(wait(&[]), None);
        assert_eq!(wait(&[("Retry-After", "1.5")]), Some(1500));
        assert_eq!(wait(&[("retry-after", "2"), ("retry-after-ms", "250.7")]), Some(250));
        assert_eq!(wait(&[("retry-after", "2"), ("retry-after-ms", "soon")]), Some(2000));
        assert_eq!(wait(&[("retry-after", "Mon, 05 Jan 2026 09:00:07 GMT")]), Some(7000));
        assert_eq!(wait(&[("retry-after", "Mon, 05 Jan 2026 08:00:00 GMT")]), None);
        assert_eq!(wait(&[("retry-after", "-1")]), None);
    }
}
