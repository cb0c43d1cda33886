//! Nodes of result schemas, valid by construction.

use proptest::{
    collection::{btree_map, btree_set, vec},
    option,
    prelude::*,
    sample::{Index, select},
};
use serde_json::{Map, Value, json};

use super::{schemas::Subset, text};

const FORMATS: [&str; 6] = ["date", "date-time", "email", "time", "uri", "uuid"];
const SAFE_MAX: u64 = 9_007_199_254_740_991;

/// Members of a node.
type Members = Vec<(&'static str, Value)>;

/// A node with at most so many levels below it.
pub(super) fn node(subset: Subset, levels: u32) -> BoxedStrategy<Value> {
    leaf(subset)
        .prop_recursive(levels, 32, 4, move |inner| {
            let array = (inner.clone(), counts("minItems", "maxItems"));
            let array = array.prop_map(|(items, bounds)| {
                let mut node = built("array", bounds);
                node.insert("items".to_owned(), items);
                node
            });
            let object = object(&inner, subset, 0..4);
            prop_oneof![annotated(array.boxed(), subset, true), annotated(object, subset, true)]
        })
        .boxed()
}

/// A node without nodes below it.
pub(super) fn leaf(subset: Subset) -> BoxedStrategy<Value> {
    let plain = |kind: &'static str| Just(built(kind, Vec::new())).boxed();
    let text = (counts("minLength", "maxLength"), option::of(select(&FORMATS[..]))).prop_map(
        |(mut members, format)| {
            members.extend(format.map(|format| ("format", json!(format))));
            built("string", members)
        },
    );
    let number = bounds(2.0).prop_map(|members| built("number", members));
    let integer = bounds(1.0).prop_map(|members| built("integer", members));
    match subset {
        Subset::Product => prop_oneof![
            3 => annotated(text.boxed(), subset, true),
            2 => annotated(number.boxed(), subset, true),
            2 => annotated(integer.boxed(), subset, true),
            1 => annotated(plain("boolean"), subset, true),
            1 => annotated(plain("null"), subset, false),
            2 => annotated(choice(), subset, false),
        ]
        .boxed(),
        Subset::Least => prop_oneof![
            annotated(plain("string"), subset, false),
            annotated(plain("number"), subset, false),
            annotated(plain("integer"), subset, false),
            annotated(plain("boolean"), subset, false),
        ]
        .boxed(),
    }
}

fn built(kind: &str, members: Members) -> Map<String, Value> {
    let mut node: Map<String, Value> =
        members.into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
    node.insert("type".to_owned(), json!(kind));
    node
}

/// Properties, some of them required, and what further ones may be.
pub(super) fn object(
    inner: &BoxedStrategy<Value>,
    subset: Subset,
    count: std::ops::Range<usize>,
) -> BoxedStrategy<Map<String, Value>> {
    let properties = btree_map(text::property_name(), inner.clone(), count);
    let additional = match subset {
        Subset::Product => prop_oneof![
            2 => Just(None),
            2 => any::<bool>().prop_map(|open| Some(json!(open))),
            1 => inner.clone().prop_map(Some),
        ]
        .boxed(),
        Subset::Least => option::of(any::<bool>().prop_map(|open| json!(open))).boxed(),
    };
    (properties, vec(any::<bool>(), 8), any::<bool>(), additional)
        .prop_map(|(properties, picks, written, additional)| {
            let picked = properties.keys().zip(picks.iter().cycle()).filter(|(_, pick)| **pick);
            let mut required: Vec<Value> = picked.map(|(name, _)| json!(name)).collect();
            // The order of the names is the sender's, and need not be that of the properties.
            required.reverse();
            let mut members = Vec::new();
            if written || !properties.is_empty() {
                members.push(("properties", json!(properties)));
            }
            if written || !required.is_empty() {
                members.push(("required", Value::Array(required)));
            }
            members.extend(additional.map(|additional| ("additionalProperties", additional)));
            built("object", members)
        })
        .boxed()
}

/// Two bounds that are counts, each of which may be missing.
fn counts(lower: &'static str, upper: &'static str) -> BoxedStrategy<Members> {
    let count = prop_oneof![8 => 0..40_u64, 1 => Just(SAFE_MAX)];
    option::of((count.clone(), count, 0..3_u8))
        .prop_map(move |drawn| {
            let Some((one, other, which)) = drawn else { return Vec::new() };
            let mut members = vec![(lower, json!(one.min(other))), (upper, json!(one.max(other)))];
            match which {
                0 => drop(members.pop()),
                1 => drop(members.remove(0)),
                _ => {}
            }
            members
        })
        .boxed()
}

/// Bounds of numbers in steps of `1 / parts`, and a step. The lower one is always below the upper one.
fn bounds(parts: f64) -> BoxedStrategy<Members> {
    let value = move |steps: i32| if parts > 1.0 { json!(f64::from(steps) / parts) } else { json!(steps) };
    let lower = option::of((-1_000_000..1000_i32, any::<bool>()));
    let upper = option::of((1000..1_000_000_i32, any::<bool>()));
    (lower, upper, option::weighted(0.3, 1..500_i32))
        .prop_map(move |(lower, upper, step)| {
            let lower =
                lower.map(|(at, open)| (if open { "exclusiveMinimum" } else { "minimum" }, value(at)));
            let upper =
                upper.map(|(at, open)| (if open { "exclusiveMaximum" } else { "maximum" }, value(at)));
            lower.into_iter().chain(upper).chain(step.map(|step| ("multipleOf", value(step)))).collect()
        })
        .boxed()
}

/// `enum` or `const`, with or without a type, which may be nullable.
fn choice() -> BoxedStrategy<Map<String, Value>> {
    let texts = btree_set(text::text(0..12), 1..6)
        .prop_map(|set| set.into_iter().map(Value::from).collect::<Vec<_>>());
    let wholes =
        btree_set(-1000..1000_i64, 1..6).prop_map(|set| set.into_iter().map(Value::from).collect::<Vec<_>>());
    let truths = prop_oneof![Just(vec![json!(true)]), Just(vec![json!(false), json!(true)])];
    let kinds = prop_oneof![
        texts.prop_map(|values| ("string", values)),
        wholes.clone().prop_map(|values| ("integer", values)),
        wholes.prop_map(|values| ("number", values)),
        truths.prop_map(|values| ("boolean", values)),
    ];
    let form = (any::<bool>(), any::<bool>(), 0..4_u8, any::<Index>());
    (kinds, form)
        .prop_map(|((kind, mut values), (fixed, with_null, declared, at))| {
            if with_null {
                values.push(Value::Null);
            }
            let mut node = Map::new();
            match (declared, with_null) {
                (0, _) => {}
                (1, false) => drop(node.insert("type".to_owned(), json!(kind))),
                (2, _) => drop(node.insert("type".to_owned(), json!(["null", kind]))),
                _ => drop(node.insert("type".to_owned(), json!([kind, "null"]))),
            }
            if fixed {
                node.insert("const".to_owned(), values[at.index(values.len())].clone());
            } else {
                node.insert("enum".to_owned(), Value::Array(values));
            }
            node
        })
        .boxed()
}

/// The node with a title, a description and examples, any of which may be missing; where `nullable`, it
/// may get its nullable form.
pub(super) fn annotated(
    node: BoxedStrategy<Map<String, Value>>,
    subset: Subset,
    nullable: bool,
) -> BoxedStrategy<Value> {
    let title = option::weighted(0.15, text::text(1..30));
    let description = option::weighted(0.2, text::text(1..60));
    let examples = option::weighted(0.1, vec(example(), 0..4));
    (node, title, description, examples, 0..6_u8)
        .prop_map(move |(mut node, title, description, examples, form)| {
            if let (true, Subset::Product, Some(kind)) = (nullable, subset, node.get("type").cloned()) {
                match form {
                    0 => drop(node.insert("type".to_owned(), json!([kind, "null"]))),
                    1 => drop(node.insert("type".to_owned(), json!(["null", kind]))),
                    _ => {}
                }
            }
            node.extend(description.map(|text| ("description".to_owned(), json!(text))));
            if subset == Subset::Product {
                node.extend(title.map(|text| ("title".to_owned(), json!(text))));
                node.extend(examples.map(|examples| ("examples".to_owned(), json!(examples))));
            }
            Value::Object(node)
        })
        .boxed()
}

/// A value of any kind, as an example may be.
fn example() -> BoxedStrategy<Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        (-100_000..100_000_i64).prop_map(Value::from),
        (-1000..1000_i32).prop_map(|halves| json!(f64::from(halves) / 2.0)),
        text::text(0..20).prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 8, 3, |inner| {
        prop_oneof![
            vec(inner.clone(), 0..3).prop_map(Value::from),
            btree_map(text::property_name(), inner, 0..3).prop_map(|members| json!(members)),
        ]
    })
    .boxed()
}
