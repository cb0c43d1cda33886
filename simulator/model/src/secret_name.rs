//! Which headers and parameters carry secrets, by their names.

use std::borrow::Cow;

use http::Uri;

use crate::headers::HIDDEN;

/// Words that name a secret wherever they stand in a name.
const WORDS: [&str; 17] = [
    "token",
    "secret",
    "secrets",
    "key",
    "keys",
    "apikey",
    "auth",
    "oauth",
    "cookie",
    "cookies",
    "password",
    "passwd",
    "passphrase",
    "credential",
    "credentials",
    "signature",
    "jwt",
];
/// Ends of words that are written together with others: `accesstoken`, `sessionid`, `clientsecret`.
const ENDS: [&str; 8] =
    ["token", "secret", "apikey", "accesskey", "password", "cookie", "sessid", "sessionid"];
/// Beginnings of words about proving who one is.
const BEGINNINGS: [&str; 3] = ["authori", "authent", "credential"];
/// Whole names that carry one, and could not be told by their words.
const NAMES: [&str; 3] = ["sig", "sid", "pwd"];
/// Words that say that it is about a secret, or about tokens of a model, and is none.
const ABOUT: [&str; 12] = [
    "budget",
    "cache",
    "count",
    "expires",
    "idempotency",
    "limit",
    "partition",
    "sort",
    "type",
    "usage",
    "version",
    "websocket",
];
/// Whole names that sound like secrets and are none.
const HARMLESS: [&str; 1] = ["www-authenticate"];

/// The longest name that is looked at, in bytes. Nobody gives a secret a longer one.
const NAME_BYTES_MAX: usize = 128;

/// Whether what a header or a parameter of this name says is nobody's business, whatever the case of the name.
pub(crate) fn is_secret(name: &str) -> bool {
    if name.len() > NAME_BYTES_MAX {
        return true;
    }
    let lower: Cow<'_, str> = if name.bytes().any(|byte| byte.is_ascii_uppercase()) {
        name.to_ascii_lowercase().into()
    } else {
        name.into()
    };
    let words = || lower.split(|letter: char| !letter.is_ascii_alphanumeric());
    let names_one = |word: &str| {
        WORDS.contains(&word)
            || ENDS.iter().any(|end| word.ends_with(end))
            || BEGINNINGS.iter().any(|start| word.starts_with(start) && word != "authority")
    };
    (NAMES.contains(&&*lower) || words().any(names_one))
        && !words().any(|word| ABOUT.contains(&word))
        && !HARMLESS.contains(&&*lower)
}

/// The path of a request with its query, without the secrets in that.
pub(crate) fn without_secrets(uri: &Uri) -> Cow<'_, str> {
    let Some(whole) = uri.path_and_query() else { return Cow::Owned(uri.path().to_owned()) };
    let Some(query) = whole.query().filter(|query| parameters(query).any(|(_, value)| value.is_some()))
    else {
        return Cow::Borrowed(whole.as_str());
    };
    let told = query.split('&').map(|parameter| match parameter.split_once('=') {
        Some((name, _)) if is_secret(&decoded(name)) => Cow::Owned(format!("{name}={HIDDEN}")),
        _ => Cow::Borrowed(parameter),
    });
    Cow::Owned(format!("{}?{}", whole.path(), told.collect::<Vec<_>>().join("&")))
}

/// The values of the secret parameters of a query, as they stand there.
pub(crate) fn secrets_in(query: &str) -> impl Iterator<Item = &str> {
    parameters(query).filter_map(|(_, value)| value)
}

/// The names of the parameters, and the values of those that are secret.
fn parameters(query: &str) -> impl Iterator<Item = (&str, Option<&str>)> {
    query.split('&').map(|parameter| match parameter.split_once('=') {
        Some((name, value)) => (name, is_secret(&decoded(name)).then_some(value)),
        None => (parameter, None),
    })
}

/// A part of a query without its escapes.
pub(crate) fn decoded(part: &str) -> String {
    let mut bytes = Vec::with_capacity(part.len());
    let mut rest = part.as_bytes();
    while let Some((byte, after)) = rest.split_first() {
        let hex = |digit: &u8| char::from(*digit).to_digit(16).and_then(|digit| u8::try_from(digit).ok());
        let escaped = after.first().zip(after.get(1)).filter(|_| *byte == b'%');
        match escaped.and_then(|(high, low)| Some(hex(high)? * 16 + hex(low)?)) {
            Some(byte) => {
                bytes.push(byte);
                rest = &after[2..];
            }
            None => {
                bytes.push(if *byte == b'+' { b' ' } else { *byte });
                rest = after;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_secrets_are_told_by_their_words() {
        for name in [
            "Authorization",
            "proxy-authorization",
            "authentication",
            "x-api-key",
            "api-key",
            "api_key",
            "apikey",
            "key",
            "x-goog-api-key",
            "openai-api-key",
            "x-portkey-api-key",
            "helicone-auth",
            "x-auth-token",
            "x-access-token",
            "access_token",
            "accessToken",
            "x-csrf-token",
            "xsrftoken",
            "cookie",
            "set-cookie",
            "cf-access-client-secret",
            "x-amz-security-token",
            "X-Amz-Credential",
            "X-Amz-Signature",
            "sig",
            "x-secret",
            "x-password",
            "client_secret",
            "PHPSESSID",
            "x-session-token",
            "x-oauth-token",
        ] {
            assert!(is_secret(name), "{name}");
        }
        for name in [
            "",
            "host",
            "accept",
            "content-type",
            "user-agent",
            "anthropic-version",
            "anthropic-beta",
            "x-proofhouse-session",
            "x-session-id",
            "session_id",
            "x-stainless-retry-count",
            "idempotency-key",
            "x-idempotency-key",
            "sec-websocket-key",
            "max_tokens",
            "x-ratelimit-remaining-tokens",
            "x-author",
            "author",
            "keyword",
            "keep-alive",
            "www-authenticate",
            "x-auth-type",
            "token-count",
            "openai-organization",
            "alt",
            "beta",
            "authority",
            "x-cache-key",
        ] {
            assert!(!is_secret(name), "{name}");
        }
    }

    #[test]
    fn queries_lose_their_secrets_and_nothing_else() {
        for (target, told) in [
            ("/v1/x", "/v1/x"),
            ("/v1/x?", "/v1/x?"),
            ("/v1/x?beta=true&stream", "/v1/x?beta=true&stream"),
            ("/v1/x?key=s1&api_key=s2&beta=true", "/v1/x?key=(hidden)&api_key=(hidden)&beta=true"),
            ("/v1/x?api%5Fkey=s1&a=key=s", "/v1/x?api%5Fkey=(hidden)&a=key=s"),
        ] {
            assert_eq!(without_secrets(&target.parse().unwrap()), told);
        }
    }
}
