//! How large the tags of a template are. The template engine goes down one level of its stack for each link
//! of a chain (`a.b.b.b`, `1 + 1 + 1`, `elif` after `elif`), and has no limit of its own for that.

use super::effort::Effort;

/// The most bytes of one tag.
const TAG_BYTES_MAX: usize = 2_000;
/// The most statements of one template: `{% … %}`.
const STATEMENTS_MAX: usize = 500;
/// The most characters of a line. The engine counts columns in 16 bits.
const COLUMNS_MAX: usize = 60_000;
/// How often something may be said again by the multiplications of one template, all together. Telling a list
/// again costs the engine no fuel, whatever its length.
const TIMES_MAX: u64 = 1_000_000;

/// Whether a text has a tag at all.
pub(super) fn has_tags(text: &str) -> bool {
    next_tag(text).is_some()
}

/// The tags of a text that are no comments, each with the mark that it begins with: `%` or `{`.
fn tags(text: &str) -> impl Iterator<Item = (u8, &str, usize)> {
    let mut at = 0;
    std::iter::from_fn(move || {
        loop {
            let (start, kind) = next_tag(&text[at..])?;
            let from = at + start + 2;
            let inside = &text[from..];
            let length = match kind {
                b'#' => inside.find("#}").map_or(inside.len(), |end| end + 2),
                b'%' => tag(inside, b"%}"),
                _ => tag(inside, b"}}"),
            };
            at = from + length;
            if kind != b'#' {
                return Some((kind, &inside[..length], from));
            }
        }
    })
}

/// Says what is too large about a template, if something is.
pub(super) fn too_large(text: &str) -> Option<String> {
    if text.lines().any(|line| line.len() > COLUMNS_MAX && line.chars().count() > COLUMNS_MAX) {
        return Some(format!("a line has more than {COLUMNS_MAX} characters"));
    }
    let mut statements = 0;
    for (kind, tag, from) in tags(text) {
        statements += usize::from(kind == b'%');
        if tag.len() > TAG_BYTES_MAX {
            let line = text[..from].lines().count();
            return Some(format!("the tag in line {line} of the text has more than {TAG_BYTES_MAX} bytes"));
        }
        if statements > STATEMENTS_MAX {
            return Some(format!("there are more than {STATEMENTS_MAX} statements"));
        }
    }
    if tags(text).any(|(_, tag, _)| multiplies_unknowns(tag)) {
        return Some(
            "a multiplication has two factors that are no numbers here, and a request may bring any; write one of \
             them as a number"
                .to_owned(),
        );
    }
    let times = times(text);
    if times > TIMES_MAX || (goes_round(text) && grows(text)) {
        return Some(format!("its multiplications may say something more than {TIMES_MAX} times"));
    }
    None
}

/// How much a template may do.
pub(super) fn effort(text: &str) -> Effort {
    Effort::of(tags(text).map(|(_, tag, _)| tag), times(text))
}

/// How often all multiplications and assignments of a template may say something again: what is assigned may be
/// assigned once more, twice as long.
fn times(text: &str) -> u64 {
    tags(text).fold(1_u64, |times, (kind, tag, _)| {
        let assigned = if kind == b'%' && word(tag) == "set" { 1 + joints(tag) } else { 1 };
        times.saturating_mul(factor(tag)).saturating_mul(assigned)
    })
}

/// The first word of a tag.
fn word(tag: &str) -> &str {
    let tag = tag.trim_start_matches(['-', '+']).trim_start();
    &tag[..tag.find(|letter: char| !letter.is_ascii_alphanumeric()).unwrap_or(tag.len())]
}

/// How often a tag puts one thing behind another.
fn joints(tag: &str) -> u64 {
    let bytes = tag.as_bytes();
    let (mut joints, mut at) = (0, 0);
    while at < bytes.len() {
        match bytes[at] {
            quote @ (b'"' | b'\'') => at += quoted(&bytes[at + 1..], quote),
            b'~' => joints += 1,
            b'+' if at > 0 && at + 2 < bytes.len() => joints += 1,
            _ => {}
        }
        at += 1;
    }
    joints
}

