//! Hunting canaries.

use std::collections::BTreeMap;

use base64::{Engine, engine::general_purpose::STANDARD_NO_PAD};

use super::{Canary, PIECE, views::views};

/// How a canary was disguised when it was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Disguise {
    /// As text, escaped or not, whatever the case.
    Text,
    /// As base64 or base64url.
    Base64,
    /// As hexadecimal digits.
    Hex,
}

impl Disguise {
    /// In words.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Text => "as text",
            Self::Base64 => "as base64",
            Self::Hex => "as hexadecimal digits",
        }
    }
}

/// A piece of a canary that was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Found {
    /// Where the canary was planted.
    pub(crate) channel: String,
    /// How it was disguised.
    pub(crate) disguise: Disguise,
}

/// Everything that gives one of some canaries away: by its letters, and which canary it is.
#[derive(Debug)]
pub(crate) struct Hunt {
    channels: Vec<String>,
    text: BTreeMap<Vec<u8>, usize>,
    base64: BTreeMap<Vec<u8>, usize>,
    hex: BTreeMap<Vec<u8>, usize>,
}

/// Letters of base64 that a piece of eight bytes fixes, at the least, wherever it begins.
const BASE64_LETTERS: usize = 10;

impl Hunt {
    /// A hunt for these canaries.
    pub(crate) fn of<'a>(canaries: impl IntoIterator<Item = &'a Canary>) -> Self {
        let (mut text, mut base64, mut hex) = (BTreeMap::new(), BTreeMap::new(), BTreeMap::new());
        let mut channels = Vec::new();
        for (at, canary) in canaries.into_iter().enumerate() {
            channels.push(canary.channel.clone());
            for piece in canary.text.as_bytes().windows(PIECE) {
                text.insert(piece.to_vec(), at);
                hex.insert(hex_of(piece), at);
                let upper = piece.to_ascii_uppercase();
                for spelling in [piece, &upper] {
                    base64.extend((0..3).map(|before| (base64_of(spelling, before), at)));
                }
            }
        }
        Self { channels, text, base64, hex }
    }

    /// The first piece of a canary in `haystack`.
    pub(crate) fn find(&self, haystack: &str) -> Option<Found> {
        views(haystack).iter().find_map(|view| self.find_in(view))
    }

    fn find_in(&self, view: &str) -> Option<Found> {
        let lower = view.to_lowercase();
        // Base64url differs in two letters, which are undone; line breaks inside are left out.
        let letters: Vec<u8> = view
            .bytes()
            .filter(|byte| !matches!(byte, b'\r' | b'\n'))
            .map(|byte| match byte {
                b'-' => b'+',
                b'_' => b'/',
                other => other,
            })
            .collect();
        let found =
            |at: Option<usize>, disguise| at.map(|at| Found { channel: self.channels[at].clone(), disguise });
        found(search(lower.as_bytes(), PIECE, &self.text), Disguise::Text)
            .or_else(|| found(search(&letters, BASE64_LETTERS, &self.base64), Disguise::Base64))
            .or_else(|| found(search(lower.as_bytes(), 2 * PIECE, &self.hex), Disguise::Hex))
    }
}

fn search(haystack: &[u8], length: usize, needles: &BTreeMap<Vec<u8>, usize>) -> Option<usize> {
    haystack.windows(length).find_map(|window| needles.get(window).copied())
}

fn hex_of(piece: &[u8]) -> Vec<u8> {
    piece.iter().map(|byte| format!("{byte:02x}")).collect::<String>().into_bytes()
}

/// The letters of base64 that do not depend on what stands before and after the piece, when `before` bytes of
/// a group of three stand before it.
fn base64_of(piece: &[u8], before: usize) -> Vec<u8> {
    let mut bytes = vec![0; before];
    bytes.extend_from_slice(piece);
    let encoded = STANDARD_NO_PAD.encode(&bytes);
    let first = (before * 8).div_ceil(6);
    encoded.bytes().skip(first).take(BASE64_LETTERS).collect()
}

#[cfg(test)]
mod tests {
    use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
    use proptest::prelude::*;

    use super::*;

    fn canary() -> Canary {
        Canary::of(&wire::Seed::of_run(7), "task")
    }

    fn is_found(text: &str) -> bool {
        Hunt::of([&canary()]).find(text).is_some()
    }

    /// The disguises, each a way to write a text.
    type Write = fn(&str) -> String;
    const DISGUISES: [(&str, Write); 14] = [
        ("raw", |text| text.to_owned()),
        ("in a sentence", |text| format!("the task was {text}, it said")),
        ("upper case", |text| text.to_uppercase()),
        ("json", |text| serde_json::json!({"a": [text]}).to_string()),
        ("json in json", |text| {
            serde_json::json!({"a": serde_json::json!({"b": text}).to_string()}).to_string()
        }),
        ("escapes", |text| text.bytes().map(|byte| format!("\\u{byte:04x}")).collect()),
        ("percent", |text| text.bytes().map(|byte| format!("%{byte:02X}")).collect()),
        ("hex", |text| text.bytes().map(|byte| format!("{byte:02x}")).collect()),
        ("upper hex", |text| text.bytes().map(|byte| format!("{byte:02X}")).collect()),
        ("base64", |text| STANDARD.encode(text)),
        ("base64, one before", |text| STANDARD.encode(format!("x{text}y"))),
        ("base64, two before", |text| STANDARD.encode(format!("xx{text}yy"))),
        ("base64url", |text| URL_SAFE_NO_PAD.encode(format!("?{text}?"))),
        ("base64 in json", |text| serde_json::json!({"a": STANDARD.encode(text)}).to_string()),
    ];

    #[test]
    fn every_disguise_is_seen_through() {
        let text = canary().text;
        for (name, write) in DISGUISES {
            assert!(is_found(&write(&text)), "{name}");
            assert!(is_found(&write(&text[..PIECE])), "{name}, the first eight letters");
            assert!(is_found(&write(&text[text.len() - PIECE..])), "{name}, the last eight letters");
            let (one, other) = (write(&text[..PIECE + 4]), write(&text[PIECE + 4..]));
            assert!(is_found(&one) && is_found(&other), "{name}, either half");
        }
    }

    #[test]
    fn the_channel_is_named() {
        let seed = wire::Seed::of_run(7);
        let canaries = ["task", "result", "skill"].map(|channel| Canary::of(&seed, channel));
        let hunt = Hunt::of(&canaries);
        for canary in &canaries {
            assert_eq!(hunt.find(&canary.text).map(|found| found.channel), Some(canary.channel.clone()));
        }
    }

    proptest! {
        #[test]
        fn nothing_is_found_where_nothing_was_planted(text in "\\PC{0,300}", json in "[0-9a-f]{64}", code in "[A-Za-z0-9+/]{120}") {
            prop_assert!(!is_found(&text) && !is_found(&json) && !is_found(&code));
        }

        #[test]
        fn whatever_stands_around_it_it_is_found(before in "\\PC{0,40}", after in "\\PC{0,40}", disguise in 0..DISGUISES.len()) {
            let (name, write) = DISGUISES[disguise];
            let text = write(&canary().text);
            // Base64 and hexadecimal digits run on into letters around them without being torn apart by them.
            prop_assert!(is_found(&format!("{before} {text} {after}")), "{name}");
        }
    }
}
