//! The way to a server: one POST, one answer.

use std::{fmt, str::FromStr, time::Duration};

use futures_util::{FutureExt, future::BoxFuture};
use wire::{
    Net, Origin,
    http::{Failure, Limits, Request, Response, send},
    origin::Scheme,
    tls::Trust,
};

/// What one exchange with a server may cost. A tool may take its time, but a turn does not wait for ever.
const LIMITS: Limits =
    Limits { head: Duration::from_secs(60), whole: Duration::from_secs(60), body_bytes_max: 8 * 1024 * 1024 };

/// The way to a server.
pub trait Channel: Send + Sync {
    /// Posts `body` with these headers, and those that every message of MCP has.
    fn post(
        &self,
        headers: Vec<(String, String)>,
        body: String,
    ) -> BoxFuture<'static, Result<Response, Failure>>;
}

/// The address of an MCP server: `https://host:port/path?query`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct McpUrl {
    origin: Origin,
    path: String,
}

/// An address that leads nowhere.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{url}` is no address of an MCP server: {reason}")]
pub struct BadMcpUrl {
    url: String,
    reason: wire::origin::BadUrl,
}

impl FromStr for McpUrl {
    type Err = BadMcpUrl;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let (base, query) = text.split_at(text.find('?').unwrap_or(text.len()));
        let (origin, _) = Origin::split(base).map_err(|reason| BadMcpUrl { url: text.to_owned(), reason })?;
        // `Origin` drops a slash at the end, which is part of an address here.
        let path = base.split_once("://").and_then(|(_, rest)| rest.find('/').map(|at| &rest[at..]));
        Ok(Self { origin, path: format!("{}{query}", path.unwrap_or("/")) })
    }
}

impl fmt::Display for McpUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.origin, self.path)
    }
}

/// A server elsewhere, reached over the network.
#[derive(Clone, Debug)]
pub struct HttpChannel {
    net: Net,
    url: McpUrl,
}

impl HttpChannel {
    /// The server at `url`: over `net` for plain HTTP, over TLS for the other scheme.
    pub fn new(net: Net, url: McpUrl) -> Self {
        Self { net, url }
    }

    fn net(&self) -> Result<Net, Failure> {
        match (self.url.origin.scheme(), &self.net) {
            (Scheme::Http, net) | (Scheme::Https, net @ Net::Tls(_)) => Ok(net.clone()),
            (Scheme::Https, Net::Memory(_) | Net::Tcp) => {
                let untrusted = |why: wire::tls::TrustError| Failure::Untrusted {
                    authority: self.url.origin.authority().to_owned(),
                    reason: why.to_string(),
                };
                Trust::new(None).map(Net::Tls).map_err(untrusted)
            }
        }
    }
}

impl Channel for HttpChannel {
    fn post(
        &self,
        headers: Vec<(String, String)>,
        body: String,
    ) -> BoxFuture<'static, Result<Response, Failure>> {
        let channel = self.clone();
        async move {
            let net = channel.net()?;
            let request = Request::new("POST", channel.url.path.clone());
            let request = headers
                .into_iter()
                .fold(request, |request, (name, value)| request.header(&name, value))
                .header("accept", "application/json, text/event-stream")
                .json(body);
            send(&net, channel.url.origin.authority(), &request, LIMITS).await
        }
        .boxed()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_keeps_its_path_and_its_query() {
        for (text, authority, path) in [
            ("http://tools.test/mcp", "tools.test:80", "/mcp"),
            ("http://tools.test:8080/mcp/", "tools.test:8080", "/mcp/"),
            ("https://tools.test", "tools.test:443", "/"),
            ("http://tools.test/mcp?key=a/b", "tools.test:80", "/mcp?key=a/b"),
            ("http://tools.test?key=a", "tools.test:80", "/?key=a"),
        ] {
            let url: McpUrl = text.parse().unwrap();
            assert_eq!((url.origin.authority(), url.path.as_str()), (authority, path), "{text}");
        }
        for text in ["", "tools.test/mcp", "ftp://tools.test", "http://u@tools.test/", "http://:1/"] {
            assert!(text.parse::<McpUrl>().is_err(), "{text}");
        }
    }
}