/// Whether a template may call itself: a macro from within a macro, or a loop that says so.
fn goes_round(text: &str) -> bool {
    let names: Vec<&str> = tags(text)
        .filter(|(kind, tag, _)| *kind == b'%' && word(tag) == "macro")
        .filter_map(|(_, tag, _)| tag.split_once("macro")?.1.split('(').next().map(str::trim))
        .filter(|name| !name.is_empty())
        .collect();
    let mut within = false;
    tags(text).any(|(kind, tag, _)| {
        match (kind, word(tag)) {
            (b'%', "macro") => {
                within = true;
                return false;
            }
            (b'%', "endmacro") => within = false,
            _ => {}
        }
        (kind == b'%' && tag.contains("recursive")) || (within && names.iter().any(|name| tag.contains(name)))
    })
}

/// Whether a template makes something longer anywhere.
fn grows(text: &str) -> bool {
    tags(text).any(|(_, tag, _)| joints(tag) > 0 || factor(tag) > 1)
}

/// Whether something that is no number here is multiplied with something else that is none.
fn multiplies_unknowns(tag: &str) -> bool {
    let mut plain = String::with_capacity(tag.len());
    let bytes = tag.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        match bytes[at] {
            quote @ (b'"' | b'\'') => {
                // A text stands for any value.
                plain.push('t');
                at += quoted(&bytes[at + 1..], quote);
            }
            byte if byte.is_ascii() => plain.push(char::from(byte)),
            _ => plain.push('t'),
        }
        at += 1;
    }
    let is_power = |chain: &str| chain.contains("**");
    let chains = plain.split(['+', '-', '/', '%', '~', ',', '=', '<', '>', ':', '|', '{', '}']);
    chains.filter(|chain| chain.contains('*') && !is_power(chain)).any(|chain| {
        let factors = chain
            .split('*')
            .map(|factor| factor.trim_matches(|c: char| c.is_whitespace() || "()".contains(c)));
        let unknown = factors.filter(|factor| {
            // What stands before or behind a factor is another expression: `if 2 * x else y`.
            let is_number = |word: &str| {
                !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_digit() || byte == b'_')
            };
            !factor.split_whitespace().any(is_number)
        });
        unknown.count() > 1
    })
}

/// How often the multiplications of a tag may say something again: the product of their factors, as far as those
/// are numbers. A product of two numbers is a number, and counts as their product all the same.
fn factor(tag: &str) -> u64 {
    let bytes = tag.as_bytes();
    let (mut product, mut at, mut powers, mut stars) = (1_u64, 0, false, false);
    while at < bytes.len() {
        match bytes[at] {
            quote @ (b'"' | b'\'') => at += quoted(&bytes[at + 1..], quote),
            b'*' if bytes.get(at + 1) == Some(&b'*') => {
                powers = true;
                at += 1;
            }
            b'*' => {
                stars = true;
                let after = number(bytes[at + 1..].iter());
                let before = number(bytes[..at].iter().rev());
                product = product.saturating_mul(before.unwrap_or(1).max(after.unwrap_or(1)).max(1));
            }
            _ => {}
        }
        at += 1;
    }
    if powers && stars { u64::MAX } else { product }
}

/// The size of the number that stands next, spaces and brackets aside: its digits as nines. Read backwards it is
/// as large.
fn number<'a>(bytes: impl Iterator<Item = &'a u8>) -> Option<u64> {
    let mut bytes = bytes.skip_while(|byte| byte.is_ascii_whitespace() || b"()".contains(byte)).peekable();
    let first = **bytes.peek()?;
    if !first.is_ascii_digit() {
        return None;
    }
    let digits = bytes.take_while(|byte| byte.is_ascii_alphanumeric() || **byte == b'_').count();
    Some(if digits == 1 {
        u64::from(first - b'0')
    } else {
        10_u64.saturating_pow(u32::try_from(digits).unwrap_or(u32::MAX)) - 1
    })
}

/// Where the next tag begins, and the second byte of its mark.
fn next_tag(text: &str) -> Option<(usize, u8)> {
    let pairs = text.as_bytes().windows(2).enumerate();
    pairs.into_iter().find_map(|(at, pair)| match pair {
        [b'{', kind @ (b'{' | b'%' | b'#')] => Some((at, *kind)),
        _ => None,
    })
}

/// How many bytes a tag has up to and with its end, which stands in no text and within no bracket.
fn tag(inside: &str, end: &[u8]) -> usize {
    let bytes = inside.as_bytes();
    let mut open: i32 = 0;
    let mut at = 0;
    while at < bytes.len() {
        match bytes[at] {
            _ if open == 0 && bytes[at..].starts_with(end) => return at + end.len(),
            quote @ (b'"' | b'\'') => at += quoted(&bytes[at + 1..], quote),
            b'(' | b'[' | b'{' => open += 1,
            b')' | b']' | b'}' => open -= 1,
            _ => {}
        }
        at += 1;
    }
    bytes.len()
}

