//! How much a template may do. The engine counts its instructions and not what each of them costs, which is as
//! much as the values are large that it works on. So the larger those can be, the fewer instructions there are.

/// How many instructions there are at most, and at least. A template without loops needs a few for each tag.
const FUELS: [u64; 8] = [1_000_000, 300_000, 100_000, 30_000, 10_000, 3_000, 1_000, 300];
/// How many bytes all instructions of a template may go through, each as often as it looks at it. A second is
/// enough for them.
const BYTES_MAX: u64 = 10_000_000_000;
/// The bytes of a value that has little to do with the request.
const BYTES_OF_ITS_OWN: u64 = 4_096;
/// What a range costs that is no mere loop: the engine has none with more than a hundred thousand items.
const BYTES_OF_RANGE: u64 = 2_000_000;
/// What an item costs in comparison with a byte.
const BYTES_OF_ITEM: u64 = 50;
/// Filters and methods that make items of a text, or go through those of a list.
const OF_ITEMS: [&str; 18] = [
    "list", "sort", "unique", "split", "lines", "groupby", "batch", "slice", "map", "select", "reject",
    "dictsort", "items", "reverse", "tojson", "pprint", "join", "sum",
];

/// How large what a template works on may be, in comparison with what a request brings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Effort {
    times: u64,
    more: u64,
}

impl Effort {
    /// What a template costs by its tags. `times` is how often its multiplications and assignments may say
    /// something again.
    pub(super) fn of<'a>(tags: impl Iterator<Item = &'a str>, times: u64) -> Self {
        let (mut goes_round, mut of_items, mut more) = (false, false, 0);
        for tag in tags {
            let words: Vec<&str> =
                tag.split(|letter: char| !(letter.is_ascii_alphanumeric() || letter == '_')).collect();
            let first = words.iter().find(|word| !word.is_empty()).copied().unwrap_or_default();
            goes_round |= matches!(first, "for" | "macro" | "call");
            of_items |= words.iter().any(|word| OF_ITEMS.contains(word));
            if words.contains(&"range") && (first != "for" || tag.contains('|')) {
                more = BYTES_OF_RANGE;
            }
        }
        let weight = if goes_round && of_items { BYTES_OF_ITEM } else { 1 };
        Self { times: times.saturating_mul(weight), more }
    }

    /// Which of [`fuels`] a template gets for a request that brings so many bytes.
    pub(super) fn tank(self, bytes: u64) -> usize {
        let size =
            bytes.saturating_add(BYTES_OF_ITS_OWN).saturating_mul(self.times).saturating_add(self.more);
        let fuel = BYTES_MAX / size.max(1);
        FUELS.iter().position(|tank| *tank <= fuel).unwrap_or(FUELS.len() - 1)
    }
}

/// The amounts of fuel that there are.
pub(super) fn fuels() -> impl Iterator<Item = u64> {
    FUELS.into_iter()
}
