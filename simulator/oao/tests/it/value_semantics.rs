//! What satisfies a schema, beside another implementation of JSON Schema.
//!
//! Schemas of the whole subset and values for them, right ones and near misses, are judged by this room and by
//! the crate `jsonschema`. They agree, apart from the differences in [`DIFFERENCES`], each of which the contract
//! asks for. A difference explains a disagreement only where its own condition holds at some place of the value.

mod pairs;

use std::collections::BTreeMap;

use pairs::{DISPUTED, Dice, Pair, pairs_of};
use proofhouse_oao::results::ValueRules;
use serde_json::{Map, Value};

/// Schemas, and values for each of them.
const SCHEMAS: usize = 2_500;
const VALUES: usize = 6;
/// The largest whole number that every double holds.
const SAFE_MAX: f64 = 9_007_199_254_740_991.0;
/// The deepest level of a value that is judged.
const DEPTH_MAX: usize = 64;

/// A point in which the contract differs from JSON Schema.
struct Difference {
    name: &'static str,
    /// Why the contract has it.
    #[expect(dead_code, reason = "the table is for people too")]
    reason: &'static str,
    /// Whether it can show at a node and the value there, which is at this depth.
    shows: fn(&Map<String, Value>, &Value, usize) -> bool,
}

const DIFFERENCES: [Difference; 6] = [
    Difference {
        name: "lengths in UTF-16",
        reason: "the runtime counts code units, JSON Schema counts characters",
        shows: |node, value, _| {
            let bounded = node.contains_key("minLength") || node.contains_key("maxLength");
            bounded && value.as_str().is_some_and(|text| text.chars().any(|c| c.len_utf16() == 2))
        },
    },
    Difference {
        name: "formats",
        reason: "formats are patterns of the runtime: no calendar, `HH:MM` for a time, a dotted domain for an address",
        shows: |node, value, _| {
            let pair = (node.get("format").and_then(Value::as_str), value.as_str());
            DISPUTED.iter().any(|(format, text)| pair == (Some(*format), Some(*text)))
        },
    },
    Difference {
        name: "exact remainders",
        reason: "the runtime divides doubles: 0.3 is no multiple of 0.1",
        shows: |node, value, _| {
            let fraction = |value: &Value| value.as_f64().is_some_and(|number| number.fract() != 0.0);
            node.get("multipleOf").is_some_and(fraction) && value.is_number()
        },
    },
    Difference {
        name: "safe integers",
        reason: "an integer is one that a double holds exactly, and other numbers are read as doubles",
        shows: |_, value, _| value.as_f64().is_some_and(|number| number.abs() > SAFE_MAX),
    },
    Difference {
        name: "prohibited names",
        reason: "`__proto__` and its like are dropped from open objects and refused in untyped values",
        shows: |_, value, _| {
            let prohibited =
                |name: &String| ["__proto__", "constructor", "prototype"].contains(&name.as_str());
            value.as_object().is_some_and(|members| members.keys().any(prohibited))
        },
    },
    Difference {
        name: "nesting",
        reason: "a value nested more than 64 levels deep is refused",
        shows: |_, _, depth| depth > DEPTH_MAX,
    },
];

/// Whether `shows` holds anywhere in the value.
fn somewhere(
    schema: &Value,
    value: &Value,
    depth: usize,
    shows: fn(&Map<String, Value>, &Value, usize) -> bool,
) -> bool {
    let none = Map::new();
    let node = schema.as_object().unwrap_or(&none);
    if shows(node, value, depth) {
        return true;
    }
    let open = Value::Bool(true);
    match value {
        Value::Array(items) => {
            let of = node.get("items").unwrap_or(&open);
            items.iter().any(|item| somewhere(of, item, depth + 1, shows))
        }
        Value::Object(members) => members.iter().any(|(name, member)| {
            let named = node.get("properties").and_then(|properties| properties.get(name));
            let of = named.or(node.get("additionalProperties")).unwrap_or(&open);
            somewhere(of, member, depth + 1, shows)
        }),
        _ => false,
    }
}

/// Without coercion, which is no affair of JSON Schema.
fn rules() -> ValueRules {
    ValueRules { coerce: |_, value| value.clone(), ..ValueRules::default() }
}

fn oracle(schema: &Value) -> jsonschema::Validator {
    jsonschema::options().should_validate_formats(true).build(schema).unwrap()
}

#[derive(Default)]
struct Tally {
    satisfied: usize,
    broken: usize,
}

#[test]
fn the_two_agree_apart_from_what_the_table_says() {
    let mut dice = Dice::new(1);
    let (mut count, mut keywords) = (0, BTreeMap::<String, Tally>::new());
    let mut seen = BTreeMap::<&str, usize>::new();
    for _ in 0..SCHEMAS {
        let (schema, values) = pairs_of(&mut dice, VALUES);
        let oracle = oracle(&schema);
        for value in values {
            let (ours, theirs) = (rules().check(&schema, &value).is_ok(), oracle.is_valid(&value));
            count += 1;
            tally(&schema, theirs, &mut keywords);
            if ours == theirs {
                continue;
            }
            let explained =
                DIFFERENCES.iter().find(|difference| somewhere(&schema, &value, 0, difference.shows));
            let Some(difference) = explained else {
                panic!("ours {ours}, theirs {theirs}: {}", Pair { schema, value });
            };
            *seen.entry(difference.name).or_default() += 1;
        }
    }
    assert!(count >= 10_000, "{count} pairs");
    for difference in &DIFFERENCES {
        assert!(seen.contains_key(difference.name), "never seen: {}; seen: {seen:?}", difference.name);
    }
    assert!(seen.values().sum::<usize>() < count / 4, "too much is explained away: {seen:?}");
    for keyword in pairs::KEYWORDS {
        let Tally { satisfied, broken } = keywords.remove(keyword).unwrap_or_default();
        assert!(satisfied >= 100 && broken >= 100, "{keyword}: {satisfied} satisfied, {broken} broken");
    }
}

fn tally(schema: &Value, satisfied: bool, keywords: &mut BTreeMap<String, Tally>) {
    let text = schema.to_string();
    for keyword in pairs::KEYWORDS {
        if text.contains(&format!("\"{keyword}\":")) {
            let tally = keywords.entry(keyword.to_owned()).or_default();
            if satisfied { tally.satisfied += 1 } else { tally.broken += 1 }
        }
    }
}

/// What is said to be disputed is.
#[test]
fn every_disputed_text_is_judged_in_two_ways() {
    for (format, text) in DISPUTED {
        let schema = serde_json::json!({
            "type": "object", "properties": {"a": {"type": "string", "format": format}},
        });
        let value = serde_json::json!({"a": text});
        assert_ne!(
            rules().check(&schema, &value).is_ok(),
            oracle(&schema).is_valid(&value),
            "{format} {text:?}"
        );
    }
}
