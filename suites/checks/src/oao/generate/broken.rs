//! Operations in which exactly one rule is broken, each with a twin in which none is.

use engine::Case;
use proptest::{collection::vec, prelude::*};
use serde_json::{Value, json};

use super::{
    definitions,
    rules::{self, Pair, Rule, over},
    schemas::{self, Subset, Wrapping},
};

/// The most nodes that stand between the root and a broken node. Below it there may be two more levels.
const WRAPPINGS_MAX: usize = 7;
/// The property that holds the planted node. No drawn name has an `o`.
const PLANTED: &str = "outcome";

/// The case of that number: the rule's turn comes round by it.
pub(crate) fn case(subset: Subset, number: u64) -> BoxedStrategy<Case> {
    let mut rules = rules::all();
    rules.retain(|rule| subset == Subset::Product || rule.subset == Subset::Least);
    let count = rules.len() as u64;
    let at = usize::try_from(number % count).unwrap_or_default();
    let Rule { name, pair, any_refusal, .. } = rules.swap_remove(at);
    let expected = json!({"status": if any_refusal { "no 2xx" } else { "4xx" }, "published": "nothing"});
    let wrappings = vec(schemas::wrapping(), 1..=WRAPPINGS_MAX);
    (definitions::small(), wrappings)
        .prop_map(move |(definition, wrappings)| {
            let (twin, broken) = both(&definition, &wrappings, &pair);
            Case {
                rule: name.to_owned(),
                input: json!({"twin": twin, "broken": broken}),
                expected: expected.clone(),
            }
        })
        .boxed()
}

/// The sound list of operations and the one that breaks the rule.
fn both(definition: &Value, wrappings: &[Wrapping], pair: &Pair) -> (Value, Value) {
    let with_schema = |schema: Value| json!([over(definition.clone(), json!({"resultSchema": schema}))]);
    let root = &definition["resultSchema"];
    match pair {
        Pair::Node(good, bad) => {
            let planted = |node: &Value| {
                let node = wrappings.iter().fold(node.clone(), |node, wrapping| match wrapping {
                    // What further properties may be, a boolean may say.
                    Wrapping::Additional if bad.is_boolean() => Wrapping::Items.around(node),
                    wrapping => wrapping.around(node),
                });
                let mut schema = root.clone();
                schema["properties"][PLANTED] = node;
                with_schema(schema)
            };
            (planted(good), planted(bad))
        }
        Pair::Root(good, bad) => {
            let merged = |members: &Value| with_schema(over(root.clone(), members.clone()));
            (merged(good), merged(bad))
        }
        Pair::Schema(good, bad) => (with_schema(good.clone()), with_schema(bad.clone())),
        Pair::Field(field, value) => {
            let mut broken = definition.clone();
            match (value, &mut broken) {
                (Some(value), _) => broken[*field] = value.clone(),
                (None, Value::Object(members)) => drop(members.remove(*field)),
                (None, _) => {}
            }
            (json!([definition]), json!([broken]))
        }
        Pair::List(build) => (json!([definition]), build(definition)),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::{strategy::ValueTree, test_runner::TestRunner};

    use super::*;

    fn drawn(subset: Subset, number: u64) -> Case {
        case(subset, number).new_tree(&mut TestRunner::deterministic()).unwrap().current()
    }

    fn count() -> u64 {
        rules::all().len() as u64
    }

    #[test]
    fn every_rule_has_its_turn_and_its_own_name() {
        let names: BTreeSet<String> =
            (0..count()).map(|number| drawn(Subset::Product, number).rule).collect();
        assert_eq!(names.len() as u64, count());
        assert_eq!(drawn(Subset::Product, count()).rule, drawn(Subset::Product, 0).rule);
    }

    #[test]
    fn a_broken_definition_is_not_its_twin() {
        for number in 0..count() {
            let case = drawn(Subset::Product, number);
            assert_ne!(case.input["twin"], case.input["broken"], "{}", case.rule);
        }
    }

    #[test]
    fn a_boolean_is_planted_where_no_boolean_may_stand() {
        let number = (0..count())
            .find(|number| drawn(Subset::Product, *number).rule.starts_with("a boolean"))
            .unwrap();
        let mut runner = TestRunner::deterministic();
        for _ in 0..40 {
            let case = case(Subset::Product, number).new_tree(&mut runner).unwrap().current();
            let planted = case.input["broken"][0]["resultSchema"]["properties"][PLANTED].to_string();
            assert!(planted.contains("true") && !planted.contains("additionalProperties"), "{planted}");
        }
    }

    #[test]
    fn a_twin_is_valid() {
        for subset in [Subset::Product, Subset::Least] {
            for number in 0..count() {
                let case = drawn(subset, number);
                for operation in case.input["twin"].as_array().unwrap() {
                    let schema = &operation["resultSchema"];
                    assert!(jsonschema::meta::is_valid(schema), "{}: {schema}", case.rule);
                    assert!(schemas::depth(schema) <= schemas::DEPTH_MAX, "{}: {schema}", case.rule);
                    assert_eq!(schema["type"], "object");
                }
            }
        }
    }

    #[test]
    fn the_first_cases_break_a_rule_deep_in_a_schema() {
        for number in 0..48 {
            let case = drawn(Subset::Product, number);
            let planted = |which: &str| case.input[which][0]["resultSchema"]["properties"][PLANTED].clone();
            let (twin, broken) = (planted("twin"), planted("broken"));
            assert!(twin["type"] == broken["type"] && twin != broken, "{}", case.rule);
        }
    }

    #[test]
    fn a_target_with_a_subset_of_its_own_is_held_to_less() {
        let names: BTreeSet<String> = (0..count()).map(|number| drawn(Subset::Least, number).rule).collect();
        assert!(names.contains("a root that is an array") && !names.contains("`pattern`"));
    }
}
