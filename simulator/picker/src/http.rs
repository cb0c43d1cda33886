//! Asking a server, and reading its lists page by page.

use std::time::Duration;

use serde_json::Value;
use wire::{
    Clock, Net,
    http::{Limits, Request, send},
};

use crate::Parts;

const LIMITS: Limits =
    Limits { head: Duration::from_secs(4), whole: Duration::from_secs(5), body_bytes_max: 1024 * 1024 };
/// Between two attempts.
const BEFORE_A_REPEAT: Duration = Duration::from_millis(200);

/// A request that came to nothing.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Failed {
    /// The URL is none.
    #[error("`{0}` is no base URL of the form http://host:port")]
    Url(String),
    /// There was no answer.
    #[error("{path}: {reason}")]
    NoAnswer {
        /// What was asked.
        path: String,
        /// Why there was none.
        reason: String,
    },
    /// The answer was no success.
    #[error("{path}: answered {status}")]
    Refused {
        /// What was asked.
        path: String,
        /// The status.
        status: u16,
    },
    /// The answer was no list.
    #[error("{path}: answered something that is no list")]
    NoList {
        /// What was asked.
        path: String,
    },
}

/// A hand that asks one server with one key.
pub struct Hand<'a> {
    net: &'a Net,
    clock: &'a Clock,
    parts: &'a Parts,
    authority: String,
    prefix: String,
    key: String,
}

impl<'a> Hand<'a> {
    /// A hand for the server at `url`.
    pub fn new(
        net: &'a Net,
        clock: &'a Clock,
        parts: &'a Parts,
        url: &str,
        key: &str,
    ) -> Result<Self, Failed> {
        let rest = url.strip_prefix("http://").ok_or_else(|| Failed::Url(url.to_owned()))?;
        let (authority, prefix) = rest.find('/').map_or((rest, ""), |at| rest.split_at(at));
        if authority.is_empty() {
            return Err(Failed::Url(url.to_owned()));
        }
        let prefix = prefix.trim_end_matches('/').to_owned();
        Ok(Self { net, clock, parts, authority: authority.to_owned(), prefix, key: key.to_owned() })
    }

    /// Sends a request, again where the server is busy, and gives the body of a success.
    pub async fn ask(&self, method: &str, path: &str, body: Option<&Value>) -> Result<Value, Failed> {
        let mut left = self.parts.repeats_max;
        loop {
            let (signed, authorization) = (self.parts.sign)(path, &self.key);
            let mut request = Request::new(method, format!("{}{signed}", self.prefix));
            if let Some(authorization) = authorization {
                request = request.header("authorization", authorization);
            }
            if let Some(body) = body {
                request = request.json(body.to_string());
            }
            let answer = send(self.net, &self.authority, &request, LIMITS).await;
            let answer = answer
                .map_err(|error| Failed::NoAnswer { path: path.to_owned(), reason: error.to_string() })?;
            match answer.status {
                200..=299 => return Ok(serde_json::from_slice(&answer.body).unwrap_or_default()),
                429 | 503 if left > 0 => {
                    left -= 1;
                    self.clock.pause(BEFORE_A_REPEAT).await;
                }
                status => return Err(Failed::Refused { path: path.to_owned(), status }),
            }
        }
    }

    /// Reads the list at `path`, following its pages.
    pub async fn list(&self, path: &str) -> Result<Vec<Value>, Failed> {
        let (mut entries, mut next) = (Vec::new(), path.to_owned());
        for _ in 0..self.parts.pages_max {
            let page = self.ask("GET", &next, None).await?;
            let Some(data) = page.get("data").and_then(Value::as_array) else {
                return Err(Failed::NoList { path: path.to_owned() });
            };
            entries.extend(data.iter().cloned());
            let more = page.get("has_more") == Some(&Value::Bool(true));
            match page.get("next_cursor").and_then(Value::as_str).filter(|_| more) {
                Some(cursor) => next = format!("{path}?cursor={cursor}"),
                None => break,
            }
        }
        Ok(entries)
    }
}
