//! Secrets in texts, and how they are taken out.

use std::ops::Range;

use base64::{Engine as _, engine::general_purpose::STANDARD};
use http::{HeaderMap, Uri, header};
use serde_json::Value;

use crate::secret_name::{decoded, is_secret, secrets_in};

/// What stands in the place of a secret.
pub(super) const REDACTED: &str = "REDACTED";

/// The shortest value of a header that is looked for in texts. What is shorter keeps no secret, and is found in
/// too many words.
const VALUE_BYTES_MIN: usize = 8;
/// How keys begin, and how many letters follow at least.
const KEYS: [(&str, usize); 24] = [
    ("sk-", 8),
    ("sk_live_", 8),
    ("sk_test_", 8),
    ("rk_live_", 8),
    ("pk_live_", 8),
    ("AKIA", 16),
    ("ASIA", 16),
    ("AIza", 30),
    ("ghp_", 20),
    ("gho_", 20),
    ("ghu_", 20),
    ("ghs_", 20),
    ("ghr_", 20),
    ("github_pat_", 20),
    ("glpat-", 16),
    ("gsk_", 20),
    ("hf_", 20),
    ("npm_", 30),
    ("pplx-", 20),
    ("xai-", 20),
    ("xapp-", 10),
    ("xoxa-", 10),
    ("xoxb-", 10),
    ("xoxp-", 10),
];
/// What names the secret half of a key of AWS, without what stands between the words, and how long that is.
const AWS_NAME: &str = "secretaccesskey";
const AWS_LETTERS: usize = 40;
/// The longest way from such a name to the key.
const AWS_WAY_MAX: usize = 12;

/// What must not be written down: what looks like a key, and what a request itself carries.
#[derive(Clone, Debug, Default)]
pub(super) struct Secrets {
    values: Vec<String>,
}

impl Secrets {
    /// The secrets of a request.
    pub(super) fn of(headers: &HeaderMap, uri: &Uri) -> Self {
        let named = headers.iter().filter(|(name, _)| is_secret(name.as_str()));
        let mut values: Vec<String> = Vec::new();
        for (name, value) in named {
            let Ok(value) = value.to_str() else { continue };
            match *name == header::COOKIE || *name == header::SET_COOKIE {
                true => values.extend(cookies(value)),
                false => values.extend(parts(value)),
            }
        }
        for value in uri.query().into_iter().flat_map(secrets_in) {
            values.extend([value.to_owned(), decoded(value)]);
        }
        values.retain(|value| value.len() >= VALUE_BYTES_MIN);
        // What holds another value goes before it.
        values.sort_by(|one, other| other.len().cmp(&one.len()).then_with(|| one.cmp(other)));
        values.dedup();
        Self { values }
    }

    /// A text without the secrets that the request itself carries. What is random anyway is no place to look for
    /// what looks like a key.
    pub(super) fn clean_of_own(&self, text: &str) -> String {
        self.values.iter().fold(text.to_owned(), |text, value| text.replace(value.as_str(), REDACTED))
    }

    /// A text without its secrets.
    pub(super) fn clean(&self, text: &str) -> String {
        let mut clean = String::with_capacity(text.len());
        let mut done = 0;
        for found in self.found(text) {
            clean.push_str(&text[done..found.start]);
            clean.push_str(REDACTED);
            done = found.end;
        }
        clean.push_str(&text[done..]);
        clean
    }

    /// A value without the secrets in its texts and names.
    pub(super) fn clean_value(&self, value: &Value) -> Value {
        match value {
            Value::String(text) => Value::String(self.clean(text)),
            Value::Array(items) => items.iter().map(|item| self.clean_value(item)).collect(),
            Value::Object(fields) => {
                fields.iter().map(|(name, value)| (self.clean(name), self.clean_value(value))).collect()
            }
            other => other.clone(),
        }
    }