/// How many bytes a quoted text has, its closing mark with them.
fn quoted(bytes: &[u8], quote: u8) -> usize {
    let mut escaped = false;
    let end = bytes.iter().position(|byte| {
        let closes = !escaped && *byte == quote;
        escaped = !escaped && *byte == b'\\';
        closes
    });
    end.map_or(bytes.len(), |end| end + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tag_ends_where_the_engine_sees_its_end() {
        for (inside, length) in [
            (" a }} b", 5),
            (" a", 2),
            ("'}}' }}.", 7),
            (r#""\"}}" }}."#, 9),
            (r"'\\' }}.", 7),
            ("{'a': {'b': 1}} }}.", 18),
            ("f(']') }}.", 9),
            ("'żółw' }}.", 12),
            (") }} }}", 7),
        ] {
            assert_eq!(tag(inside, b"}}"), length, "{inside}");
        }
        assert_eq!(tag(" if a %} b", b"%}"), 8);
    }

    #[test]
    fn what_is_too_large_is_told() {
        let chain = " + 1".repeat(1_000);
        let fits = " + 1".repeat(400);
        let long = "x".repeat(70_000);
        let statements = "{% if 1 %}{% endif %}";
        for (text, told) in [
            (
                format!("a\n{{{{ 1{chain} }}}}"),
                Some("the tag in line 2 of the text has more than 2000 bytes"),
            ),
            (
                format!("{{{{ '}}}}' {chain} }}}}"),
                Some("the tag in line 1 of the text has more than 2000 bytes"),
            ),
            (
                format!("{{% if 1{chain} %}}{{% endif %}}"),
                Some("the tag in line 1 of the text has more than 2000 bytes"),
            ),
            (format!("{long}{{{{ user }}}}"), Some("a line has more than 60000 characters")),
            (statements.repeat(251), Some("there are more than 500 statements")),
            (statements.repeat(250), None),
            ("{{ [1] * 9 * 9 * 9 }} {{ 'ab' * 100 }}".to_owned(), None),
            ("{{ user * 99999 }} {{ 3 * 4 }} '* 9999999'".to_owned(), None),
            ("{{ user ~ '* 9999999' }}{{ 2 ** 10 }}".to_owned(), None),
            ("{% macro m(a) %}{{ a }}{% endmacro %}{{ m(1) }}".to_owned(), None),
            (
                "{{ [1] * 9 * 9 * 9 * 9 * 9 * 9 * 9 }}".to_owned(),
                Some("its multiplications may say something more than 1000000 times"),
            ),
            (
                "{% set a = 9999 * user %}{{ (a | list) * (999) }}".to_owned(),
                Some("its multiplications may say something more than 1000000 times"),
            ),
            (
                "{{ user * body.n }}".to_owned(),
                Some(
                    "a multiplication has two factors that are no numbers here, and a request may bring any; write one of them as a number",
                ),
            ),
            (
                "{{ [1] * 3 * body.n }}".to_owned(),
                Some(
                    "a multiplication has two factors that are no numbers here, and a request may bring any; write one of them as a number",
                ),
            ),
            ("{{ body.n * 3 + 2 * body.m }} {{ (body.n) * (7) }} {{ 'a * b' ~ user }}".to_owned(), None),
            (
                "{% macro m(a) %}{% set b = a ~ a %}{{ m(b) }}{% endmacro %}{{ m(user) }}".to_owned(),
                Some("its multiplications may say something more than 1000000 times"),
            ),
            ("{% macro m(a) %}{{ a ~ '!' }}{% endmacro %}{{ m(user) }}".to_owned(), None),
            ("{% set a = user ~ user ~ user %}".repeat(4), None),
            (
                "{% set a = a ~ a %}".repeat(40),
                Some("its multiplications may say something more than 1000000 times"),
            ),
            (
                "{{ [1] * 9 ** 8 }}".to_owned(),
                Some("its multiplications may say something more than 1000000 times"),
            ),
            (
                "{% macro m(a) %}{{ m(a * 2) }}{% endmacro %}".to_owned(),
                Some("its multiplications may say something more than 1000000 times"),
            ),
            (format!("{{# {chain}{chain} #}}"), None),
            (format!("{{{{ 1{fits} }}}}").repeat(10), None),
            (format!("{chain}{chain} {{{{ user }}}} {chain}"), None),
        ] {
            assert_eq!(too_large(&text).as_deref(), told, "{text:.60}");
        }
    }
}
