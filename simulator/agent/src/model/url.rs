//! The base URL of a model endpoint.

use std::{fmt, str::FromStr};

use wire::{
    Net, Origin,
    http::Failure,
    origin::{BadUrl, Scheme},
    tls::Trust,
};

/// `http://host:port/path` or `https://…`, the part before `/chat/completions` and its like.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModelUrl {
    origin: Origin,
    path: String,
}

/// A base URL that cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{url}` is no model URL: {reason}; a model that runs here is at a URL such as `http://127.0.0.1:4010/v1`"
)]
pub struct BadModelUrl {
    url: String,
    reason: BadUrl,
}

impl ModelUrl {
    /// `host:port`.
    pub fn authority(&self) -> &str {
        self.origin.authority()
    }

    /// The path of an endpoint below this URL: `chat/completions` gives `/v1/chat/completions`.
    pub fn below(&self, endpoint: &str) -> String {
        format!("{}/{endpoint}", self.path)
    }

    /// The network that reaches it: `net` for plain HTTP, TLS over TCP for the other scheme.
    pub(super) fn net(&self, net: &Net) -> Result<Net, Failure> {
        match (self.origin.scheme(), net) {
            (Scheme::Http, net) | (Scheme::Https, net @ Net::Tls(_)) => Ok(net.clone()),
            (Scheme::Https, Net::Memory(_) | Net::Tcp) => {
                let untrusted = |why: wire::tls::TrustError| Failure::Untrusted {
                    authority: self.authority().to_owned(),
                    reason: why.to_string(),
                };
                Trust::new(None).map(Net::Tls).map_err(untrusted)
            }
        }
    }
}

impl FromStr for ModelUrl {
    type Err = BadModelUrl;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match Origin::split(text) {
            Ok((origin, path)) => Ok(Self { origin, path: path.to_owned() }),
            Err(reason) => Err(BadModelUrl { url: text.to_owned(), reason }),
        }
    }
}

impl fmt::Display for ModelUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.origin, self.path)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn urls_are_split_into_authority_and_path() {
        for (text, authority, path) in [
            ("http://model:4010/v1", "model:4010", "/v1/chat/completions"),
            ("http://model:4010/v1/", "model:4010", "/v1/chat/completions"),
            ("http://model", "model:80", "/chat/completions"),
            ("https://model/v1", "model:443", "/v1/chat/completions"),
            ("http://[::1]:8080/a/b", "[::1]:8080", "/a/b/chat/completions"),
        ] {
            let url: ModelUrl = text.parse().unwrap();
            assert_eq!(
                (url.authority(), url.below("chat/completions").as_str()),
                (authority, path),
                "{text}"
            );
        }
    }

    #[test]
    fn only_the_other_scheme_leaves_the_network_for_tls() {
        let net = |text: &str| text.parse::<ModelUrl>().unwrap().net(&Net::memory()).unwrap();
        assert!(matches!(net("http://model/v1"), Net::Memory(_)));
        assert!(matches!(net("https://model/v1"), Net::Tls(_)));
    }

    #[test]
    fn what_is_no_url_is_refused_with_a_way_out() {
        for text in [
            "",
            "model:4010",
            "ftp://model/v1",
            "http://",
            "http:///v1",
            "http://:80",
            "http://a b/",
            "http://a/?x",
        ] {
            let why = text.parse::<ModelUrl>().unwrap_err().to_string();
            assert!(why.contains("http://127.0.0.1:4010/v1"), "{text}: {why}");
        }
    }
}