    /// Where the secrets of a text stand, in order and apart from each other.
    pub(super) fn found(&self, text: &str) -> Vec<Range<usize>> {
        let mut found: Vec<Range<usize>> = Vec::new();
        for value in &self.values {
            found.extend(text.match_indices(value.as_str()).map(|(start, value)| start..start + value.len()));
        }
        found.extend(private_keys(text));
        let words = words(text);
        for (number, word) in words.iter().enumerate() {
            found.extend(key(text, word));
            found.extend(token(text, word));
            found.extend(bearer(text, &words[number..]));
            found.extend(aws(text, &words, number));
        }
        merged(found)
    }
}

/// The values of cookies. Their names are no secret.
fn cookies(value: &str) -> impl Iterator<Item = String> {
    value.split(';').filter_map(|pair| pair.split_once('=')).flat_map(|(_, value)| {
        let value = value.trim().trim_matches('"');
        [value.to_owned(), decoded(value)]
    })
}

/// The secret of a header, whole and in its parts. A scheme in front is no secret.
fn parts(value: &str) -> Vec<String> {
    let rest = value.split_once(' ').map(|(_, rest)| rest.trim());
    let pieces = value.split([' ', ';', ',', '=', '"', '\'']);
    let mut parts: Vec<String> = pieces.chain(rest).chain([value]).map(str::to_owned).collect();
    // A name and a password, as `Basic` has them.
    let pair = rest.and_then(|rest| STANDARD.decode(rest).ok()).and_then(|pair| String::from_utf8(pair).ok());
    if let Some(pair) = pair {
        parts.extend(pair.split_once(':').map(|(_, password)| password.to_owned()));
        parts.push(pair);
    }
    parts
}

fn merged(mut ranges: Vec<Range<usize>>) -> Vec<Range<usize>> {
    ranges.sort_by_key(|range| range.start);
    let mut merged: Vec<Range<usize>> = Vec::new();
    for range in ranges {
        match merged.last_mut() {
            Some(last) if range.start <= last.end => last.end = last.end.max(range.end),
            _ => merged.push(range),
        }
    }
    merged
}

fn in_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_')
}

/// The words of a text: letters, digits, `-` and `_`. The letter of an escape, as in `\n`, is no part of one.
fn words(text: &str) -> Vec<Range<usize>> {
    let bytes = text.as_bytes();
    let mut words = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        if bytes[at] == b'\\' {
            let is_unicode = bytes.get(at + 1) == Some(&b'u');
            at += if is_unicode { 6 } else { 2 };
        } else if in_word(bytes[at]) {
            let start = at;
            while at < bytes.len() && in_word(bytes[at]) {
                at += 1;
            }
            words.push(start..at);
        } else {
            at += 1;
        }
    }
    words
}

/// A word that begins like a key.
fn key(text: &str, word: &Range<usize>) -> Option<Range<usize>> {
    let letters = &text[word.clone()];
    let begins =
        |(begin, more): &&(&str, usize)| letters.starts_with(*begin) && letters.len() >= begin.len() + more;
    KEYS.iter().find(begins).map(|_| word.clone())
}

/// Three words with dots between them, the first two of which are JSON in Base64.
fn token(text: &str, word: &Range<usize>) -> Option<Range<usize>> {
    if !text[word.clone()].starts_with("eyJ") {
        return None;
    }
    let second = after_dot(text, word.end)?;
    let third = after_dot(text, second.end)?;
    text[second].starts_with("eyJ").then_some(word.start..third.end)
}

fn after_dot(text: &str, at: usize) -> Option<Range<usize>> {
    let rest = text.get(at..)?.strip_prefix('.')?;
    let length = rest.bytes().take_while(|byte| in_word(*byte)).count();
    Some(at + 1..at + 1 + length)
}

/// What follows the word `Bearer` and looks like no other word.
fn bearer(text: &str, words: &[Range<usize>]) -> Option<Range<usize>> {
    let word = words.first()?;
    if !text[word.clone()].eq_ignore_ascii_case("bearer") {
        return None;
    }
    let rest = &text[word.end..];
    let start = word.end + (rest.len() - rest.trim_start_matches([' ', '\t']).len());
    let in_token = |byte: &u8| byte.is_ascii_alphanumeric() || b"-._~+/=".contains(byte);
    let length = text[start..].bytes().take_while(in_token).count();
    let token = text[start..start + length].trim_end_matches(['.', '-']);
    let odd = token.bytes().skip(1).any(|byte| !byte.is_ascii_lowercase());
    let is_token = start > word.end && token.len() >= VALUE_BYTES_MIN && (odd || token.len() >= 24);
    is_token.then_some(start..start + token.len())
}

