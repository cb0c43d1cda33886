//! Where the turns of a script stand, and which conversation a word leads to.

use std::{collections::BTreeMap, ops::Range};

use super::document::Draft;
use crate::request::ModelRequest;

#[derive(Debug)]
pub(super) struct Index {
    /// For each place its conversation and its number in it.
    pub(super) turns: Vec<(usize, usize)>,
    /// For each conversation the places of its turns.
    pub(super) places: Vec<Range<usize>>,
    /// Conversations by their key.
    keys: BTreeMap<Box<str>, Vec<usize>>,
    /// Conversations without a key.
    unkeyed: Vec<usize>,
    /// What most words are kept out by.
    sieve: Sieve,
}

impl Index {
    pub(super) fn of(draft: &Draft) -> Self {
        let mut index = Self {
            turns: Vec::new(),
            places: Vec::new(),
            keys: BTreeMap::new(),
            unkeyed: Vec::new(),
            sieve: Sieve::empty(),
        };
        let keyed = draft.conversations.iter().map(|one| (one.key.as_deref(), one.turns.len()));
        let alone = draft.conversations.is_empty().then_some((None, draft.turns.len()));
        for (number, (key, count)) in keyed.chain(alone).enumerate() {
            let start = index.turns.len();
            index.turns.extend((0..count).map(|turn| (number, turn)));
            index.places.push(start..index.turns.len());
            match key {
                Some(key) => {
                    index.sieve.add(key);
                    index.keys.entry(key.into()).or_default().push(number);
                }
                None => index.unkeyed.push(number),
            }
        }
        index
    }

    /// The conversations whose key stands in the request, and those without a key, in order.
    pub(super) fn conversations_for(&self, request: &ModelRequest) -> Vec<usize> {
        let mut found = self.unkeyed.clone();
        if !self.keys.is_empty() {
            let users = request.messages.iter().filter(|message| message.role == "user");
            let texts = std::iter::once(request.system.as_str()).chain(users.map(|user| user.text.as_str()));
            for word in texts.flat_map(words).filter(|word| self.sieve.may_hold(word)) {
                found.extend(self.keys.get(word).into_iter().flatten());
            }
            found.sort_unstable();
            found.dedup();
        }
        found
    }
}

/// Whether a text is one word, as the keys of conversations are.
pub(super) fn is_word(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(in_word)
}

fn in_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_')
}

/// The words of a text. What lies between words is ASCII or no word at all, so no character is cut.
fn words(text: &str) -> impl Iterator<Item = &str> {
    let bytes = text.as_bytes();
    let mut at = 0;
    std::iter::from_fn(move || {
        let start = at + bytes[at..].iter().position(|byte| in_word(*byte))?;
        let length = bytes[start..].iter().position(|byte| !in_word(*byte));
        at = length.map_or(bytes.len(), |length| start + length);
        text.get(start..at)
    })
}

/// What most words are told apart by from every key, before any key is looked at: a set of marks, each made
/// of a word's length and three of its bytes.
#[derive(Debug)]
struct Sieve(Box<[u64; SIEVE_WORDS]>);

/// How many marks fit into a sieve, in words of 64.
const SIEVE_WORDS: usize = 1024;

impl Sieve {
    fn empty() -> Self {
        Self(Box::new([0; SIEVE_WORDS]))
    }

    fn mark(word: &str) -> (usize, u64) {
        let bytes = word.as_bytes();
        let byte = |at: usize| bytes.get(at).copied().map_or(0, usize::from);
        let last = bytes.len().saturating_sub(1);
        let mark = bytes.len().wrapping_mul(0x9e37) ^ byte(0) ^ byte(last) << 5 ^ byte(bytes.len() / 2) << 10;
        (mark / 64 % SIEVE_WORDS, 1 << (mark % 64))
    }

    fn add(&mut self, word: &str) {
        let (at, bit) = Self::mark(word);
        self.0[at] |= bit;
    }

    /// Whether a word may be among those that were added.
    fn may_hold(&self, word: &str) -> bool {
        let (at, bit) = Self::mark(word);
        self.0[at] & bit != 0
    }
}

#[cfg(test)]
mod tests {
    use crate::{
        request::{Message, ModelRequest},
        script::{Answer, Conversation, Script, Turn},
    };

    #[test]
    fn a_key_is_a_whole_word_of_the_system_text_or_of_a_user_message() {
        let turn = || [Turn::new("only", Answer::new().text(""))];
        let keyed = |key: &str| Conversation::new(key, turn()).key(key);
        let script = Script::of_conversations(
            "keys",
            [
                keyed("order-1"),
                Conversation::new("any", turn()),
                keyed("order-10"),
                keyed("naïve".get(..2).unwrap()),
            ],
        );
        let script = script.unwrap();
        let found = |system: &str, role: &str, text: &str| {
            let message = Message { role: role.into(), text: text.into(), ..Message::default() };
            let request =
                ModelRequest { system: system.into(), messages: vec![message], ..ModelRequest::default() };
            script.conversations_for(&request).map(|(number, _)| number).collect::<Vec<_>>()
        };
        assert_eq!(found("", "user", "ship order-10, please"), [1, 2]);
        assert_eq!(found("order-10 (order-1)", "user", "order-1"), [0, 1, 2]);
        assert_eq!(found("", "assistant", "order-1"), [1], "what the model said is no key");
        assert_eq!(found("reorder-1 order-11 order_1", "user", ""), [1]);
        assert_eq!(found("", "user", "naïve"), [1, 3], "a letter that is not ASCII ends a word");
    }
}
