//! Cutting a text into the pieces that are streamed.

use std::ops::Range;

/// The fewest characters of a piece, unless the text is shorter than two such pieces.
const PIECE_CHARS_MIN: usize = 12;
/// The most pieces of a text, give or take one.
const PIECES_MAX: usize = 64;

/// The pieces of a text as ranges of bytes: of `chars` characters each, or else of a size that makes at
/// least two when there are two characters. There are none when the text is empty. No character is cut.
pub(super) fn pieces_of(text: &str, chars: Option<u32>) -> Vec<Range<usize>> {
    let size = match chars {
        Some(chars) => usize::try_from(chars).unwrap_or(usize::MAX).max(1),
        None => {
            let count = text.chars().count();
            PIECE_CHARS_MIN.max(count.div_ceil(PIECES_MAX)).min(count.div_ceil(2)).max(1)
        }
    };
    let mut start = 0;
    let mut pieces = Vec::new();
    while start < text.len() {
        let rest = &text[start..];
        let length = rest.char_indices().nth(size).map_or(rest.len(), |(length, _)| length);
        pieces.push(start..start + length);
        start += length;
    }
    pieces
}

#[cfg(test)]
mod tests {
    use super::*;

    fn joined(text: &str, chars: Option<u32>) -> (String, usize) {
        let pieces = pieces_of(text, chars);
        (pieces.iter().map(|piece| &text[piece.clone()]).collect(), pieces.len())
    }

    #[test]
    fn pieces_join_to_the_text_and_there_are_two_when_there_can_be() {
        for text in ["", "a", "{}", "żółć", "{\"city\":\"Oslo\"}", &"long 🦀 text ".repeat(1000)] {
            let (again, count) = joined(text, None);
            assert_eq!(again, text);
            assert!(count >= text.chars().count().min(2), "{text}");
            assert!(count <= PIECES_MAX + 1, "{count} pieces");
        }
    }

    #[test]
    fn a_size_that_is_asked_for_is_kept() {
        assert_eq!(joined("żółć🦀", Some(2)), ("żółć🦀".into(), 3));
        assert_eq!(joined("abc", Some(u32::MAX)), ("abc".into(), 1));
        assert_eq!(joined("", Some(1)), (String::new(), 0));
    }
}
