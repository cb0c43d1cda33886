//! Percent-encoding, for whatever a target chose and a path has to carry.

/// `text` as a path segment or the value of a query parameter. Ids and cursors are opaque, so they may hold
/// anything.
pub(crate) fn encoded(text: &str) -> String {
    let each = text.bytes().map(|byte| match byte {
        b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => char::from(byte).to_string(),
        byte => format!("%{byte:02X}"),
    });
    each.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_safe_everywhere_stays_as_it_is() {
        for (text, expected) in [
            ("", ""),
            ("djE6MTQy", "djE6MTQy"),
            ("sim-cli_1.2~3", "sim-cli_1.2~3"),
            ("Sim CLI", "Sim%20CLI"),
            ("a+b/c=é&", "a%2Bb%2Fc%3D%C3%A9%26"),
            ("a?b#c%d:e", "a%3Fb%23c%25d%3Ae"),
            ("..", ".."),
            ("\n\0", "%0A%00"),
        ] {
            assert_eq!(encoded(text), expected, "{text:?}");
        }
    }
}
