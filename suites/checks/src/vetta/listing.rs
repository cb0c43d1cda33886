//! Lists of agents and sessions, page by page.

use recording::{Seen, Verdict, View};
use serde_json::Value;

use crate::percent::encoded;

/// The most pages that one list is read for.
pub(crate) const PAGES_MAX: usize = 200;

/// The entries in the body of a list. One without its envelope is read all the same, because its envelope
/// is the business of the checks on it.
pub(crate) fn entries_of(body: &Value) -> Option<&Vec<Value>> {
    body.get("data").unwrap_or(body).as_array()
}

/// The path of the page after `body`, which is a page of the list at `path`; `parameter` takes the cursor.
pub(crate) fn next_page(path: &str, parameter: &str, body: &Value) -> Option<String> {
    let more = body.get("has_more").and_then(Value::as_bool) == Some(true);
    let cursor = body.get("next_cursor").and_then(Value::as_str).filter(|_| more)?;
    let and = if path.contains('?') { '&' } else { '?' };
    Some(format!("{path}{and}{parameter}={}", encoded(cursor)))
}

/// Whether `text` is a string anywhere in `value`.
pub(crate) fn mentions(value: &Value, text: &str) -> bool {
    match value {
        Value::String(string) => string == text,
        Value::Array(items) => items.iter().any(|item| mentions(item, text)),
        Value::Object(members) => members.values().any(|member| mentions(member, text)),
        _ => false,
    }
}

/// The last of the pages recorded as `label`, and the first of them that has a `wanted` entry.
pub(crate) fn found<'r>(
    view: &'r impl View,
    label: &str,
    wanted: impl Fn(&Value) -> bool,
) -> Result<(Seen<'r>, Option<Seen<'r>>), Verdict> {
    let last = view.labelled(label).pop().map_or_else(|| view.one(label), Ok)?;
    let has = |page: &Seen<'_>| {
        let body = page.body().unwrap_or_default();
        entries_of(&body).is_some_and(|entries| entries.iter().any(&wanted))
    };
    Ok((last, view.labelled(label).into_iter().find(has)))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_cursor_is_followed_while_there_is_more() {
        let page = json!({"data": [], "has_more": true, "next_cursor": "after:a&b"});
        let next = |path: &str, body: &Value| next_page(path, "cursor", body);
        assert_eq!(next("/v1/agents", &page).as_deref(), Some("/v1/agents?cursor=after%3Aa%26b"));
        let filtered = Some("/v1/sessions?agent=a&cursor=after%3Aa%26b");
        assert_eq!(next("/v1/sessions?agent=a", &page).as_deref(), filtered);
        let last = json!({"data": [], "has_more": false, "next_cursor": null});
        for end in [last, json!([]), json!({"next_cursor": "x"})] {
            assert_eq!(next("/v1/agents", &end), None, "{end}");
        }
    }

    #[test]
    fn an_id_is_found_at_any_depth_and_only_as_a_whole() {
        let entry = json!({"id": "sess_1", "agent": {"id": "agent_1"}, "tags": ["a"]});
        assert!(mentions(&entry, "agent_1") && mentions(&entry, "a"));
        assert!(!mentions(&entry, "agent") && !mentions(&entry, "sess"));
    }
}
