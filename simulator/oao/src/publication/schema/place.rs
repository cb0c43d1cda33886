//! Where in a document something is: `harnessOperations[0].resultSchema.properties.total.type`.

/// A place below `parent`.
pub(crate) fn member(parent: &str, name: &str) -> String {
    let mut plain = name.chars();
    let starts_plain = plain.next().is_some_and(|c| c.is_ascii_alphabetic() || matches!(c, '_' | '$'));
    if starts_plain && plain.all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '$' | '-')) {
        if parent.is_empty() { name.to_owned() } else { format!("{parent}.{name}") }
    } else {
        format!("{parent}[{}]", serde_json::Value::from(name))
    }
}

/// A place in a list.
pub(crate) fn item(parent: &str, index: usize) -> String {
    format!("{parent}[{index}]")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_would_be_ambiguous_are_quoted() {
        assert_eq!(member("", "a"), "a");
        assert_eq!(member("a", "order-id"), "a.order-id");
        assert_eq!(member("a", "x.y"), "a[\"x.y\"]");
        assert_eq!(member("a", ""), "a[\"\"]");
        assert_eq!(item("a", 3), "a[3]");
    }
}
