//! Wrong ways to offer operations to the parent.

use std::sync::Arc;

use oao::{
    Parts,
    operations::{ArgumentRules, Operation},
};
use serde_json::{Value, json};

use super::super::Edit;

pub(super) const DEFECTS: &[Edit<Parts>] = &[
    Edit {
        id: "op-not-mounted",
        edit: |parts| {
            let mount = parts.mounting.operation_tools.clone();
            parts.mounting.operation_tools =
                Arc::new(move |run, operations| mount(run, &operations[..operations.len().min(1)]));
        },
    },
    Edit {
        id: "ghost-operation",
        edit: |parts| {
            let of_version = parts.mounting.operations.clone();
            parts.mounting.operations = Arc::new(move |version, all| {
                let own = of_version(version, all);
                let elsewhere =
                    || all.iter().rev().map(|other| of_version(other, all)).find(|list| !list.is_empty());
                if own.is_empty() { elsewhere().unwrap_or_default() } else { own }
            });
        },
    },
    Edit { id: "wrong-arg-name", edit: |parts| parts.operations.input_schema = prompt_instead_of_task },
    Edit {
        id: "unvalidated-task",
        edit: |parts| parts.operations.arguments.judge = Arc::new(anything_is_a_task),
    },
];

fn prompt_instead_of_task(_: &Operation) -> Value {
    json!({
        "type": "object",
        "properties": {"prompt": {"type": "string"}},
        "required": ["prompt"],
        "additionalProperties": false,
    })
}

fn anything_is_a_task(_: &ArgumentRules, arguments: &Value) -> Result<String, String> {
    Ok(match arguments.get("task") {
        Some(Value::String(task)) => task.clone(),
        Some(other) => other.to_string(),
        None => "undefined".to_owned(),
    })
}
