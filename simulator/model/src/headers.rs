//! The headers of a request, kept small and without secrets.

use std::sync::Arc;

use http::HeaderMap;

/// Headers whose values are nobody's business.
const SECRET: [&str; 6] =
    ["authorization", "x-api-key", "api-key", "x-goog-api-key", "cookie", "proxy-authorization"];
/// What stands in their place.
const HIDDEN: &str = "(hidden)";

/// Whether the value of a header is hidden, whatever the case of `name`.
pub(crate) fn is_secret(name: &str) -> bool {
    SECRET.iter().any(|secret| secret.eq_ignore_ascii_case(name))
}

/// The names and values of headers, one a line. Cloning them is cheap.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Headers(Arc<str>);

impl Headers {
    /// Takes over what can be read; the values of secret ones are hidden.
    pub(crate) fn of(map: &HeaderMap) -> Self {
        let mut text = String::with_capacity(map.len() * 40);
        for (name, value) in map {
            let value = if SECRET.contains(&name.as_str()) {
                HIDDEN
            } else {
                value.to_str().unwrap_or("(unreadable)")
            };
            text.push_str(name.as_str());
            text.push(':');
            text.push_str(value);
            text.push('\n');
        }
        Self(text.into())
    }

    /// Bytes that they take.
    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    /// Names in lower case and values, in order.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        // No value holds a line feed, and no name a colon.
        self.0.lines().filter_map(|line| line.split_once(':'))
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

    #[test]
    fn secrets_are_hidden_and_the_rest_is_kept_in_order() {
        let mut map = HeaderMap::new();
        for (name, value) in [
            ("anthropic-beta", "a:b"),
            ("authorization", "Bearer sk"),
            ("x-api-key", "sk"),
            ("anthropic-beta", "c"),
        ] {
            map.append(HeaderName::from_static(name), HeaderValue::from_static(value));
        }
        let headers = Headers::of(&map);
        assert_eq!(headers.get("Anthropic-Beta").collect::<Vec<_>>(), ["a:b", "c"]);
        assert_eq!(headers.get("x-api-key").collect::<Vec<_>>(), ["(hidden)"]);
        assert!(!format!("{headers:?}").contains("sk"));
    }
}
