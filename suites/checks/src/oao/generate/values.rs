//! Values beside the node that they are judged by: one that satisfies it, and one that breaks one of its
//! keywords and that no coercion of primitives can mend.

use proptest::{collection::vec, prelude::*, sample::select};
use serde_json::{Map, Value, json};

use super::schemas::{Wrapping, wrapping};

/// The member of the result that holds what is looked at. No drawn name has an `o`.
pub(crate) const HELD: &str = "outcome";
/// The most nodes between the root and the node that is looked at.
const WRAPPINGS_MAX: usize = 3;

/// A schema with a value that satisfies it and a value that does not.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Pair {
    /// The rule that the second value breaks.
    pub(crate) rule: &'static str,
    /// The result schema.
    pub(crate) schema: Value,
    /// A result that satisfies it.
    pub(crate) fits: Value,
    /// A result that does not.
    pub(crate) breaks: Value,
}

impl Pair {
    /// The pair for a node, right below the root.
    pub(crate) fn of(rule: &'static str, node: Value, fits: Value, breaks: Value) -> Self {
        Self { rule, schema: root(node), fits: held(fits), breaks: held(breaks) }
    }
}

fn root(node: Value) -> Value {
    json!({"type": "object", "properties": {HELD: node}, "required": [HELD], "additionalProperties": false})
}

fn held(value: Value) -> Value {
    json!({HELD: value})
}

type Drawn = BoxedStrategy<(Value, Value, Value)>;

/// So many pairs, of rules that follow each other: the turn of each comes round by the number.
pub(crate) fn pairs(number: u64, count: usize) -> BoxedStrategy<Vec<Pair>> {
    let rules = rules();
    let all = rules.len();
    let first = usize::try_from(number).unwrap_or_default().wrapping_mul(count);
    let chosen: Vec<BoxedStrategy<Pair>> =
        (first..first + count).map(|at| wrapped(rules[at % all].0, rules[at % all].1.clone())).collect();
    chosen.boxed()
}

fn wrapped(rule: &'static str, drawn: Drawn) -> BoxedStrategy<Pair> {
    (drawn, vec(wrapping(), 0..=WRAPPINGS_MAX))
        .prop_map(move |((node, fits, breaks), wrappings)| {
            let node = wrappings.iter().fold(node, |node, wrapping| wrapping.around(node));
            let within =
                |value| wrappings.iter().fold(value, |value, wrapping| around_value(wrapping, value));
            Pair::of(rule, node, within(fits), within(breaks))
        })
        .boxed()
}

fn around_value(wrapping: &Wrapping, inner: Value) -> Value {
    match wrapping {
        Wrapping::Property(name) => json!({name: inner}),
        Wrapping::Items => json!([inner]),
        Wrapping::Additional => json!({"extra": inner}),
    }
}

/// All rules. Neighbours are of different kinds, so that every few cases are mixed ones.
fn rules() -> Vec<(&'static str, Drawn)> {
    vec![
        ("shorter than `minLength`", shorter()),
        ("a value that `enum` does not list", other_than_listed()),
        ("a required member is missing", missing()),
        ("less than `minimum`", below()),
        ("not of the format", of_no_format()),
        ("fewer than `minItems`", fewer()),
        ("a member that is not allowed", unknown_member()),
        ("not above `exclusiveMinimum`", at_the_lower_end()),
        ("longer than `maxLength`", longer()),
        ("another value than `const`", other_than_fixed()),
        ("no multiple of `multipleOf`", between_steps()),
        ("an item of another type", wrong_item()),
        ("more than `maximum`", above()),
        ("a further member of another type", wrong_further_member()),
        ("more than `maxItems`", more()),
        ("not below `exclusiveMaximum`", at_the_upper_end()),
        ("a list in place of an object", wrong_kind()),
        ("null, which `enum` does not list", null_not_listed()),
    ]
}

