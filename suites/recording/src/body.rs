//! Bodies, stored once each.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

/// The name of a stored body: `sha256:` and the first 24 hex digits.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct BodyRef(String);

impl BodyRef {
    /// The digest as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// A body of more bytes is kept as its beginning, its end and its digest.
const KEPT_BYTES_MAX: usize = 4 * 1024 * 1024;
/// So much of such a body is kept at either end, in bytes.
const END_BYTES: usize = 1_024;

/// A body as it went over the wire.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Body {
    /// UTF-8 text.
    Text(String),
    /// Anything else, as lower-case hex.
    Hex(String),
    /// What is left of a body that is too long to be kept.
    Cut(Cut),
}

/// What is left of a body that is too long to be kept: enough to tell it from another one and to see what it is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Cut {
    /// Its length in bytes.
    pub bytes: u64,
    /// Its SHA-256, as lower-case hex.
    pub sha256: String,
    /// How it begins, as text.
    pub head: String,
    /// How it ends, as text.
    pub tail: String,
}

impl Cut {
    fn of(bytes: &[u8]) -> Self {
        let text = |part: &[u8]| String::from_utf8_lossy(part).into_owned();
        Self {
            bytes: bytes.len() as u64,
            sha256: hex(&Sha256::digest(bytes)),
            head: text(&bytes[..END_BYTES]),
            tail: text(&bytes[bytes.len() - END_BYTES..]),
        }
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

impl Body {
    /// The body made of `bytes`.
    pub fn new(bytes: &[u8]) -> Self {
        if bytes.len() > KEPT_BYTES_MAX {
            return Self::Cut(Cut::of(bytes));
        }
        match std::str::from_utf8(bytes) {
            Ok(text) => Self::Text(text.to_owned()),
            Err(_) => Self::Hex(hex(bytes)),
        }
    }

    /// The text, where it is text and all of it is kept.
    pub fn text(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            Self::Hex(_) | Self::Cut(_) => None,
        }
    }
}

/// Bodies by digest.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Bodies(BTreeMap<BodyRef, Body>);

impl Bodies {
    /// Stores `body` and returns its name.
    pub fn put(&mut self, body: Body) -> BodyRef {
        let mut hash = Sha256::new();
        match &body {
            Body::Text(text) => hash.update(text.as_bytes()),
            Body::Hex(hex) => {
                hash.update([0]);
                hash.update(hex.as_bytes());
            }
            Body::Cut(cut) => {
                hash.update([1]);
                hash.update(cut.bytes.to_be_bytes());
                for part in [&cut.sha256, &cut.head, &cut.tail] {
                    hash.update(part.as_bytes());
                    hash.update([0]);
                }
            }
        }
        let name = BodyRef(format!("sha256:{}", hex(&hash.finalize()[..12])));
        self.0.entry(name.clone()).or_insert(body);
        name
    }

    /// The body called `name`.
    pub fn get(&self, name: &BodyRef) -> Option<&Body> {
        self.0.get(name)
    }

    /// All bodies, by name.
    pub fn iter(&self) -> impl Iterator<Item = (&BodyRef, &Body)> {
        self.0.iter()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_body_that_is_too_long_is_told_from_others_and_reads_back() {
        let long =
            |middle: &str| format!("begins {}{middle}{} ends", "x".repeat(KEPT_BYTES_MAX), "y".repeat(9));
        let mut bodies = Bodies::default();
        let [one, other] = ["1", "2"].map(|middle| bodies.put(Body::new(long(middle).as_bytes())));
        assert_ne!(one, other);
        assert_eq!(bodies.put(Body::new(long("1").as_bytes())), one);
        let kept = &bodies.get(&one).unwrap().clone();
        let Body::Cut(cut) = kept else { panic!("{kept:?}") };
        assert_eq!(cut.bytes, long("1").len() as u64);
        assert!(cut.head.starts_with("begins x") && cut.tail.ends_with("y ends"));
        assert_eq!(kept.text(), None);
        let written = serde_json::to_string(kept).unwrap();
        assert!(written.len() < 3 * END_BYTES, "{}", written.len());
        let read: Body = serde_json::from_str(&written).unwrap();
        assert_eq!((&read, bodies.put(read.clone())), (kept, one));
    }

    #[test]
    fn letters_that_the_cut_goes_through_are_no_trouble_and_a_body_of_the_limit_is_kept() {
        let long = "☃".repeat(KEPT_BYTES_MAX / 3 + 1);
        assert!(matches!(Body::new(long.as_bytes()), Body::Cut(_)));
        assert!(matches!(Body::new(&vec![0xff; KEPT_BYTES_MAX + 1]), Body::Cut(_)));
        assert!(matches!(Body::new(&vec![b'x'; KEPT_BYTES_MAX]), Body::Text(_)));
    }
}
