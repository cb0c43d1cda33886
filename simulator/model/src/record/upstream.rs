//! The real model, and how requests are passed on to it.

use std::path::Path;

use axum::body::Bytes;
use http::{HeaderMap, HeaderName, HeaderValue, header, request::Parts};
use wire::{
    Net, Origin,
    http::{Failure, Open, Request},
};

use super::{RecordError, secret::REDACTED};
use crate::router::below;

/// Headers that are about a connection and not about what goes over it.
const HOP_BY_HOP: [&str; 9] = [
    "connection",
    "keep-alive",
    "proxy-authenticate",
    "proxy-authorization",
    "proxy-connection",
    "te",
    "trailer",
    "transfer-encoding",
    "upgrade",
];
/// Headers of a request that are said anew, or to nobody but this server.
const OURS: [&str; 5] = ["host", "content-length", "accept-encoding", "expect", "x-proofhouse-session"];

/// Where requests are passed on to.
#[derive(Clone, Debug)]
pub(super) struct Upstream {
    net: Net,
    origin: Origin,
    /// What stands before the paths of the wires, without a slash at its end.
    path: String,
}

impl Upstream {
    /// The upstream at a base URL, with or without the `/v1` at its end. `net` leads there; without it the URL
    /// says how, and `roots` may hold certificates to trust.
    pub(super) fn at(url: &str, net: Option<Net>, roots: Option<&Path>) -> Result<Self, RecordError> {
        let bad = |reason: String| RecordError::Upstream { url: without_credentials(url), reason };
        let (origin, path) = Origin::split(url).map_err(|error| bad(error.to_string()))?;
        let path = path.strip_suffix("/v1").unwrap_or(path).to_owned();
        let net = match net {
            Some(net) => net,
            None => origin.net(roots)?,
        };
        Ok(Self { net, origin, path })
    }

    /// Its URL, for people.
    pub(super) fn url(&self) -> String {
        format!("{}{}", self.origin, self.path)
    }

    /// Passes a request on and waits for the head of the answer.
    pub(super) async fn ask(
        &self,
        parts: &Parts,
        body: Bytes,
        head: std::time::Duration,
    ) -> Result<Open, Failure> {
        let query = parts.uri.query().map(|query| format!("?{query}")).unwrap_or_default();
        let mut request =
            Request::new(parts.method.as_str(), format!("{}{}{query}", self.path, below(parts.uri.path())));
        if request.path.is_empty() || request.path.starts_with('?') {
            request.path.insert(0, '/');
        }
        for (name, value) in passed_on(&parts.headers) {
            if !OURS.contains(&name.as_str())
                && let Ok(value) = value.to_str()
            {
                request = request.header(name.as_str(), value);
            }
        }
        // What is recorded has to be read, and what is read here is no archive.
        let request = request.header(header::ACCEPT_ENCODING.as_str(), "identity");
        let mut request = request.header(header::VIA.as_str(), format!("1.1 {NAME}"));
        request.body = (!body.is_empty()).then_some(body);
        wire::http::open(&self.net, self.origin.authority(), &request, head).await
    }
}

/// A URL as it may be told: what stands before an `@` is a password as like as not, slashes in it or none, and a
/// query holds keys.
fn without_credentials(url: &str) -> String {
    if let Some((url, _)) = url.split_once('?') {
        return [&without_credentials(url), "?", REDACTED].concat();
    }
    let start = url.find("://").map_or(0, |scheme| scheme + 3);
    match url[start..].rfind('@') {
        Some(at) => [&url[..start], REDACTED, &url[start + at..]].concat(),
        None => url.to_owned(),
    }
}

/// What recorders are called in the `via` header of what they pass on.
pub(super) const NAME: &str = "proofhouse-recorder";

/// The headers that go on to the other side.
fn passed_on(headers: &HeaderMap) -> impl Iterator<Item = (&HeaderName, &HeaderValue)> {
    let named = named_by_connection(
        headers.get_all(header::CONNECTION).iter().filter_map(|value| value.to_str().ok()),
    );
    headers.iter().filter(move |(name, _)| !is_of_connection(name.as_str(), &named))
}

/// The headers of an answer, as they go on to the client.
pub(super) fn headers_of(open: &Open) -> HeaderMap {
    let connection =
        open.headers.iter().filter(|(name, _)| name == "connection").map(|(_, value)| value.as_str());
    let named = named_by_connection(connection);
    let mut headers = HeaderMap::new();
    for (name, value) in open.headers.iter().filter(|(name, _)| !is_of_connection(name, &named)) {
        let header = (HeaderName::from_bytes(name.as_bytes()), HeaderValue::from_bytes(value.as_bytes()));
        if let (Ok(name), Ok(value)) = header {
            headers.append(name, value);
        }
    }
    headers
}

fn named_by_connection<'a>(values: impl Iterator<Item = &'a str>) -> Vec<String> {
    values.flat_map(|value| value.split(',')).map(|name| name.trim().to_ascii_lowercase()).collect()
}

fn is_of_connection(name: &str, named: &[String]) -> bool {
    HOP_BY_HOP.contains(&name) || named.iter().any(|known| known == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_base_url_may_end_in_its_version_and_may_not_be_much_else() {
        let url = |url: &str| Upstream::at(url, Some(Net::memory()), None).map(|upstream| upstream.url());
        assert_eq!(url("https://api.example.com/v1/").unwrap(), "https://api.example.com:443");
        assert_eq!(url("http://localhost:8080/openai/v1").unwrap(), "http://localhost:8080/openai");
        assert_eq!(url("http://localhost:8080/openai").unwrap(), "http://localhost:8080/openai");
        for (bad, told) in [
            ("", ""),
            ("api.example.com", "api.example.com"),
            ("ftp://x", "ftp://x"),
            ("https://user:secret@x", "https://REDACTED@x"),
            ("https://user:sec/ret@x/v1", "https://REDACTED@x/v1"),
            ("user:secret@x", "REDACTED@x"),
            ("http://x?key=secret", "http://x?REDACTED"),
            ("http://u:p@x?key=secret", "http://REDACTED@x?REDACTED"),
        ] {
            let error = url(bad).unwrap_err().to_string();
            assert!(error.starts_with(&format!("the upstream `{told}` is no base URL: ")), "{error}");
        }
    }

    #[test]
    fn headers_of_the_connection_stay_there() {
        let mut headers = HeaderMap::new();
        for (name, value) in [
            ("connection", "Keep-Alive, X-Hop"),
            ("x-hop", "1"),
            ("keep-alive", "timeout=5"),
            ("te", "trailers"),
            ("authorization", "Bearer k"),
            ("anthropic-beta", "a"),
            ("anthropic-beta", "b"),
        ] {
            headers.append(HeaderName::from_static(name), HeaderValue::from_static(value));
        }
        let names: Vec<&str> = passed_on(&headers).map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, ["authorization", "anthropic-beta", "anthropic-beta"]);
    }
}
