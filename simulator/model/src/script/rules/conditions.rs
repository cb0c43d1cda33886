//! Rules about what a request has to say.

use http::HeaderName;

use super::{Findings, HEADER_NAME_RULE};
use crate::{
    script::{Conditions, HeaderCondition, JsonCondition},
    secret_name::is_secret,
};

pub(super) fn conditions(conditions: &Conditions, at: &str, findings: &mut Findings) {
    let texts = [
        ("system_contains", &conditions.system_contains),
        ("user_contains", &conditions.user_contains),
        ("last_user_contains", &conditions.last_user_contains),
        ("last_contains", &conditions.last_contains),
        ("tool_offered", &conditions.tool_offered),
        ("tool_result_for", &conditions.tool_result_for),
        ("tool_result_contains", &conditions.tool_result_contains),
    ];
    for (field, texts) in texts {
        if texts.0.iter().any(String::is_empty) {
            findings.add(format!("{at}/{field}"), "an empty text holds for every request", "leave it out");
        }
    }
    for (index, HeaderCondition { name, equals, contains }) in conditions.header.iter().enumerate() {
        let at = format!("{at}/header/{index}");
        if HeaderName::from_bytes(name.as_bytes()).is_err() {
            findings.add(format!("{at}/name"), format!("{name:?} is no header name"), HEADER_NAME_RULE);
        }
        let asks_for_value = equals.is_some() || contains.is_some();
        if asks_for_value && is_secret(name) {
            let message = format!("the value of `{name}` is a secret, which nothing here keeps");
            findings.add(
                format!("{at}/name"),
                message,
                "ask only that it is there: leave out `equals` and `contains`",
            );
        }
        if equals.is_some() && contains.is_some() {
            findings.add(at, "a condition on a header says one thing", "give `equals` or `contains`");
        }
    }
    for (index, JsonCondition { pointer, equals, exists }) in conditions.json.iter().enumerate() {
        let at = format!("{at}/json/{index}");
        if !pointer.is_empty() && !pointer.starts_with('/') {
            let message = format!("`{pointer}` is no JSON Pointer");
            findings.add(format!("{at}/pointer"), message, "begin it with `/`");
        } else if has_bare_tilde(pointer) {
            let message = format!("`{pointer}` is no JSON Pointer");
            findings.add(format!("{at}/pointer"), message, "write `~0` for `~` and `~1` for `/` in a name");
        }
        if equals.is_some() == exists.is_some() {
            findings.add(at, "a condition on JSON says one thing", "give either `equals` or `exists`");
        }
    }
}

/// Whether a `~` stands in a JSON Pointer that escapes nothing.
fn has_bare_tilde(pointer: &str) -> bool {
    pointer.split('~').skip(1).any(|rest| !rest.starts_with(['0', '1']))
}
