//! Cutting a text into the pieces that are streamed.

/// The fewest characters of a piece, unless the text is shorter than two such pieces.
const PIECE_CHARS_MIN: usize = 12;
/// The most pieces of a text, give or take one.
const PIECES_MAX: usize = 64;

/// The pieces of a text: at least two when it has two characters, and none when it is empty. No
/// character is cut.
pub(super) fn pieces_of(text: &str) -> Vec<&str> {
    let count = text.chars().count();
    let size = PIECE_CHARS_MIN.max(count.div_ceil(PIECES_MAX)).min(count.div_ceil(2)).max(1);
    let mut rest = text;
    let mut pieces = Vec::new();
    while !rest.is_empty() {
        let end = rest.char_indices().nth(size).map_or(rest.len(), |(end, _)| end);
        let (piece, after) = rest.split_at(end);
        pieces.push(piece);
        rest = after;
    }
    pieces
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_join_to_the_text_and_there_are_two_when_there_can_be() {
        for text in ["", "a", "{}", "żółć", "{\"city\":\"Oslo\"}", &"long 🦀 text ".repeat(1000)] {
            let pieces = pieces_of(text);
            assert_eq!(pieces.concat(), text);
            assert!(pieces.len() >= text.chars().count().min(2), "{text}");
            assert!(pieces.len() <= PIECES_MAX + 1, "{} pieces", pieces.len());
        }
    }
}
