//! Wrong ways to read a publication.

use std::sync::Arc;

use oao::{Parts, http::Stage, publication::View};
use serde_json::{Map, Value, json};

use super::{super::Edit, definition::before};

pub(super) const DEFECTS: &[Edit<Parts>] = &[
    Edit {
        id: "null-operations-are-none",
        edit: |parts| {
            before(parts, "operations", "null-is-none", |_, config| {
                if config.get("harnessOperations") == Some(&Value::Null) {
                    config.insert("harnessOperations".to_owned(), json!([]));
                }
                Ok(())
            });
        },
    },
    Edit {
        id: "root-keywords-dropped",
        edit: |parts| before(parts, "result-schemas", "drop-root-keywords", drop_root_keywords),
    },
    Edit {
        id: "time-format-unknown",
        edit: |parts| {
            for subset in [&mut parts.definition.result_schema, &mut parts.definition.tool_schema] {
                subset.limits.formats.retain(|format| format != "time");
            }
        },
    },
    Edit {
        id: "token-names-refused",
        edit: |parts| {
            let tables = &mut parts.definition.sensitive.tables;
            tables.allowed.clear();
            tables.fragments.push("token".to_owned());
        },
    },
    Edit {
        id: "full-width-folded",
        edit: |parts| {
            parts.definition.key_form = |key| {
                let folded: String = key.chars().map(narrow).collect();
                let letters = folded
                    .bytes()
                    .all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b"_-".contains(&b));
                letters && folded.starts_with(|c: char| c.is_ascii_lowercase())
            };
        },
    },
    Edit {
        id: "marks-counted-twice",
        edit: |parts| {
            parts.definition.description.units =
                |text| text.chars().map(|c| if is_mark(c) { 2 } else { c.len_utf16() as u64 }).sum();
        },
    },
    Edit {
        id: "marks-not-counted",
        edit: |parts| {
            parts.definition.description.units =
                |text| text.chars().filter(|c| !is_mark(*c)).map(|c| c.len_utf16() as u64).sum();
        },
    },
    Edit { id: "exponents-refused", edit: |parts| parts.definition.timeout_ms.read = Value::as_u64 },
    Edit {
        id: "half-characters-replaced",
        edit: |parts| {
            parts.front.stages.insert_before("body", "mend-escapes", Arc::new(mend_escapes) as Stage)
        },
    },
    Edit {
        id: "deep-json-breaks-the-server",
        edit: |parts| {
            parts.front.rewrites.push(Arc::new(|call, reply| {
                if reply.status == 400
                    && call.bytes.windows(200).any(|run| run.iter().all(|byte| *byte == b'['))
                {
                    reply.status = 500;
                }
            }));
        },
    },
];

/// The root keeps what it may have; what else it says is forgotten without a word.
fn drop_root_keywords(view: &View<'_>, config: &mut Map<String, Value>) -> Result<(), oao::errors::Refusal> {
    let limits = &view.definition.result_schema.limits;
    let of_objects = limits.keywords.get("object").cloned().unwrap_or_default();
    let operations = config.get_mut("harnessOperations").and_then(Value::as_array_mut);
    let schemas = operations.into_iter().flatten().filter_map(|operation| operation.get_mut("resultSchema"));
    for schema in schemas.filter_map(Value::as_object_mut) {
        schema.retain(|name, _| {
            name == "type" || limits.annotations.contains(name) || of_objects.contains(name)
        });
    }
    Ok(())
}

/// U+FF41 and so on are the letters of the alphabet, as wide as an ideograph.
fn narrow(letter: char) -> char {
    match letter {
        '\u{ff01}'..='\u{ff5e}' => char::from_u32(letter as u32 - 0xfee0).unwrap_or(letter),
        other => other,
    }
}

fn is_mark(letter: char) -> bool {
    ('\u{300}'..='\u{36f}').contains(&letter)
}

/// Halves of a character become U+FFFD.
fn mend_escapes(_: &oao::Service, flight: &mut oao::http::Flight) -> Result<(), oao::errors::Refusal> {
    let Ok(text) = std::str::from_utf8(&flight.call.bytes) else { return Ok(()) };
    let (mut mended, mut rest) = (String::with_capacity(text.len()), text);
    while let Some(at) = rest.find("\\ud").filter(|_| serde_json::from_str::<Value>(text).is_err()) {
        let (head, tail) = rest.split_at(at);
        mended.push_str(head);
        let escape = tail.get(..6).unwrap_or(tail);
        mended.push_str("\\ufffd");
        rest = &tail[escape.len()..];
    }
    mended.push_str(rest);
    flight.call.bytes = mended.into();
    Ok(())
}
