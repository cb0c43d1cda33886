//! Canaries: texts that are planted in what a target is given and hunted in what it publishes.
//!
//! A canary is 24 letters, none of which is a hexadecimal digit, so that digests and ids never hold a piece of
//! one by chance. Any piece of eight letters gives it away, whatever its disguise: so a
//! prefix, a truncation or a text that is split over two fields or two frames is found too.

mod hunt;
mod views;

pub(crate) use hunt::Hunt;

/// The letters of canaries. All of them are in lower case, so that a change of case can be undone.
const LETTERS: &[u8; 16] = b"ghjkmnpqrstvwxyz";
/// Letters of one canary.
const LENGTH: usize = 24;
/// Letters that give a canary away.
const PIECE: usize = 8;

/// A text that is planted in one channel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Canary {
    /// Where it is planted: `task`, `instructions`.
    pub(crate) channel: String,
    /// The text.
    pub(crate) text: String,
}

impl Canary {
    /// The canary of `channel` under a seed: the same for the same seed.
    pub(crate) fn of(seed: &wire::Seed, channel: &str) -> Self {
        let bytes = seed.child("canary").child(channel).bytes();
        let letters = bytes.iter().take(LENGTH).map(|byte| char::from(LETTERS[usize::from(byte % 16)]));
        Self { channel: channel.to_owned(), text: letters.collect() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn canaries_differ_and_repeat() {
        let seed = wire::Seed::of_run(1);
        let one = Canary::of(&seed, "task");
        assert_eq!(one, Canary::of(&seed, "task"));
        assert_ne!(one.text, Canary::of(&seed, "instructions").text);
        assert_ne!(one.text, Canary::of(&wire::Seed::of_run(2), "task").text);
        assert_eq!(one.text.len(), LENGTH);
        assert!(one.text.bytes().all(|byte| LETTERS.contains(&byte)));
    }
}
