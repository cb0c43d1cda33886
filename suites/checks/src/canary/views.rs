//! The forms of a text in which a canary may hide, with one layer of wrapping after the other taken off.

use serde_json::Value;

/// Layers of JSON inside JSON strings that are taken off.
const DEPTH: usize = 4;

/// `text` itself, and what is left of it when escapes are undone: JSON strings (and JSON inside them), percent
/// signs, `\u` sequences outside JSON.
pub(super) fn views(text: &str) -> Vec<String> {
    let mut views = vec![text.to_owned()];
    let mut leaves = String::new();
    if let Ok(json) = serde_json::from_str::<Value>(text) {
        unwrap(&json, DEPTH, &mut leaves);
    }
    for line in text.lines() {
        // The data of a frame, or a line of a log.
        let line = line.strip_prefix("data:").unwrap_or(line).trim();
        if let Ok(json @ (Value::Object(_) | Value::Array(_))) = serde_json::from_str::<Value>(line) {
            unwrap(&json, DEPTH, &mut leaves);
        }
    }
    if !leaves.is_empty() {
        views.push(leaves);
    }
    let decoded: Vec<String> =
        views.iter().flat_map(|view| [percent(view), escapes(view)]).flatten().collect();
    views.extend(decoded);
    views
}

/// Every name and every string of a value, one per line; strings that hold JSON are opened as well.
fn unwrap(value: &Value, depth: usize, into: &mut String) {
    match value {
        Value::String(text) => {
            into.push_str(text);
            into.push('\n');
            if depth > 0
                && let Ok(inner @ (Value::Object(_) | Value::Array(_) | Value::String(_))) =
                    serde_json::from_str::<Value>(text)
            {
                unwrap(&inner, depth - 1, into);
            }
        }
        Value::Array(items) => items.iter().for_each(|item| unwrap(item, depth, into)),
        Value::Object(members) => {
            for (name, member) in members {
                into.push_str(name);
                into.push('\n');
                unwrap(member, depth, into);
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// `text` with `%67` turned into `g`; `None` where nothing changes.
fn percent(text: &str) -> Option<String> {
    decoded(text, "%", 2)
}

/// `text` with `\u0067` turned into `g`; `None` where nothing changes.
fn escapes(text: &str) -> Option<String> {
    decoded(text, "\\u", 4)
}

fn decoded(text: &str, mark: &str, digits: usize) -> Option<String> {
    if !text.contains(mark) {
        return None;
    }
    let mut pieces = text.split(mark);
    let mut plain = pieces.next().unwrap_or_default().to_owned();
    for piece in pieces {
        let code = piece.get(..digits).and_then(|code| u32::from_str_radix(code, 16).ok());
        match code.and_then(char::from_u32) {
            Some(letter) => {
                plain.push(letter);
                plain.push_str(&piece[digits..]);
            }
            None => {
                plain.push_str(mark);
                plain.push_str(piece);
            }
        }
    }
    Some(plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wrappings_are_taken_off() {
        for text in [
            "planted",
            r#"{"a": "planted"}"#,
            r#"{"planted": 1}"#,
            r#"{"a": "{\"b\": \"\\\"planted\\\"\"}"}"#,
            "data: {\"a\": \"\\u0070lanted\"}\n\n",
            "%70%6c%61%6E%74%65%64",
            "a=%7B%22b%22%3A%22planted%22%7D",
            r"\u0070lanted",
            "[\"%70lanted\"]",
        ] {
            assert!(views(text).iter().any(|view| view.contains("planted")), "{text}");
        }
    }

    #[test]
    fn what_is_no_escape_stays() {
        for text in ["100 % of it", "%", "%zz", "\\u12", "\\uD800", "é%c3"] {
            let _ = views(text);
        }
        assert_eq!(percent("5%"), Some("5%".to_owned()));
        assert_eq!(percent("%zz1"), Some("%zz1".to_owned()));
    }
}
