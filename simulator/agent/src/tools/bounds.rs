//! How large a result may be.

/// The largest result, in bytes of UTF-8, its last line aside.
pub(super) const RESULT_BYTES_MAX: usize = 64 * 1024;

/// `text`, or as much of it as a result may hold, and a line that says so with `advice`.
pub(super) fn bounded(text: String, advice: &str) -> String {
    if text.len() <= RESULT_BYTES_MAX {
        return text;
    }
    let end = (0..=RESULT_BYTES_MAX).rev().find(|end| text.is_char_boundary(*end)).unwrap_or(0);
    format!("{}\n[cut after {end} of {} bytes; {advice}]", &text[..end], text.len())
}

/// At most `max` lines of a result, and a line that says how many were left out.
pub(super) fn listed(lines: &[String], max: usize, none: &str, advice: &str) -> String {
    if lines.is_empty() {
        return none.to_owned();
    }
    let mut text = lines[..lines.len().min(max)].join("\n");
    if lines.len() > max {
        text.push_str(&format!("\n[{} more; {advice}]", lines.len() - max));
    }
    bounded(text, advice)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cut_keeps_characters_whole_and_says_so() {
        let long = "ä".repeat(RESULT_BYTES_MAX);
        let cut = bounded(long, "read on");
        assert!(cut.ends_with("[cut after 65536 of 131072 bytes; read on]"), "{}", &cut[cut.len() - 60..]);
        let odd = format!("x{}", "ä".repeat(RESULT_BYTES_MAX));
        assert!(bounded(odd, "read on").contains("cut after 65535 of"));
        assert_eq!(bounded("short".into(), "read on"), "short");
    }
}
