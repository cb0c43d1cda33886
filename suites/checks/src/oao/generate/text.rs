//! Texts and names.
//!
//! Texts stay within the basic plane: how characters beyond it are counted is left open (W02). Names of
//! properties are in camelCase, because a target may rewrite other names when it is read (D12), and
//! without the letters that every sensitive name has one of, because those must not be published.

use proptest::{collection::vec, prelude::*, sample::select};

/// Letters in property names: `k`, `o` and `s` are missing.
const NAME_LETTERS: &str = "abcdefghijlmnpqrtuvwxyz";
/// Property names that are keywords where a schema is read without care.
const KEYWORD_NAMES: [&str; 10] =
    ["type", "items", "required", "enum", "const", "title", "format", "minimum", "properties", "pattern"];

/// A property name in camelCase, of 1 to 200 letters and digits.
pub(crate) fn property_name() -> BoxedStrategy<String> {
    let letters: Vec<char> = NAME_LETTERS.chars().collect();
    let capitals: Vec<char> = letters.iter().map(char::to_ascii_uppercase).collect();
    let word = |length| {
        let rest = prop_oneof![
            12 => select(letters.clone()),
            2 => select(capitals.clone()),
            1 => prop::char::range('0', '9'),
        ];
        (select(letters.clone()), vec(rest, length))
            .prop_map(|(first, rest)| std::iter::once(first).chain(rest).collect())
    };
    prop_oneof![
        20 => word(0..12),
        4 => select(&KEYWORD_NAMES[..]).prop_map(str::to_owned),
        1 => word(180..200),
    ]
    .boxed()
}

/// A text of `length` characters, each of which is one UTF-16 code unit.
pub(crate) fn text(length: impl Into<prop::collection::SizeRange>) -> BoxedStrategy<String> {
    let character = prop_oneof![
        24 => prop::char::range(' ', '~'),
        3 => select(vec!['é', 'ß', 'Å', 'ñ', 'ω', 'Ж', 'ش', '発', '注', '한', '€', '“']),
        1 => select(vec!['\n', '\t', '"', '\\', '/', '<', '&', '\u{2028}']),
    ];
    vec(character, length).prop_map(|characters| characters.into_iter().collect()).boxed()
}

/// A text of the largest length. It is not worth much to draw every character of a long text.
pub(crate) fn filled(length: usize) -> BoxedStrategy<String> {
    text(1..=40).prop_map(move |text| text.chars().cycle().take(length).collect()).boxed()
}

/// The key of an operation, of 1 to 64 characters.
pub(crate) fn key() -> BoxedStrategy<String> {
    let first = prop::char::range('a', 'z');
    let rest = prop_oneof![
        10 => prop::char::range('a', 'z'),
        2 => prop::char::range('0', '9'),
        1 => Just('_'),
        1 => Just('-'),
    ];
    let length = prop_oneof![8 => Just(3..24_usize), 1 => Just(0..1), 1 => Just(63..64)];
    length
        .prop_flat_map(move |length| (first.clone(), vec(rest.clone(), length)))
        .prop_map(|(first, rest)| std::iter::once(first).chain(rest).collect::<String>())
        .prop_filter("a name of a tool of the platform", |key| !RESERVED.contains(&key.as_str()))
        .boxed()
}

/// A key of letters only, for cases in which something else is looked at.
pub(crate) fn plain_key() -> BoxedStrategy<String> {
    vec(prop::char::range('a', 'z'), 12..20).prop_map(|letters| letters.into_iter().collect()).boxed()
}

/// Names that the platform keeps for its own tools.
const RESERVED: [&str; 13] = [
    "task",
    "finish",
    "give_up",
    "activate_skill",
    "read_skill_resource",
    "read",
    "write",
    "edit",
    "bash",
    "grep",
    "glob",
    "delegate_agent",
    "message_agent",
];