/// Letters of which most take two bytes: a length in bytes is another one.
fn letters(count: usize) -> String {
    "éßañöΩ".chars().cycle().take(count).collect()
}

fn shorter() -> Drawn {
    (4..40_usize)
        .prop_map(|least| {
            (json!({"type": "string", "minLength": least}), json!(letters(least)), json!(letters(least - 1)))
        })
        .boxed()
}

fn longer() -> Drawn {
    (0..40_usize)
        .prop_map(|most| {
            (json!({"type": "string", "maxLength": most}), json!(letters(most)), json!(letters(most + 1)))
        })
        .boxed()
}

/// Texts about which nobody disagrees. `time` is left out: what it is differs (`10:00`, `10:00:00Z`).
pub(crate) fn formats() -> Vec<(&'static str, &'static str, &'static str)> {
    vec![
        ("date", "2024-05-17", "17 May 2024"),
        ("date", "1999-12-31", "1999-13-01"),
        ("date-time", "2024-05-17T10:20:30Z", "2024-05-17"),
        ("date-time", "2024-05-17T10:20:30+02:00", "yesterday at noon"),
        ("email", "ada.lovelace@mail.example.com", "ada.lovelace"),
        ("email", "a@example.org", "two words@example.org"),
        ("uri", "https://example.org/a?b=c", "not a uri"),
        ("uri", "https://example.org", "a/relative/path"),
        ("uuid", "0f0e5c5e-9d0a-4f7c-8a51-3f8f1c1a2b3c", "0f0e5c5e-9d0a-4f7c-8a51"),
        ("uuid", "7d444840-9dc0-41d1-b245-5ffdce74fad2", "7d444840-9dc0-41d1-b245-5ffdce74fadz"),
    ]
}

fn of_no_format() -> Drawn {
    select(formats())
        .prop_map(|(format, fits, breaks)| {
            (json!({"type": "string", "format": format}), json!(fits), json!(breaks))
        })
        .boxed()
}

fn words() -> Vec<&'static str> {
    vec!["alpha", "beta", "gamma", "delta", "Alpha", "alphabet", "été", "a b"]
}

fn other_than_listed() -> Drawn {
    (2..7_usize, any::<bool>())
        .prop_map(|(count, typed)| {
            let mut listed = words();
            let breaks = listed.pop().unwrap_or_default();
            listed.truncate(count);
            let mut node = json!({"enum": listed});
            if typed {
                node["type"] = json!("string");
            }
            (node, json!(listed[count / 2]), json!(breaks))
        })
        .boxed()
}

fn null_not_listed() -> Drawn {
    Just((json!({"type": ["string", "null"], "enum": ["alpha", "beta"]}), json!("beta"), Value::Null)).boxed()
}

fn other_than_fixed() -> Drawn {
    (-500..500_i64, any::<bool>())
        .prop_map(|(at, number)| {
            if number {
                (json!({"type": "integer", "const": at}), json!(at), json!(at + 1))
            } else {
                (json!({"const": "fixed"}), json!("fixed"), json!("mended"))
            }
        })
        .boxed()
}

/// A bound in steps of one half or one, and the values around it.
fn bound(keyword: &'static str, fits: i32, breaks: i32) -> Drawn {
    (-1000..1000_i32, any::<bool>())
        .prop_map(move |(at, whole)| {
            let value = |steps: i32| {
                if whole { json!(at + steps) } else { json!(f64::from(at + steps) / 2.0 + 0.25) }
            };
            let kind = if whole { "integer" } else { "number" };
            (json!({"type": kind, keyword: value(0)}), value(fits), value(breaks))
        })
        .boxed()
}

fn below() -> Drawn {
    bound("minimum", 0, -1)
}

fn above() -> Drawn {
    bound("maximum", 0, 1)
}

fn at_the_lower_end() -> Drawn {
    bound("exclusiveMinimum", 1, 0)
}

fn at_the_upper_end() -> Drawn {
    bound("exclusiveMaximum", -1, 0)
}

