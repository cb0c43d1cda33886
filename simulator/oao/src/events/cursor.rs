//! Cursors of the event stream.

use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};

/// The cursor of a position.
pub fn encode(position: u64) -> String {
    URL_SAFE_NO_PAD.encode(format!("v1:{position}"))
}

/// The position of a cursor; `None` when it is none. There is one spelling per position.
pub fn decode(cursor: &str) -> Option<u64> {
    let text = String::from_utf8(URL_SAFE_NO_PAD.decode(cursor).ok()?).ok()?;
    let position = text.strip_prefix("v1:")?.parse().ok()?;
    (encode(position) == cursor).then_some(position)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_cursors_go_both_ways() {
        for (position, cursor) in [
            (0, "djE6MA"),
            (1, "djE6MQ"),
            (142, "djE6MTQy"),
            (143, "djE6MTQz"),
            (9_007_199_254_740_993, "djE6OTAwNzE5OTI1NDc0MDk5Mw"),
        ] {
            assert_eq!(encode(position), cursor);
            assert_eq!(decode(cursor), Some(position));
        }
    }

    #[test]
    fn anything_else_is_no_cursor() {
        let spelt = |text: &str| URL_SAFE_NO_PAD.encode(text);
        for cursor in [
            "",
            "142",
            "djE6MTQy=",
            "djE6MA==",
            &spelt("v1:01"),
            &spelt("v1:+1"),
            &spelt("v1:-1"),
            &spelt("v1:"),
            &spelt("v2:1"),
            &spelt("v1:1.0"),
            &spelt("v1:99999999999999999999"),
            "💥",
        ] {
            assert_eq!(decode(cursor), None, "{cursor}");
        }
    }
}
