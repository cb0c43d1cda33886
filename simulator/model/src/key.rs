//! Which session a request belongs to.

use std::borrow::Cow;

use http::{HeaderMap, HeaderName, Uri, header};

use crate::{request::ModelRequest, script::is_id};

/// The session of requests that name none.
pub const DEFAULT_SESSION: &str = "default";

/// The header that names a session.
static HEADER: HeaderName = HeaderName::from_static("x-proofhouse-session");
static API_KEY: HeaderName = HeaderName::from_static("x-api-key");
/// What stands before a session key in a text.
pub(crate) const MARKER: &str = "proofhouse-session:";
/// Its last letter.
const LAST: char = ':';
/// For those whose request named no session, or a wrong one.
pub(crate) const HOW_NAMED: &str = "a request names its session by the path /s/KEY/v1/…, the header \
    x-proofhouse-session, the API key or the text proofhouse-session:KEY in a message";

/// The session named in the path, as `/s/{key}/…`.
pub(crate) fn in_path(uri: &Uri) -> Option<&str> {
    uri.path().strip_prefix("/s/")?.split('/').next().filter(|key| !key.is_empty())
}

/// The session of a request: the first of path, header, API key (when such a session is loaded) and
/// marker in a text, else [`DEFAULT_SESSION`].
pub(crate) fn of<'a>(
    uri: &'a Uri,
    headers: &'a HeaderMap,
    request: Option<&'a ModelRequest>,
    body: &'a [u8],
    is_loaded: impl Fn(&str) -> bool,
) -> Cow<'a, str> {
    let named = in_path(uri).or_else(|| text_of(headers, &HEADER));
    let key = named.or_else(|| api_key(headers).filter(|key| is_loaded(key)));
    if let Some(key) = key {
        return Cow::Borrowed(key);
    }
    // A request that cannot be read belongs to somebody all the same.
    let key = match request {
        Some(request) => request.texts().find_map(planted).map(Cow::Borrowed),
        None => planted(&String::from_utf8_lossy(body)).map(|key| Cow::Owned(key.to_owned())),
    };
    key.unwrap_or(Cow::Borrowed(DEFAULT_SESSION))
}

/// Whether a request names its session in a header that is no text.
pub(crate) fn is_unreadable(uri: &Uri, headers: &HeaderMap) -> bool {
    in_path(uri).is_none() && headers.get(&HEADER).is_some_and(|value| value.to_str().is_err())
}

fn text_of<'a>(headers: &'a HeaderMap, name: &HeaderName) -> Option<&'a str> {
    headers.get(name)?.to_str().ok().map(str::trim)
}

fn api_key(headers: &HeaderMap) -> Option<&str> {
    let bearer = text_of(headers, &header::AUTHORIZATION).and_then(|value| {
        let (scheme, key) = value.split_once(' ')?;
        scheme.eq_ignore_ascii_case("bearer").then(|| key.trim())
    });
    bearer.or_else(|| text_of(headers, &API_KEY))
}

/// Whether a letter may stand in a key.
fn in_key(letter: char) -> bool {
    letter.is_ascii_alphanumeric() || matches!(letter, '-' | '_')
}

/// The key behind the first marker of a text that has one.
fn planted(text: &str) -> Option<&str> {
    marked(text).map(|(_, key)| key).find(|key| is_id(key))
}

/// Each marker in a text: where it begins, and the letters behind it that may stand in a key. Long
/// conversations are searched for it at every request, so its last letter is looked for, which is rare.
pub(crate) fn marked(text: &str) -> impl Iterator<Item = (usize, &str)> {
    text.match_indices(LAST).filter_map(|(at, _)| {
        let (before, rest) = text.split_at(at + LAST.len_utf8());
        let start = before.strip_suffix(MARKER)?.len();
        let key = &rest[..rest.find(|letter| !in_key(letter)).unwrap_or(rest.len())];
        // A marker that follows at once is no key, although all but its last letter could be.
        let next = rest[key.len()..].starts_with(LAST).then(|| key.strip_suffix(&MARKER[..MARKER.len() - 1]));
        Some((start, next.flatten().unwrap_or(key)))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::request::Message;

    fn request(system: &str, user: &str) -> ModelRequest {
        let message = Message { role: "user".into(), text: user.into(), ..Message::default() };
        ModelRequest { system: system.into(), messages: vec![message], ..ModelRequest::default() }
    }

    fn key(path: &str, headers: &[(&'static str, &str)], request: &ModelRequest) -> String {
        let headers = headers
            .iter()
            .map(|(name, value)| (HeaderName::from_static(name), value.parse().unwrap()))
            .collect();
        let loaded = |key: &str| matches!(key, "loaded" | "other");
        of(&path.parse().unwrap(), &headers, Some(request), b"", loaded).into_owned()
    }

    #[test]
    fn a_request_that_cannot_be_read_is_found_by_the_marker_in_its_body() {
        let body = r#"{"messages":[{"role":"system","content":"proofhouse-session:lost"}"#;
        let found = |body: &str| {
            let uri = "/v1/chat/completions".parse().unwrap();
            of(&uri, &HeaderMap::new(), None, body.as_bytes(), |_| true).into_owned()
        };
        assert_eq!(found(body), "lost");
        assert_eq!(found("{}"), DEFAULT_SESSION);
    }

    #[test]
    fn the_path_wins_then_the_header_then_a_loaded_api_key_then_a_marker() {
        let marked = request("be kind", "hi (proofhouse-session:k_1-a) there");
        let plain = "/v1/chat/completions";
        let api = ("authorization", "Bearer loaded");
        let header = ("x-proofhouse-session", "from-header");
        assert_eq!(key("/s/from-path/v1/chat/completions?x=1", &[header, api], &marked), "from-path");
        assert_eq!(key(plain, &[header, api], &marked), "from-header");
        assert_eq!(key(plain, &[api], &marked), "loaded");
        assert_eq!(key(plain, &[("x-api-key", "other")], &marked), "other");
        assert_eq!(key(plain, &[("authorization", "Bearer sk-unknown")], &marked), "k_1-a");
        assert_eq!(key(plain, &[], &request("", "nothing planted")), DEFAULT_SESSION);
    }

    #[test]
    fn a_marker_is_found_in_any_text_and_needs_a_key() {
        assert_eq!(key("/", &[], &request("x proofhouse-session:sys", "proofhouse-session:usr")), "sys");
        assert_eq!(key("/", &[], &request("", "proofhouse-session: no proofhouse-session:yes.")), "yes");
        assert_eq!(key("/", &[], &request("", "proofhouse-session:proofhouse-session:yes:no")), "yes");
        assert_eq!(key("/", &[], &request("", "proofhouse-session::é: proofhouse-session:yes")), "yes");
        assert_eq!(
            key("/", &[], &request("", &format!("proofhouse-session:{}", "a".repeat(65)))),
            DEFAULT_SESSION
        );
    }
}
