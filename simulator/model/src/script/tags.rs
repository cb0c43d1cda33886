//! How large the tags of a template are. The template engine goes down one level of its stack for each link
//! of a chain (`a.b.b.b`, `1 + 1 + 1`, `elif` after `elif`), and has no limit of its own for that.

/// The most bytes of one tag.
const TAG_BYTES_MAX: usize = 2_000;
/// The most statements of one template: `{% … %}`.
const STATEMENTS_MAX: usize = 500;
/// The most characters of a line. The engine counts columns in 16 bits.
const COLUMNS_MAX: usize = 60_000;
/// How often something may be said again by the multiplications of one template, all together. Telling a list
/// again costs the engine no fuel, whatever its length.
const TIMES_MAX: u64 = 1_000_000;
/// How often a factor that is no number in the template is taken to say something again.
const TIMES_UNKNOWN: u64 = 1_000;

/// Whether a text has a tag at all.
pub(super) fn has_tags(text: &str) -> bool {
    next_tag(text).is_some()
}

/// Says what is too large about a template, if something is.
pub(super) fn too_large(text: &str) -> Option<String> {
    if text.lines().any(|line| line.len() > COLUMNS_MAX && line.chars().count() > COLUMNS_MAX) {
        return Some(format!("a line has more than {COLUMNS_MAX} characters"));
    }
    let mut rest = text;
    let mut statements = 0;
    let mut times = 1_u64;
    let mut goes_round = false;
    while let Some((start, kind)) = next_tag(rest) {
        let inside = &rest[start + 2..];
        let length = match kind {
            b'#' => inside.find("#}").map_or(inside.len(), |end| end + 2),
            b'%' => {
                statements += 1;
                tag(inside, b"%}")
            }
            _ => tag(inside, b"}}"),
        };
        if kind != b'#' && length > TAG_BYTES_MAX {
            let line = text[..text.len() - inside.len()].lines().count();
            return Some(format!("the tag in line {line} of the text has more than {TAG_BYTES_MAX} bytes"));
        }
        if statements > STATEMENTS_MAX {
            return Some(format!("there are more than {STATEMENTS_MAX} statements"));
        }
        if kind != b'#' {
            let tag = &inside[..length];
            times = times.saturating_mul(factor(tag));
            goes_round |= kind == b'%' && ["macro", "recursive"].iter().any(|word| tag.contains(word));
        }
        if times > TIMES_MAX || (goes_round && times > 1) {
            return Some(format!("its multiplications may say something more than {TIMES_MAX} times"));
        }
        rest = &inside[length..];
    }
    None
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
                let known = match (before, after) {
                    (None, None) => TIMES_UNKNOWN,
                    (before, after) => before.unwrap_or(1).max(after.unwrap_or(1)).max(1),
                };
                product = product.saturating_mul(known);
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
                "{{ user * body.n * body.n * body.n }}".to_owned(),
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
