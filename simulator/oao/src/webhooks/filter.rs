//! Patterns of event kinds: `harness.operation_step`, `harness.*`.

/// Whether a text is a pattern: words joined by dots, perhaps with `.*` at the end.
pub(super) fn is_pattern(text: &str) -> bool {
    let words = text.strip_suffix(".*").unwrap_or(text);
    words.split('.').all(|word| {
        word.bytes().next().is_some_and(|first| first.is_ascii_lowercase())
            && word.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_')
    })
}

/// Whether some pattern fits. Without any, everything is wanted.
pub(super) fn wanted(patterns: &[String], kind: &str) -> bool {
    let fits = |pattern: &String| match pattern.strip_suffix('*') {
        Some(prefix) => kind.starts_with(prefix),
        None => kind == pattern,
    };
    patterns.is_empty() || patterns.iter().any(fits)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_and_what_they_want() {
        for text in ["run", "run.*", "harness.operation_step", "a1.b2.c_3.*"] {
            assert!(is_pattern(text), "{text}");
        }
        for text in ["", "*", ".*", "run.", "Run.*", "run.**", "run*", "_run", "run..x", "run.1x"] {
            assert!(!is_pattern(text), "{text}");
        }
        let patterns = ["harness.*".to_owned(), "run.created".to_owned()];
        for (kind, expected) in [
            ("harness.operation_step", true),
            ("harnessed", false),
            ("run.created", true),
            ("run.created_x", false),
        ] {
            assert_eq!(wanted(&patterns, kind), expected, "{kind}");
        }
        assert!(wanted(&[], "anything"));
    }
}
