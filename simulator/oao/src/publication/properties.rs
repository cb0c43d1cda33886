//! What holds for every schema and every value, not only for those in the tables.

use proptest::{
    collection::{btree_map, vec},
    prelude::*,
    test_runner::{Config, RngAlgorithm, TestRng, TestRunner},
};
use serde_json::{Map, Value, json};

use super::{canonical, schema::Subset};
use crate::results::ValueRules;

fn runner() -> TestRunner {
    let config = Config { cases: 400, failure_persistence: None, ..Config::default() };
    TestRunner::new_with_rng(config, TestRng::deterministic_rng(RngAlgorithm::ChaCha))
}

/// Any JSON at all.
fn anything() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i32>().prop_map(Value::from),
        (-1e6..1e6).prop_map(Value::from),
        (-1000_i32..1000).prop_map(|whole| json!(f64::from(whole))),
        "[a-zé😀_-]{0,6}".prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 40, 5, |inner| {
        let names = prop_oneof![
            Just("type".to_owned()),
            Just("required".to_owned()),
            Just("properties".to_owned()),
            Just("items".to_owned()),
            "[a-z]{1,3}",
        ];
        prop_oneof![
            vec(inner.clone(), 0..4).prop_map(Value::from),
            btree_map(names, inner, 0..5).prop_map(object)
        ]
    })
}

fn object(members: std::collections::BTreeMap<String, Value>) -> Value {
    Value::Object(members.into_iter().collect())
}

/// A node that is valid by construction, and a value that satisfies it.
fn node_and_value() -> impl Strategy<Value = (Value, Value)> {
    let leaf = prop_oneof![
        "[a-z]{0,5}".prop_map(|text| (json!({"type": "string", "maxLength": 5}), json!(text))),
        (-50_i64..50)
            .prop_map(|n| (json!({"type": "integer", "minimum": -50, "exclusiveMaximum": 50}), json!(n))),
        any::<bool>().prop_map(|b| (json!({"type": ["null", "boolean"]}), json!(b))),
        Just((json!({"type": ["string", "null"], "format": "date"}), Value::Null)),
        Just((json!({"enum": ["x", 1, null]}), json!(1))),
        Just((json!({"const": "only", "title": "t"}), json!("only"))),
    ];
    leaf.prop_recursive(4, 24, 4, |inner| {
        let array = (inner.clone(), 0_usize..4).prop_map(|((node, value), count)| {
            (json!({"type": "array", "items": node, "maxItems": 4}), Value::from(vec![value; count]))
        });
        prop_oneof![array, members(inner)]
    })
}

fn members(inner: impl Strategy<Value = (Value, Value)>) -> impl Strategy<Value = (Value, Value)> {
    (btree_map("[a-z]{1,4}", (inner, any::<bool>()), 0..4), any::<bool>()).prop_map(|(members, open)| {
        let mut properties = Map::new();
        let mut value = Map::new();
        let mut required = Vec::new();
        for (name, ((node, member), needed)) in members {
            properties.insert(name.clone(), node);
            if needed {
                required.insert(0, name.clone());
                value.insert(name, member);
            }
        }
        let schema = json!({"type": "object", "properties": properties, "required": required, "additionalProperties": open});
        (schema, Value::Object(value))
    })
}

fn root_and_value() -> impl Strategy<Value = (Value, Value)> {
    members(node_and_value())
}

#[test]
fn the_canonical_form_is_its_own_canonical_form() {
    runner()
        .run(&anything(), |value| {
            let once = canonical::schema(&value);
            prop_assert_eq!(&canonical::schema(&once), &once);
            let numbers = canonical::numbers(&value);
            prop_assert_eq!(&canonical::numbers(&numbers), &numbers);
            prop_assert_eq!(
                canonical::content_hash(&numbers),
                canonical::content_hash(&canonical::numbers(&numbers))
            );
            Ok(())
        })
        .unwrap();
}

#[test]
fn schemas_that_are_valid_by_construction_are_accepted_before_and_after() {
    runner()
        .run(&root_and_value(), |(schema, _)| {
            prop_assert_eq!(Subset::default().check(&schema, "s"), Ok(()));
            prop_assert_eq!(Subset::default().check(&canonical::schema(&schema), "s"), Ok(()));
            Ok(())
        })
        .unwrap();
}

#[test]
fn values_that_satisfy_by_construction_are_taken_as_they_are() {
    runner()
        .run(&root_and_value(), |(schema, value)| {
            prop_assert_eq!(ValueRules::default().check(&schema, &value), Ok(value.clone()));
            prop_assert_eq!(ValueRules::default().check(&canonical::schema(&schema), &value), Ok(value));
            Ok(())
        })
        .unwrap();
}

#[test]
fn no_schema_and_no_value_makes_the_judges_panic() {
    runner()
        .run(&(anything(), anything()), |(schema, value)| {
            let _ = Subset::default().check(&schema, "s");
            if let Ok(result) = ValueRules::default().check(&schema, &value) {
                // What is accepted is accepted again: coercion has nothing left to do.
                prop_assert_eq!(ValueRules::default().check(&schema, &result), Ok(result));
            }
            Ok(())
        })
        .unwrap();
}