/// The secret half of a key of AWS, behind its name.
fn aws(text: &str, words: &[Range<usize>], number: usize) -> Option<Range<usize>> {
    let word = words.get(number)?;
    let name = text[word.clone()].replace(['_', '-'], "").to_ascii_lowercase();
    if !name.ends_with(AWS_NAME) {
        return None;
    }
    let start =
        words.get(number + 1).map(|next| next.start).filter(|start| start - word.end <= AWS_WAY_MAX)?;
    // A key may begin with a sign that is in no word.
    let lead = text[word.end..start].bytes().rev().take_while(|byte| b"/+".contains(byte)).count();
    let start = start - lead;
    let in_key = |byte: &u8| byte.is_ascii_alphanumeric() || b"/+=".contains(byte);
    let length = text[start..].bytes().take_while(in_key).count();
    (length >= AWS_LETTERS).then_some(start..start + length)
}

/// Private keys in their armour.
fn private_keys(text: &str) -> Vec<Range<usize>> {
    const END: &str = "-----END";
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(start) = text[at..].find("-----BEGIN ").map(|start| at + start) {
        let rest = &text[start..];
        let head = rest.find("PRIVATE KEY-----").filter(|head| *head < 40);
        let length = head.map(|_| {
            let end = rest.find(END).map_or(rest.len(), |end| end + END.len());
            let tail = rest[end..].find("-----").map_or(0, |tail| tail + 5);
            end + tail
        });
        if let Some(length) = length {
            found.push(start..start + length);
        }
        at = start + length.unwrap_or(END.len());
    }
    found
}

#[cfg(test)]
mod tests {
    use http::HeaderName;
    use serde_json::json;

    use super::*;

    fn cleaned(text: &str) -> String {
        Secrets::default().clean(text)
    }

    #[test]
    fn what_looks_like_a_key_is_taken_out() {
        let aws = "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY";
        assert_eq!(aws.len(), AWS_LETTERS);
        for (text, expected) in [
            ("use sk-ant-api03-AbC_123-x now", "use REDACTED now".to_owned()),
            (
                "OPENAI_API_KEY=sk-proj-12345678\\nAWS=AKIAABCDEFGHIJKLMNOP",
                "OPENAI_API_KEY=REDACTED\\nAWS=REDACTED".into(),
            ),
            ("Authorization: Bearer abc.DEF-123", "Authorization: Bearer REDACTED".into()),
            ("bearer eyJhbGciOi.eyJzdWIi.c2ln.", "bearer REDACTED.".into()),
            ("eyJhbGciOi.eyJzdWIi.c2ln", "REDACTED".into()),
            (&format!("aws_secret_access_key = \"{aws}\""), "aws_secret_access_key = \"REDACTED\"".into()),
            (
                &format!("{{\\\"SecretAccessKey\\\":\\\"/{}\\\"}}", &aws[1..]),
                "{\\\"SecretAccessKey\\\":\\\"REDACTED\\\"}".into(),
            ),
            ("ghp_0123456789abcdefghij!", "REDACTED!".into()),
            (
                "a -----BEGIN RSA PRIVATE KEY-----\nMII\n-----END RSA PRIVATE KEY----- b",
                "a REDACTED b".into(),
            ),
            ("-----BEGIN PRIVATE KEY-----\ncut", "REDACTED".into()),
        ] {
            assert_eq!(cleaned(text), expected);
        }
    }

