//! Defects of the rules for schemas.

use ::oao::{
    Parts,
    limits::SchemaLimits,
    publication::{
        View,
        schema::{Declared, Kind, Subset},
    },
};
use serde_json::{Map, Value};

use super::{super::Edit, definition::before};

pub(super) const DEFECTS: &[Edit<Parts>] = &[
    Edit {
        id: "schema-optional",
        edit: |parts| parts.definition.required.retain(|field| field != "resultSchema"),
    },
    Edit {
        id: "non-object-schema-accepted",
        edit: |parts| each_subset(parts, |subset| subset.root = any_schema_object),
    },
    Edit {
        id: "unsupported-keyword-ignored",
        edit: |parts| before(parts, "result-schemas", "drop-keywords", drop_keywords),
    },
    Edit {
        id: "nested-nodes-unchecked",
        edit: |parts| each_subset(parts, |subset| subset.reach = |depth| depth <= 1),
    },
    Edit {
        id: "schema-limit-off-by-one",
        edit: |parts| each_subset(parts, |subset| subset.limits.bytes_max -= 1),
    },
    Edit {
        id: "schema-unbounded",
        edit: |parts| each_subset(parts, |subset| subset.limits.bytes_max = u64::MAX),
    },
    Edit {
        id: "schema-counted-in-chars",
        edit: |parts| {
            each_subset(parts, |subset| subset.size = |schema| schema.to_string().chars().count() as u64);
        },
    },
    Edit {
        id: "divergent-validators",
        edit: |parts| {
            let keywords = &mut parts.definition.tool_schema.limits.keywords;
            keywords.entry("string".to_owned()).or_default().push("pattern".to_owned());
        },
    },
];

/// The same mistake in both places, because there is one set of rules for both.
fn each_subset(parts: &mut Parts, mut change: impl FnMut(&mut Subset)) {
    change(&mut parts.definition.result_schema);
    change(&mut parts.definition.tool_schema);
}

/// Knows one order of the nullable form only.
pub(super) fn null_comes_last(parts: &mut Parts) {
    each_subset(parts, |subset| subset.type_list = type_and_null);
}

fn type_and_null(list: &[Value]) -> Option<Declared> {
    match list {
        [one, null] if null == "null" => {
            let kind = Kind::named(one.as_str()?).filter(|kind| *kind != Kind::Null)?;
            Some(Declared { kind, nullable: true })
        }
        _ => None,
    }
}

fn any_schema_object(schema: &Value) -> Result<(), (&'static str, &'static str)> {
    if schema.is_object() { Ok(()) } else { Err(("", "a schema is needed")) }
}

fn drop_keywords(view: &View<'_>, config: &mut Map<String, Value>) -> Result<(), ::oao::errors::Refusal> {
    let limits = &view.definition.result_schema.limits;
    for (list, fields) in
        [("harnessOperations", &["resultSchema"][..]), ("tools", &["inputSchema", "outputSchema"])]
    {
        let Some(Value::Array(entries)) = config.get_mut(list) else { continue };
        for entry in entries {
            for field in fields {
                if let Some(schema) = entry.get_mut(*field) {
                    drop_below(schema, limits);
                }
            }
        }
    }
    Ok(())
}

fn drop_below(schema: &mut Value, limits: &SchemaLimits) {
    let Value::Object(members) = schema else { return };
    members.retain(|name, _| {
        let known = |table: &[String]| table.iter().any(|entry| entry == name);
        name == "type"
            || known(&limits.annotations)
            || known(&limits.choices)
            || limits.keywords.values().any(|table| known(table))
    });
    let properties = members.get_mut("properties").and_then(Value::as_object_mut);
    properties.into_iter().flat_map(Map::values_mut).for_each(|schema| drop_below(schema, limits));
    for below in ["items", "additionalProperties"] {
        if let Some(schema) = members.get_mut(below) {
            drop_below(schema, limits);
        }
    }
}
