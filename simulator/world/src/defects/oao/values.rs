//! Wrong ways to judge a value.

use std::sync::Arc;

use oao::Parts;
use serde_json::{Map, Value};

use super::{super::Edit, results::unjudged};

pub(super) const DEFECTS: &[Edit<Parts>] = &[
    Edit {
        id: "min-length-by-bytes",
        edit: |parts| parts.operations.mechanism.values.units = |text| text.len() as u64,
    },
    Edit { id: "enum-ignored", edit: |parts| enforce_less(parts, |node| drop(node.remove("enum"))) },
    Edit {
        id: "nested-required-ignored",
        edit: |parts| parts.operations.mechanism.values.requires = |depth| depth == 0,
    },
    Edit { id: "format-ignored", edit: |parts| parts.operations.mechanism.values.format = |_, _| true },
    Edit {
        id: "multiple-of-tolerant",
        edit: |parts| {
            parts.operations.mechanism.values.multiple = |number, step| {
                let times = number / step;
                (times - times.round()).abs() < 0.01
            };
        },
    },
    Edit {
        id: "depth-unlimited",
        edit: |parts| parts.operations.mechanism.values.limits.value_depth_max = u64::MAX,
    },
    Edit {
        id: "further-members-unjudged",
        edit: |parts| {
            enforce_less(parts, |node| {
                if node.get("additionalProperties").is_some_and(Value::is_object) {
                    node.remove("additionalProperties");
                }
            });
        },
    },
];

/// Values are judged by the schema without what `forget` takes out of each of its nodes.
fn enforce_less(parts: &mut Parts, forget: fn(&mut Map<String, Value>)) {
    unjudged(parts);
    parts.operations.mechanism.finish = Arc::new(move |call| {
        let mut schema = call.invocation.operation.result_schema.clone();
        each_node(&mut schema, forget);
        call.values.check(&schema, call.value).map_err(|faults| format!("{} faults", faults.len()))
    });
}

fn each_node(schema: &mut Value, forget: fn(&mut Map<String, Value>)) {
    let Value::Object(node) = schema else { return };
    forget(node);
    for below in ["items", "additionalProperties"] {
        if let Some(schema) = node.get_mut(below) {
            each_node(schema, forget);
        }
    }
    let properties = node.get_mut("properties").and_then(Value::as_object_mut);
    properties.into_iter().flat_map(Map::values_mut).for_each(|schema| each_node(schema, forget));
}
