//! Reading a refusal: its status, its code, the field that it names.
//!
//! The documents do not give the error envelope (open point U01), so a field is looked for in every
//! place where an API of this kind puts it.

use recording::{Finding, Seen};
use serde_json::Value;

/// Where a refusal names a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Named {
    /// In a member made for it.
    Member,
    /// Somewhere in the message only.
    Message,
}

const NAMING_MEMBERS: [&str; 5] = ["param", "field", "path", "pointer", "loc"];
const MESSAGE_MEMBERS: [&str; 3] = ["message", "detail", "title"];

/// Whether and where the body names one of `fields`: bare, or as the last segment of a dotted path or a
/// JSON pointer (open point U02).
pub(crate) fn names(body: &Value, fields: &[&str]) -> Option<Named> {
    let places = places(body);
    let in_member = places.iter().any(|place| {
        NAMING_MEMBERS.iter().filter_map(|name| place.get(name)).any(|member| is_path_to(member, fields))
    });
    if in_member {
        return Some(Named::Member);
    }
    let in_message = places.iter().any(|place| {
        MESSAGE_MEMBERS
            .iter()
            .filter_map(|name| place.get(name)?.as_str())
            .any(|text| has_token(text, fields))
    });
    in_message.then_some(Named::Message)
}

/// The error's code.
pub(crate) fn code(body: &Value) -> Option<&str> {
    places(body).into_iter().find_map(|place| place.get("code")?.as_str())
}

/// The objects in which an error may put its members.
fn places(body: &Value) -> Vec<&Value> {
    let mut places = Vec::new();
    let error = body.get("error");
    places.extend(error.filter(|error| error.is_object()));
    places.push(body);
    for holder in [error, Some(body)].into_iter().flatten() {
        for list in ["details", "errors"] {
            match holder.get(list) {
                Some(Value::Array(items)) => places.extend(items),
                Some(item @ Value::Object(_)) => places.push(item),
                _ => {}
            }
        }
    }
    places
}

fn is_path_to(member: &Value, fields: &[&str]) -> bool {
    match member {
        Value::String(path) => path.rsplit(['.', '/']).next().is_some_and(|last| fields.contains(&last)),
        Value::Array(segments) => {
            segments.last().and_then(Value::as_str).is_some_and(|last| fields.contains(&last))
        }
        _ => false,
    }
}

fn has_token(text: &str, fields: &[&str]) -> bool {
    text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').any(|token| fields.contains(&token))
}

/// A refusal is pinned: exactly one of `statuses`, and a body that names one of `fields`. Says where it
/// named it.
pub(crate) fn pinned(
    seen: &Seen<'_>,
    message: &str,
    statuses: &[u16],
    fields: &[&str],
) -> Result<Named, Finding> {
    let wanted: Vec<String> = statuses.iter().map(u16::to_string).collect();
    let expected = format!("{} naming `{}`", wanted.join(" or "), fields.join("` or `"));
    let status = seen.answer()?.status;
    let body = seen.body().unwrap_or(Value::Null);
    match names(&body, fields) {
        Some(named) if statuses.contains(&status) => Ok(named),
        _ => Err(seen.finding(message, expected)),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_field_is_found_wherever_an_api_puts_it() {
        for (body, expected) in [
            (json!({"error": {"param": "harness"}}), Some(Named::Member)),
            (json!({"error": {"field": "agent.harness"}}), Some(Named::Member)),
            (json!({"error": {"details": [{"path": "/harness"}]}}), Some(Named::Member)),
            (json!({"error": {"details": {"param": "harness"}}}), Some(Named::Member)),
            (json!({"errors": [{"loc": ["body", "harness"]}]}), Some(Named::Member)),
            (json!({"param": "harness"}), Some(Named::Member)),
            (json!({"error": {"message": "`harness` cannot hold calls"}}), Some(Named::Message)),
            (json!({"error": "no", "message": "harness: no"}), Some(Named::Message)),
            (json!({"error": {"message": "harnesses are down"}}), None),
            (json!({"error": {"param": "harness.tools"}}), None),
            (json!({"harness": "pi"}), None),
            (json!(null), None),
        ] {
            assert_eq!(names(&body, &["harness"]), expected, "{body}");
        }
    }
}