/// Near the multiple, but none by any reckoning.
fn between_steps() -> Drawn {
    (2..60_i32, 1..50_i32)
        .prop_map(|(step, times)| {
            let multiple = step * times;
            (
                json!({"type": "number", "multipleOf": step}),
                json!(multiple),
                json!(f64::from(multiple) + 0.001),
            )
        })
        .boxed()
}

fn listing(count: usize) -> Value {
    (0..count).map(|number| json!(format!("item {number}"))).collect()
}

fn fewer() -> Drawn {
    (1..9_usize)
        .prop_map(|least| {
            let node = json!({"type": "array", "items": {"type": "string"}, "minItems": least});
            (node, listing(least), listing(least - 1))
        })
        .boxed()
}

fn more() -> Drawn {
    (0..9_usize)
        .prop_map(|most| {
            let node = json!({"type": "array", "items": {"type": "string"}, "maxItems": most});
            (node, listing(most), listing(most + 1))
        })
        .boxed()
}

fn wrong_item() -> Drawn {
    (1..5_usize)
        .prop_map(|count| {
            let mut breaks = listing(count);
            breaks[count - 1] = json!({"name": "an object"});
            (json!({"type": "array", "items": {"type": "string"}}), listing(count), breaks)
        })
        .boxed()
}

fn members(count: usize) -> Map<String, Value> {
    (0..count).map(|number| (format!("part{number}"), json!("text"))).collect()
}

fn properties(count: usize) -> Value {
    let node = |name: &String| (name.clone(), json!({"type": "string"}));
    Value::Object(members(count).keys().map(node).collect())
}

fn missing() -> Drawn {
    (1..5_usize, any::<bool>())
        .prop_map(|(count, open)| {
            let required: Vec<String> = members(count).keys().cloned().collect();
            let node = json!({
                "type": "object", "properties": properties(count), "required": required,
                "additionalProperties": open,
            });
            (node, json!(members(count)), json!(members(count - 1)))
        })
        .boxed()
}

fn unknown_member() -> Drawn {
    (0..4_usize)
        .prop_map(|count| {
            let node =
                json!({"type": "object", "properties": properties(count), "additionalProperties": false});
            (node, json!(members(count)), json!(members(count + 1)))
        })
        .boxed()
}

fn wrong_further_member() -> Drawn {
    (1..4_usize)
        .prop_map(|count| {
            let node = json!({"type": "object", "additionalProperties": {"type": "string"}});
            let mut breaks = members(count);
            breaks.insert("further".to_owned(), json!(["a list"]));
            (node, json!(members(count)), json!(breaks))
        })
        .boxed()
}

/// An object without `additionalProperties` keeps members that it does not name.
fn wrong_kind() -> Drawn {
    (0..3_usize)
        .prop_map(|count| {
            let mut fits = members(count);
            fits.insert("unnamed".to_owned(), json!([1, {"deep": null}]));
            (
                json!({"type": "object", "properties": properties(count)}),
                json!(fits),
                json!([{"part0": "text"}]),
            )
        })
        .boxed()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::{strategy::ValueTree, test_runner::TestRunner};

    use super::*;

    /// Another judge of values agrees, apart from the one point in which the subset has its own.
    #[test]
    fn what_fits_satisfies_and_what_breaks_does_not() {
        let mut runner = TestRunner::deterministic();
        let mut rules_seen = BTreeSet::new();
        for number in 0..200 {
            for pair in pairs(number, 3).new_tree(&mut runner).unwrap().current() {
                let schema = jsonschema::options().should_validate_formats(true).build(&pair.schema).unwrap();
                assert!(schema.is_valid(&pair.fits), "{}: {} {}", pair.rule, pair.schema, pair.fits);
                assert!(!schema.is_valid(&pair.breaks), "{}: {} {}", pair.rule, pair.schema, pair.breaks);
                rules_seen.insert(pair.rule);
            }
        }
        assert_eq!(rules_seen.len(), rules().len());
    }
}
