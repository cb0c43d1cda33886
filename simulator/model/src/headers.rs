//! The headers of a request, kept small and without secrets.

use std::{
    hash::{DefaultHasher, Hash, Hasher},
    sync::Arc,
};

use http::HeaderMap;

use crate::secret_name::is_secret;

/// What stands in the place of a secret.
pub(crate) const HIDDEN: &str = "(hidden)";

/// The names and values of headers, one a line. Cloning them is cheap.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Headers {
    text: Arc<str>,
    keys: u64,
}

impl Headers {
    /// Takes over what can be read; the values of secret ones are hidden.
    pub(crate) fn of(map: &HeaderMap) -> Self {
        let mut text = String::with_capacity(map.len() * 40);
        let mut keys = DefaultHasher::new();
        for (name, value) in map {
            let value = if is_secret(name.as_str()) {
                if name != http::header::COOKIE {
                    (name.as_str(), value.as_bytes()).hash(&mut keys);
                }
                HIDDEN
            } else {
                value.to_str().unwrap_or("(unreadable)")
            };
            text.push_str(name.as_str());
            text.push(':');
            text.push_str(value);
            text.push('\n');
        }
        Self { text: text.into(), keys: keys.finish() }
    }

    /// Bytes that they take.
    pub(crate) fn len(&self) -> usize {
        self.text.len()
    }

    /// The same for all requests that come with the same keys. It is told to nobody.
    pub(crate) fn keys(&self) -> u64 {
        self.keys
    }

    /// Names in lower case and values, in order.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        // No value holds a line feed, and no name a colon.
        self.text.lines().filter_map(|line| line.split_once(':'))
    }

    /// The values of a header, whatever the case of `name`.
    pub(crate) fn get<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a str> {
        self.iter().filter(move |(found, _)| found.eq_ignore_ascii_case(name)).map(|(_, value)| value)
    }
}

#[cfg(test)]
mod tests {
    use http::{HeaderMap, HeaderName, HeaderValue};

    use super::Headers;

    fn headers(pairs: &[(&'static str, &'static str)]) -> Headers {
        let mut map = HeaderMap::new();
        for (name, value) in pairs {
            map.append(HeaderName::from_static(name), HeaderValue::from_static(value));
        }
        Headers::of(&map)
    }

    #[test]
    fn secrets_are_hidden_and_the_rest_is_kept_in_order() {
        let headers = headers(&[
            ("anthropic-beta", "a:b"),
            ("authorization", "Bearer sk"),
            ("x-api-key", "sk"),
            ("anthropic-beta", "c"),
        ]);
        assert_eq!(headers.get("Anthropic-Beta").collect::<Vec<_>>(), ["a:b", "c"]);
        assert_eq!(headers.get("x-api-key").collect::<Vec<_>>(), ["(hidden)"]);
        assert!(!format!("{headers:?}").contains("sk"));
    }

    #[test]
    fn keys_are_told_apart_without_being_kept() {
        let keys = |pairs| headers(pairs).keys();
        assert_eq!(keys(&[("x-api-key", "a"), ("date", "1")]), keys(&[("x-api-key", "a"), ("date", "2")]));
        assert_ne!(keys(&[("x-api-key", "a")]), keys(&[("x-api-key", "b")]));
        assert_eq!(
            keys(&[("cookie", "a=1")]),
            keys(&[("cookie", "a=2")]),
            "cookies come and go by themselves"
        );
    }
}