    #[test]
    fn any_text_can_be_looked_at() {
        use proptest::{prelude::*, sample::select, test_runner::TestRunner};
        let parts = select(vec![
            "sk-",
            "Bearer ",
            "eyJ",
            ".",
            "-----BEGIN ",
            "PRIVATE KEY-----",
            "-----END",
            "secret_access_key",
            "=",
            "/",
            "\\",
            "\\u00",
            "0123456789abcdef",
            " ",
            "\n",
            "ż",
            "🦀",
            "AKIA",
            "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
        ]);
        let texts = prop::collection::vec(parts, 0..12).prop_map(|parts| parts.concat());
        let secrets = Secrets { values: vec!["aaaaaaaa".to_owned(), "🦀🦀".to_owned()] };
        let run = TestRunner::deterministic().run(&texts, |text| {
            let clean = secrets.clean(&text);
            prop_assert!(!clean.contains("aaaaaaaa") && !clean.contains("🦀🦀"));
            for needle in super::super::needle::needles(&text, &secrets) {
                prop_assert!(text.contains(&needle) && secrets.found(&needle).is_empty(), "{needle}");
            }
            Ok(())
        });
        run.unwrap_or_else(|error| panic!("{error}"));
    }

    #[test]
    fn other_words_stay() {
        for text in [
            "",
            "risk-assessment task-management-service disk-12345678 sk-short",
            "Bearer authentication is required; bearer",
            "-----BEGIN CERTIFICATE-----\nMII\n-----END CERTIFICATE-----",
            "eyJ.eyJ AKIA secret_access_key: none \\",
            "żółć 🦀 \\u00e9",
        ] {
            assert_eq!(cleaned(text), text);
        }
    }

    #[test]
    fn what_the_request_carries_is_taken_out_wherever_it_stands() {
        let mut headers = HeaderMap::new();
        for (name, value) in [
            ("authorization", "Basic dXNlcjpwYXNzd29yZA=="),
            ("x-api-key", "my own key_1"),
            ("cookie", "sid=0123456789; theme=dark"),
            ("x-goog-api-key", "short"),
        ] {
            headers.append(HeaderName::from_static(name), value.parse().unwrap());
        }
        let secrets = Secrets::of(&headers, &"/v1/x?key=abcdefgh&alt=sse".parse().unwrap());
        let value = json!({"dXNlcjpwYXNzd29yZA==": ["sid=0123456789", "xabcdefghx", 7], "short": "sse dark"});
        let clean = json!({"REDACTED": ["sid=REDACTED", "xREDACTEDx", 7], "short": "sse dark"});
        assert_eq!(secrets.clean_value(&value), clean);
    }

    #[test]
    fn every_way_of_carrying_a_secret_is_looked_into() {
        for (name, value) in [
            ("cookie", "theme=dark; s=\"plainsecret\""),
            ("cookie", "plainsecretname=1; s=plainsecret"),
            ("cookie", "s=plain%73ecret"),
            ("x-auth-token", "plainsecret"),
            ("x-access-token", "plainsecret"),
            ("x-csrf-token", "plainsecret"),
            ("x-portkey-api-key", "plainsecret"),
            ("cf-access-client-secret", "plainsecret"),
            ("helicone-auth", "Bearer plainsecret"),
            ("x-amz-security-token", "plainsecret"),
            ("authorization", "Basic dXNlcjpwbGFpbnNlY3JldA=="),
            ("proxy-authorization", "Basic dXNlcjpwbGFpbnNlY3JldA=="),
            ("authorization", "Digest username=\"u\", response=\"plainsecret\""),
        ] {
            let mut headers = HeaderMap::new();
            headers.append(HeaderName::from_static(name), value.parse().unwrap());
            let secrets = Secrets::of(&headers, &"/v1/x".parse().unwrap());
            assert_eq!(secrets.clean("say plainsecret."), "say REDACTED.", "{name}: {value}");
            assert_eq!(secrets.clean_of_own("plainsecret"), "REDACTED", "{name}: {value}");
        }
        let secrets =
            Secrets::of(&HeaderMap::new(), &"/v1/x?sig=plain%73ecret&alt=eventstream".parse().unwrap());
        assert_eq!(secrets.clean("plainsecret eventstream"), "REDACTED eventstream");
    }
}
