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

/// A body as it went over the wire.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Body {
    /// UTF-8 text.
    Text(String),
    /// Anything else, as lower-case hex.
    Hex(String),
}

impl Body {
    /// The body made of `bytes`.
    pub fn new(bytes: &[u8]) -> Self {
        match std::str::from_utf8(bytes) {
            Ok(text) => Self::Text(text.to_owned()),
            Err(_) => Self::Hex(bytes.iter().map(|byte| format!("{byte:02x}")).collect()),
        }
    }

    /// The text, where it is text.
    pub fn text(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            Self::Hex(_) => None,
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
        }
        let digest: String = hash.finalize()[..12].iter().map(|byte| format!("{byte:02x}")).collect();
        let name = BodyRef(format!("sha256:{digest}"));
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
