//! Definitions that are valid by construction.

use proptest::{collection::vec, prelude::*, sample::select};
use serde_json::{Value, json};

use super::{
    schemas::{self, Subset},
    text,
};

/// The operations of one version. `number` is the number of the case: every kind of definition comes up
/// within eight cases.
pub(crate) fn operations(subset: Subset, number: u64) -> BoxedStrategy<Vec<Value>> {
    let one = |schema: BoxedStrategy<Value>| vec(definition(schema), 1..=1).boxed();
    match (number % 8, subset) {
        (0, Subset::Product) => one(schemas::nullable_root()),
        (1, _) => one(schemas::deep_root(subset)),
        (2, _) => one(schemas::wide_root(subset)),
        (3, _) => vec(edge(), 1..=1).boxed(),
        (4, Subset::Product) => one(schemas::edge_root()),
        _ => vec(definition(schemas::any_root(subset)), 1..=3).prop_map(apart).boxed(),
    }
}

/// One small definition, for cases in which something else is looked at. It is as plain as can be, so that
/// a target is not faulted there for what it has against something that is allowed.
pub(crate) fn small() -> BoxedStrategy<Value> {
    keyed(text::plain_key(), schemas::small_root(Subset::Least))
}

fn definition(schema: BoxedStrategy<Value>) -> BoxedStrategy<Value> {
    keyed(text::key(), schema)
}

fn keyed(key: BoxedStrategy<String>, schema: BoxedStrategy<Value>) -> BoxedStrategy<Value> {
    let texts = (text::text(1..80), text::text(1..200));
    (key, texts, schema, 1000..=300_000_u32)
        .prop_map(|(key, (description, instructions), schema, timeout_ms)| {
            json!({
                "key": key, "description": description, "instructions": instructions,
                "resultSchema": schema, "timeoutMs": timeout_ms,
            })
        })
        .boxed()
}

/// A definition in which one field has its smallest or its largest value.
fn edge() -> BoxedStrategy<Value> {
    let value = |field: &'static str, strategy: BoxedStrategy<Value>| {
        strategy.prop_map(move |value| (field, value)).boxed()
    };
    let long = |length| text::filled(length).prop_map(Value::from).boxed();
    let short = || text::text(1..=1).prop_map(Value::from).boxed();
    let edges = prop_oneof![
        value("description", short()),
        value("description", long(2000)),
        value("instructions", short()),
        value("instructions", long(100_000)),
        value("timeoutMs", select(vec![json!(1000), json!(300_000)]).boxed()),
        value("resultSchema", Just(json!({"type": "object"})).boxed()),
    ];
    (small(), edges)
        .prop_map(|(mut definition, (field, value))| {
            definition[field] = value;
            definition
        })
        .boxed()
}

/// The definitions with a key of its own for each: the first of a key stays.
fn apart(operations: Vec<Value>) -> Vec<Value> {
    let mut kept: Vec<Value> = Vec::new();
    for operation in operations {
        if !kept.iter().any(|other| other["key"] == operation["key"]) {
            kept.push(operation);
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::{
        strategy::ValueTree,
        test_runner::{Config, TestRunner},
    };

    use super::*;

    fn drawn(subset: Subset, number: u64, count: usize) -> Vec<Vec<Value>> {
        let mut runner = TestRunner::deterministic();
        let strategy = operations(subset, number);
        (0..count).map(|_| strategy.new_tree(&mut runner).unwrap().current()).collect()
    }

    fn units(value: &Value) -> usize {
        value.as_str().unwrap().encode_utf16().count()
    }

    #[test]
    fn definitions_keep_every_limit() {
        for subset in [Subset::Product, Subset::Least] {
            for number in 0..8 {
                for operations in drawn(subset, number, 24) {
                    let keys: BTreeSet<&str> =
                        operations.iter().map(|each| each["key"].as_str().unwrap()).collect();
                    assert!(!operations.is_empty() && keys.len() == operations.len());
                    for operation in &operations {
                        assert_eq!(operation.as_object().unwrap().len(), 5);
                        let key = operation["key"].as_str().unwrap();
                        assert!(
                            (1..=64).contains(&key.len())
                                && key.starts_with(|c: char| c.is_ascii_lowercase()),
                            "{key}"
                        );
                        assert!(
                            key.bytes()
                                .all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b"_-".contains(&b)),
                            "{key}"
                        );
                        assert!((1..=2000).contains(&units(&operation["description"])));
                        assert!((1..=100_000).contains(&units(&operation["instructions"])));
                        assert!((1000..=300_000).contains(&operation["timeoutMs"].as_u64().unwrap()));
                    }
                }
            }
        }
    }

    #[test]
    fn a_kind_of_definition_that_is_named_by_its_number_is_there() {
        let schemas = |number: u64| drawn(Subset::Product, number, 1).remove(0)[0]["resultSchema"].clone();
        assert!(schemas(0).to_string().contains(r#"["null","string"]"#));
        assert_eq!(schemas::depth(&schemas(1)), schemas::DEPTH_MAX);
        assert!(schemas(2)["properties"].as_object().unwrap().len() >= 40);
        let longest: usize = drawn(Subset::Product, 3, 40)
            .iter()
            .map(|operations| units(&operations[0]["instructions"]))
            .max()
            .unwrap();
        assert_eq!(longest, 100_000);
    }

    #[test]
    fn a_definition_shrinks_to_a_valid_one() {
        let mut runner = TestRunner::new(Config { failure_persistence: None, ..Config::default() });
        let mut tree = operations(Subset::Product, 5).new_tree(&mut runner).unwrap();
        for _ in 0..200 {
            if !tree.simplify() {
                break;
            }
        }
        assert!(jsonschema::meta::is_valid(&tree.current()[0]["resultSchema"]));
    }
}
