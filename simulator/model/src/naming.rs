//! Ids that are made from texts.

use std::collections::{BTreeMap, BTreeSet};

/// The longest id of a turn, a conversation or a call.
const ID_CHARS_MAX: usize = 64;
/// The longest id that is made from a text, so that there is room for a number.
const SLUG_CHARS_MAX: usize = 40;

/// The words of a text in lower case with hyphens between them, as far as they are ASCII and fit; `other` when
/// there are none.
pub(crate) fn slug(text: &str, other: &str) -> String {
    let mut slug = String::new();
    let words = text.split(|letter: char| !letter.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    for word in words {
        let hyphen = usize::from(!slug.is_empty());
        let room = SLUG_CHARS_MAX - slug.len();
        if word.len() + hyphen > room && hyphen == 1 {
            break;
        }
        if hyphen == 1 {
            slug.push('-');
        }
        slug.push_str(&word[..word.len().min(room)]);
    }
    if slug.is_empty() { other.to_owned() } else { slug.to_ascii_lowercase() }
}

/// Ids that are taken.
#[derive(Debug, Default)]
pub(crate) struct Taken(BTreeSet<String>);

impl Taken {
    /// Takes an id that nobody has: `wanted`, made valid, or that with a number behind `between`.
    pub(crate) fn take(&mut self, wanted: &str, between: char) -> String {
        let base = valid(wanted);
        let mut id = base.clone();
        let mut number = 1_u64;
        while !self.0.insert(id.clone()) {
            number += 1;
            let tail = format!("{between}{number}");
            // An id is ASCII, so that any place in it is a boundary.
            id = format!("{}{tail}", &base[..base.len().min(ID_CHARS_MAX - tail.len())]);
        }
        id
    }
}

impl Taken {
    /// Takes an id as it stands when it is free and says something, else one like it.
    pub(crate) fn keep(&mut self, id: &str) -> String {
        let is_free = !id.is_empty() && self.0.insert(id.to_owned());
        if is_free { id.to_owned() } else { self.take(if id.is_empty() { "call" } else { id }, '_') }
    }
}

/// A text as an id: what cannot stand in one becomes `_`.
fn valid(text: &str) -> String {
    let letter = |letter: char| match letter {
        'a'..='z' | 'A'..='Z' | '0'..='9' | '-' | '_' => letter,
        _ => '_',
    };
    let id: String = text.chars().take(ID_CHARS_MAX).map(letter).collect();
    if id.is_empty() { "_".to_owned() } else { id }
}

/// The ids of calls, made valid, with what they were called before.
#[derive(Debug, Default)]
pub(crate) struct CallIds {
    taken: Taken,
    called: BTreeMap<String, String>,
}

impl CallIds {
    /// The valid id of a call, the same each time.
    pub(crate) fn of(&mut self, id: &str) -> String {
        if let Some(valid) = self.called.get(id) {
            return valid.clone();
        }
        let valid = self.taken.take(id, '_');
        self.called.insert(id.to_owned(), valid.clone());
        valid
    }

    /// An id of its own for a call that another call of the same answer has taken the id of.
    pub(crate) fn another(&mut self, id: &str) -> String {
        self.taken.take(id, '_')
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::script::is_id;

    #[test]
    fn a_slug_is_an_id_or_what_was_asked_for_instead() {
        for (text, expected) in [
            ("What's the weather in Oslo?", "what-s-the-weather-in-oslo"),
            ("  ../../etc/passwd", "etc-passwd"),
            ("żółć 🦀", "other"),
            ("", "other"),
        ] {
            assert_eq!(slug(text, "other"), expected);
        }
        assert_eq!(slug(&"a".repeat(100), "other").len(), SLUG_CHARS_MAX);
        assert!(is_id(&slug(&"word ".repeat(100), "other")));
    }

    #[test]
    fn an_id_is_valid_and_taken_once() {
        let mut taken = Taken::default();
        assert_eq!(taken.take("a", '-'), "a");
        assert_eq!(taken.take("a", '-'), "a-2");
        assert_eq!(taken.take("a-2", '-'), "a-2-2");
        for wanted in ["", "a b/../c", &"x".repeat(200), "żółć"] {
            for _ in 0..12 {
                let id = taken.take(wanted, '_');
                assert!(is_id(&id), "{id}");
            }
        }
    }

    #[test]
    fn what_is_free_is_kept_as_it_stands() {
        let mut taken = Taken::default();
        let ids = ["functions.read:0", "functions.read:0", "", ""].map(|id| taken.keep(id));
        assert_eq!(ids, ["functions.read:0", "functions_read_0", "call", "call_2"]);
    }

    #[test]
    fn a_call_keeps_its_new_id() {
        let mut ids = CallIds::default();
        assert_eq!(
            (ids.of("call 1"), ids.of("call_1"), ids.of("call 1")),
            ("call_1".into(), "call_1_2".into(), "call_1".into())
        );
        assert_eq!(ids.another("call_1"), "call_1_3");
    }
}
