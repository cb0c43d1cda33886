//! The base URL of a model endpoint.

use std::{fmt, str::FromStr};

/// `http://host:port/path`, the part before `/chat/completions`. Plain HTTP only: a model that the suite
/// hosts is on this machine or in this process.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModelUrl {
    authority: String,
    path: String,
}

/// A base URL that cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BadModelUrl {
    /// The scheme is missing or is not `http`.
    #[error("`{0}` is no model URL: it has to begin with `http://`, as in `http://127.0.0.1:4010/v1`")]
    NotHttp(String),
    /// There is no host.
    #[error("`{0}` is no model URL: the host is missing, as in `http://127.0.0.1:4010/v1`")]
    NoHost(String),
    /// There is a query, a fragment, credentials or a blank.
    #[error("`{0}` is no model URL: only host, port and path are allowed, as in `http://127.0.0.1:4010/v1`")]
    TooMuch(String),
}

impl ModelUrl {
    /// `host:port`.
    pub fn authority(&self) -> &str {
        &self.authority
    }

    /// The path of an endpoint below this URL: `chat/completions` gives `/v1/chat/completions`.
    pub fn below(&self, endpoint: &str) -> String {
        format!("{}/{endpoint}", self.path)
    }
}

impl FromStr for ModelUrl {
    type Err = BadModelUrl;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let rest = text.strip_prefix("http://").ok_or_else(|| BadModelUrl::NotHttp(text.to_owned()))?;
        if rest.chars().any(|c| c.is_whitespace() || matches!(c, '?' | '#' | '@')) {
            return Err(BadModelUrl::TooMuch(text.to_owned()));
        }
        let (authority, path) = rest.split_once('/').unwrap_or((rest, ""));
        if authority.is_empty() || authority.starts_with(':') {
            return Err(BadModelUrl::NoHost(text.to_owned()));
        }
        let has_port = authority.rsplit_once(':').is_some_and(|(_, port)| port.parse::<u16>().is_ok());
        let authority = if has_port { authority.to_owned() } else { format!("{authority}:80") };
        let path = path.trim_end_matches('/');
        let path = if path.is_empty() { String::new() } else { format!("/{path}") };
        Ok(Self { authority, path })
    }
}

impl fmt::Display for ModelUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "http://{}{}", self.authority, self.path)
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
    fn what_is_no_url_is_refused_with_a_way_out() {
        for text in [
            "",
            "model:4010",
            "https://model/v1",
            "http://",
            "http:///v1",
            "http://:80",
            "http://a b/",
            "http://a/?x",
        ] {
            let why = text.parse::<ModelUrl>().unwrap_err().to_string();
            assert!(why.contains("http://127.0.0.1:4010/v1") || why.contains("http://"), "{text}: {why}");
        }
    }
}
