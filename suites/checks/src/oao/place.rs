//! Where a refusal says that the fault is.

use serde_json::Value;

/// How a refusal names the result schema that is at fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Named {
    /// By a message or a `details.path` that begins with `harnessOperations[i].resultSchema`.
    AsDocumented,
    /// In some other way (W15).
    OtherWay,
}

/// Whether and how `body` names the result schema of the operation at `index`, which has this key.
pub(crate) fn names_schema(body: &Value, index: usize, key: &str) -> Option<Named> {
    let documented = format!("harnessOperations[{index}].resultSchema");
    let begins = |pointer: &str| {
        body.pointer(pointer).and_then(Value::as_str).is_some_and(|text| text.starts_with(&documented))
    };
    if begins("/error/message") || begins("/error/details/path") {
        return Some(Named::AsDocumented);
    }
    names_otherwise(body, index, key).then_some(Named::OtherWay)
}

fn names_otherwise(value: &Value, index: usize, key: &str) -> bool {
    match value {
        Value::String(text) => {
            let spelt = [
                format!("harnessOperations[{index}].resultSchema"),
                format!("harnessOperations/{index}/resultSchema"),
                format!("harnessOperations.{index}.resultSchema"),
            ];
            spelt.iter().any(|place| text.contains(place.as_str()))
                || (text.contains("resultSchema") && text.contains(key))
        }
        Value::Array(items) => {
            is_path(items, index) || items.iter().any(|item| names_otherwise(item, index, key))
        }
        Value::Object(members) => members.values().any(|member| names_otherwise(member, index, key)),
        _ => false,
    }
}

/// A path given segment by segment.
fn is_path(items: &[Value], index: usize) -> bool {
    let is_index = |item: &Value| {
        item.as_u64() == u64::try_from(index).ok() || item.as_str() == Some(&index.to_string())
    };
    items
        .windows(3)
        .any(|part| part[0] == "harnessOperations" && is_index(&part[1]) && part[2] == "resultSchema")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_place_is_found_however_it_is_written() {
        for (body, expected) in [
            (
                json!({"error": {"message": "harnessOperations[1].resultSchema.properties.a: no"}}),
                Some(Named::AsDocumented),
            ),
            (
                json!({"error": {"details": {"path": "harnessOperations[1].resultSchema"}}}),
                Some(Named::AsDocumented),
            ),
            (json!({"error": {"message": "bad harnessOperations[1].resultSchema"}}), Some(Named::OtherWay)),
            (
                json!({"errors": [{"pointer": "/config/harnessOperations/1/resultSchema/properties"}]}),
                Some(Named::OtherWay),
            ),
            (
                json!({"detail": [{"loc": ["body", "harnessOperations", 1, "resultSchema", "x"]}]}),
                Some(Named::OtherWay),
            ),
            (json!({"message": "resultSchema of operation `second` uses `pattern`"}), Some(Named::OtherWay)),
            (json!({"error": {"message": "harnessOperations[0].resultSchema"}}), None),
            (json!({"error": {"message": "resultSchema"}}), None),
            (json!({"detail": [{"loc": ["body", "harnessOperations", 0, "resultSchema"]}]}), None),
            (json!({"error": {"code": "bad_request"}}), None),
            (json!(null), None),
        ] {
            assert_eq!(names_schema(&body, 1, "second"), expected, "{body}");
        }
    }
}
