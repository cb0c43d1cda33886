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

const fn in_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_')
}

/// The words of a text. What lies between words is ASCII or no word at all, so no character is cut.
fn words(text: &str) -> impl Iterator<Item = &str> {
    let mut chunks = text.as_bytes().chunks(64).map(letters).enumerate();
    // Places where a word begins or ends that were found and not told yet, one bit each; those of one chunk.
    let (mut chunk, mut edges) = (0, 0_u64);
    let mut before = 0;
    let mut over = false;
    let mut next_edge = move || {
        while edges == 0 {
            match chunks.next() {
                Some((number, letters)) => {
                    chunk = number;
                    edges = letters ^ (letters << 1 | before);
                    before = letters >> 63;
                }
                // A word that reaches to the end of the text ends there.
                None if before == 1 && !over => {
                    over = true;
                    return Some(text.len());
                }
                None => return None,
            }
        }
        let edge = chunk * 64 + edges.trailing_zeros() as usize;
        edges &= edges - 1;
        Some(edge)
    };
    std::iter::from_fn(move || text.get(next_edge()?..next_edge()?))
}

/// Which of 64 bytes stand in words, one bit each. All are looked at without a decision in between, since a
/// processor that guesses where words end is wrong most of the time.
fn letters(bytes: &[u8]) -> u64 {
    bytes.iter().enumerate().fold(0, |bits, (at, byte)| bits | u64::from(IN_WORD[usize::from(*byte)]) << at)
}

/// [`in_word`] of each byte.
static IN_WORD: [bool; 256] = {
    let mut table = [false; 256];
    let mut byte = 0_u8;
    while byte < 128 {
        table[byte as usize] = in_word(byte);
        byte += 1;
    }
    table
};

/// What most words are told apart by from every key, before any key is looked at: a set of marks, each made
/// of a word's length and three of its bytes.
#[derive(Debug)]
struct Sieve {
    marks: Box<[u64; SIEVE_WORDS]>,
    /// The lengths that words have, one bit each.
    lengths: u64,
}

/// How many marks fit into a sieve, in words of 64.
const SIEVE_WORDS: usize = 1024;

impl Sieve {
    fn empty() -> Self {
        Self { marks: Box::new([0; SIEVE_WORDS]), lengths: 0 }
    }

    fn mark(word: &str) -> (usize, u64) {
        let bytes = word.as_bytes();
        let byte = |at: usize| bytes.get(at).copied().map_or(0, usize::from);
        let last = bytes.len().saturating_sub(1);
        let mark = bytes.len().wrapping_mul(0x9e37) ^ byte(0) ^ byte(last) << 5 ^ byte(bytes.len() / 2) << 10;
        (mark / 64 % SIEVE_WORDS, 1 << (mark % 64))
    }

    fn length(word: &str) -> u64 {
        1 << word.len().min(63)
    }

    fn add(&mut self, word: &str) {
        let (at, bit) = Self::mark(word);
        self.marks[at] |= bit;
        self.lengths |= Self::length(word);
    }

    /// Whether a word may be among those that were added.
    fn may_hold(&self, word: &str) -> bool {
        if self.lengths & Self::length(word) == 0 {
            return false;
        }
        let (at, bit) = Self::mark(word);
        self.marks[at] & bit != 0
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

    #[test]
    fn words_are_found_wherever_they_lie() {
        use super::{in_word, words};
        for length in 0..200 {
            for (step, offset) in [(1, 0), (2, 0), (2, 1), (7, 3), (64, 0), (64, 63), (65, 64), (1000, 999)] {
                let letter = |at: usize| if at % step == offset { ' ' } else { 'a' };
                let text: String = (0..length).map(letter).collect();
                let expected = text.split(' ').filter(|word| !word.is_empty());
                assert!(words(&text).eq(expected), "{text:?}");
            }
        }
        let text = "żółć-1 a_b.c🦀d ".repeat(20);
        let by_byte = text.split(|letter: char| !letter.is_ascii() || !in_word(letter as u8));
        assert!(words(&text).eq(by_byte.filter(|word| !word.is_empty())));
    }
}
