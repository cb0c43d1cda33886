//! Defects of definitions.

use std::sync::Arc;

use ::oao::{
    Parts,
    publication::{Step, View},
};
use serde_json::{Map, Value, json};

use super::super::Edit;

pub(super) const DEFECTS: &[Edit<Parts>] = &[
    Edit { id: "field-renamed-on-readback", edit: rename_fields },
    Edit { id: "missing-field-defaulted", edit: default_texts },
    Edit { id: "nullable-order-refused", edit: super::result_schema::null_comes_last },
    Edit { id: "limit-off-by-one-low", edit: |parts| parts.definition.count.max -= 1 },
    Edit { id: "limit-off-by-one-high", edit: |parts| parts.definition.count.max += 1 },
    Edit { id: "zero-ops-refused", edit: |parts| before(parts, "operations", "at-least-one", at_least_one) },
    Edit { id: "key-64-refused", edit: |parts| parts.definition.key.range.max -= 1 },
    Edit { id: "key-65-accepted", edit: |parts| parts.definition.key.range.max = u64::MAX },
    Edit { id: "hyphen-refused", edit: |parts| parts.definition.key_form = is_identifier },
    Edit {
        id: "pattern-unanchored",
        edit: |parts| parts.definition.key_form = |key| key.contains(|c: char| c.is_ascii_lowercase()),
    },
    Edit {
        id: "dollar-matches-before-newline",
        edit: |parts| parts.definition.key_form = |key| is_key(key.strip_suffix('\n').unwrap_or(key)),
    },
    Edit {
        id: "duplicate-op-key",
        edit: |parts| before(parts, "unique-names", "the-later-wins", the_later_wins),
    },
    Edit {
        id: "shadows-mounted-tool",
        edit: |parts| parts.definition.names.compares = |one, other| one == other,
    },
    Edit { id: "shadows-builtin", edit: |parts| parts.definition.names.reserved.clear() },
    Edit { id: "description-2000-refused", edit: |parts| parts.definition.description.range.max -= 1 },
    Edit { id: "description-unbounded", edit: |parts| parts.definition.description.range.max = u64::MAX },
    Edit {
        id: "description-counted-in-bytes",
        edit: |parts| parts.definition.description.units = |text| text.len() as u64,
    },
    Edit { id: "instructions-truncated", edit: |parts| before(parts, "canonical", "cut", cut_instructions) },
    Edit { id: "instructions-unbounded", edit: |parts| parts.definition.instructions.range.max = u64::MAX },
    Edit {
        id: "timeout-bounds-exclusive",
        edit: |parts| {
            let range = &mut parts.definition.timeout_ms.range;
            range.min += 1;
            range.max -= 1;
        },
    },
    Edit { id: "timeout-clamped", edit: |parts| before(parts, "operations", "clamp", clamp_timeouts) },
    Edit { id: "timeout-coerced", edit: |parts| before(parts, "operations", "coerce", coerce_timeouts) },
];

type StepFn = fn(&View<'_>, &mut Map<String, Value>) -> Result<(), ::oao::errors::Refusal>;

/// One more step of publication, right before the step `at`.
pub(super) fn before(parts: &mut Parts, at: &'static str, name: &'static str, step: StepFn) {
    parts.publication.steps.insert_before(at, name, Arc::new(step) as Step);
}

/// Changes every operation of a configuration.
fn each_operation(config: &mut Map<String, Value>, change: impl FnMut(&mut Map<String, Value>)) {
    let operations = config.get_mut("harnessOperations").and_then(Value::as_array_mut);
    operations.into_iter().flatten().filter_map(Value::as_object_mut).for_each(change);
}

fn is_key(key: &str) -> bool {
    key.starts_with(|c: char| c.is_ascii_lowercase())
        && key.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || b"_-".contains(&byte))
}

/// What programming languages take for a name.
fn is_identifier(key: &str) -> bool {
    is_key(key) && !key.contains('-')
}

fn rename_fields(parts: &mut Parts) {
    parts.front.rewrites.push(Arc::new(|_, reply| {
        if let Some(body) = reply.json_mut() {
            to_snake_case(body);
        }
    }));
}

/// Renames the fields of every operation below `value`.
fn to_snake_case(value: &mut Value) {
    match value {
        Value::Array(items) => items.iter_mut().for_each(to_snake_case),
        Value::Object(members) => {
            each_operation(members, |operation| {
                for (from, to) in [("resultSchema", "result_schema"), ("timeoutMs", "timeout_ms")] {
                    if let Some(field) = operation.remove(from) {
                        operation.insert(to.to_owned(), field);
                    }
                }
            });
            members.values_mut().for_each(to_snake_case);
        }
        _ => {}
    }
}

/// The texts may be missing, and are made empty once everything has been looked at.
fn default_texts(parts: &mut Parts) {
    const TEXTS: [&str; 3] = ["key", "description", "instructions"];
    parts.definition.required.retain(|field| !TEXTS.contains(&field.as_str()));
    before(parts, "canonical", "empty-texts", |_, config| {
        each_operation(config, |operation| {
            for text in TEXTS {
                operation.entry(text).or_insert_with(|| json!(""));
            }
        });
        Ok(())
    });
}

fn at_least_one(_: &View<'_>, config: &mut Map<String, Value>) -> Result<(), ::oao::errors::Refusal> {
    match config.get("harnessOperations").and_then(Value::as_array) {
        Some(operations) if operations.is_empty() => {
            Err(::oao::errors::Refusal::bad_request("harnessOperations: at least one operation is needed"))
        }
        _ => Ok(()),
    }
}

fn the_later_wins(_: &View<'_>, config: &mut Map<String, Value>) -> Result<(), ::oao::errors::Refusal> {
    if let Some(Value::Array(operations)) = config.get_mut("harnessOperations") {
        let keys: Vec<Value> = operations.iter().map(|operation| operation["key"].clone()).collect();
        let mut at = 0;
        operations.retain(|operation| {
            at += 1;
            !keys[at..].contains(&operation["key"])
        });
    }
    Ok(())
}

/// A column of 65,535 characters.
fn cut_instructions(_: &View<'_>, config: &mut Map<String, Value>) -> Result<(), ::oao::errors::Refusal> {
    each_operation(config, |operation| {
        if let Some(Value::String(text)) = operation.get_mut("instructions") {
            *text = text.chars().take(65_535).collect();
        }
    });
    Ok(())
}

fn clamp_timeouts(view: &View<'_>, config: &mut Map<String, Value>) -> Result<(), ::oao::errors::Refusal> {
    let range = view.definition.timeout_ms.range;
    each_operation(config, |operation| {
        if let Some(timeout) = operation.get_mut("timeoutMs")
            && let Some(ms) = timeout.as_u64()
        {
            *timeout = json!(ms.clamp(range.min, range.max));
        }
    });
    Ok(())
}

fn coerce_timeouts(_: &View<'_>, config: &mut Map<String, Value>) -> Result<(), ::oao::errors::Refusal> {
    each_operation(config, |operation| {
        if let Some(timeout) = operation.get_mut("timeoutMs") {
            let text = timeout.as_str().and_then(|text| text.parse::<f64>().ok());
            if let Some(number) = timeout.as_f64().or(text) {
                *timeout = json!(number.round() as i64);
            }
        }
    });
    Ok(())
}
