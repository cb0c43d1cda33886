//! Mutation of texts and bytes.

use crate::Dice;

/// What matters to one reader or another.
#[rustfmt::skip]
const TOKENS: &[&str] = &[
    "\n", "\t", " ", "  ", ": ", "- ", "? ", "&a ", "*a", "<<: *a", "<<: ", "|\n", ">-\n  ", "---\n", "...\n", "#", "!tag ", "!!str ",
    "!!binary ", "%YAML 1.2\n", "\u{feff}", "\"", "'", "\\", "\\u", "\\ud83e", "{", "}", "[", "]", ",", "~", "null", "true", "no",
    "0x1f", "1e999", ".inf", ".nan", "007", "1_000", "-1", "18446744073709551616", "4294967296", "\u{0}", "\u{7f}", "\u{85}", "\u{2028}",
    "🦀", "é", "{{", "}}", "{%", "%}", "{#", "#}", "{{ user }}", "{{ body }}", "{% if user %}", "{% else %}", "{% endif %}",
    "{% for x in tools %}", "{% endfor %}", "{% set x = user %}", "{% raw %}", "{% endraw %}", "{%- ", " -%}", "| tojson", "| join(',')",
    "| default('')", "|last", "| list", "(", ")", ".", "..", " ~ ", " + ", " * 9", " // 0", " ** 9", " not ", " if ", " else ", " in ", " is defined",
    "[0]", "[-1]", "[::2]", "range(9)", "loop.index", "loop(", "namespace(a=1)", "dict(a=1)", "tool_results", "body.x", "x",
];

/// Changes bytes in one place.
pub fn mutate(input: &[u8], dice: &mut Dice) -> Vec<u8> {
    let mut bytes = input.to_vec();
    let at = dice.below(bytes.len() + 1);
    let length = dice.below((bytes.len() - at).min(40) + 1);
    match dice.below(9) {
        0 => drop(bytes.drain(at..at + length)),
        1 => {
            let again = bytes[at..at + length].to_vec();
            bytes.splice(at..at, again);
        }
        2 => {
            let from = dice.below(bytes.len() + 1);
            let count = dice.below((bytes.len() - from).min(80) + 1);
            let moved = bytes[from..from + count].to_vec();
            bytes.splice(at..at + length, moved);
        }
        3 if !bytes.is_empty() => {
            let at = dice.below(bytes.len());
            bytes[at] ^= 1 << dice.below(8);
        }
        4 => bytes.truncate(at),
        5 => {
            let count = 1 + dice.below(12);
            let token = dice.pick(TOKENS).repeat(count);
            bytes.splice(at..at, token.into_bytes());
        }
        6 => bytes = lines(&bytes, dice),
        _ => {
            let token = dice.pick(TOKENS).as_bytes().to_vec();
            bytes.splice(at..at, token);
        }
    }
    bytes
}

/// Changes the order or the indentation of lines.
fn lines(bytes: &[u8], dice: &mut Dice) -> Vec<u8> {
    let mut lines: Vec<Vec<u8>> = bytes.split(|byte| *byte == b'\n').map(<[u8]>::to_vec).collect();
    let (one, other) = (dice.below(lines.len()), dice.below(lines.len()));
    match dice.below(4) {
        0 => lines.swap(one, other),
        1 => {
            let line = lines[one].clone();
            lines.insert(other, line);
        }
        2 => drop(lines[one].splice(0..0, b"  ".iter().copied())),
        _ => {
            let spaces = lines[one].iter().take_while(|byte| **byte == b' ').count().min(2);
            drop(lines[one].drain(..spaces));
        }
    }
    lines.join(&b'\n')
}
