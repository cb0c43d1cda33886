//! Where a URL leads: the scheme and the server.

use std::{fmt, path::Path};

use crate::{
    Net,
    tls::{Trust, TrustError},
};

/// How a server is spoken to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Scheme {
    /// Plain HTTP.
    Http,
    /// HTTP over TLS.
    Https,
}

impl Scheme {
    fn name(self) -> &'static str {
        match self {
            Self::Http => "http",
            Self::Https => "https",
        }
    }

    /// The port that a URL need not name.
    pub fn port(self) -> u16 {
        match self {
            Self::Http => 80,
            Self::Https => 443,
        }
    }
}

/// A scheme and an authority.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Origin {
    scheme: Scheme,
    authority: String,
}

/// A URL that leads nowhere.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{reason}, as in `https://host:8443/path`")]
pub struct BadUrl {
    /// What is wrong.
    reason: &'static str,
}

impl Origin {
    /// The origin of `url`, and the path after it: empty, or from its slash on and without one at its end.
    ///
    /// A URL with credentials, a query, a fragment or blanks is refused: it is meant as a base.
    pub fn split(url: &str) -> Result<(Self, &str), BadUrl> {
        let (scheme, rest) = match url.split_once("://") {
            Some((name, rest)) if name.eq_ignore_ascii_case("http") => (Scheme::Http, rest),
            Some((name, rest)) if name.eq_ignore_ascii_case("https") => (Scheme::Https, rest),
            _ => return Err(BadUrl { reason: "a URL has to begin with http:// or https://" }),
        };
        if rest.contains(|c: char| c.is_whitespace() || c.is_control() || matches!(c, '?' | '#' | '@')) {
            return Err(BadUrl { reason: "a URL may have a host, a port and a path, and nothing else" });
        }
        let (authority, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
        let (host, port) = match authority.rfind(']') {
            Some(end) => authority.split_at(end + 1),
            None => authority.split_at(authority.find(':').unwrap_or(authority.len())),
        };
        if host.is_empty() || host.starts_with('[') != host.ends_with(']') {
            return Err(BadUrl { reason: "the host is missing" });
        }
        let port = match port.strip_prefix(':') {
            None if port.is_empty() => scheme.port(),
            Some(digits) if digits.bytes().all(|byte| byte.is_ascii_digit()) => {
                digits.parse().map_err(|_| BadUrl { reason: "the port has to be a number up to 65535" })?
            }
            _ => return Err(BadUrl { reason: "the port has to be a number up to 65535" }),
        };
        Ok((Self { scheme, authority: format!("{host}:{port}") }, path.trim_end_matches('/')))
    }

    /// How the server is spoken to.
    pub fn scheme(&self) -> Scheme {
        self.scheme
    }

    /// `host:port`, the port always there.
    pub fn authority(&self) -> &str {
        &self.authority
    }

    /// The network that reaches it: [`Net::Tcp`], or [`Net::Tls`] with [`Trust::new`]`(roots)`.
    pub fn net(&self, roots: Option<&Path>) -> Result<Net, TrustError> {
        match self.scheme {
            Scheme::Http => Ok(Net::Tcp),
            Scheme::Https => Ok(Net::Tls(Trust::new(roots)?)),
        }
    }
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}://{}", self.scheme.name(), self.authority)
    }
}
