//! Result schemas that are valid by construction.
//!
//! Everything that the subset offers is drawn; what contradicts itself without breaking a rule (bounds
//! that leave no value) is not, because a target may well refuse that.

use proptest::{
    collection::{btree_map, btree_set, vec},
    option,
    prelude::*,
    sample::{Index, select},
};
use serde_json::{Map, Value, json};

use super::text;

/// The deepest node, the root being 0. One less than the product allows: a target may count the root as
/// the first level (D10).
pub(crate) const DEPTH_MAX: usize = 11;
/// Nodes in one schema, well below the 512 that are allowed.
const NODES_MAX: usize = 300;
/// Bytes of one schema, well below the 65,536 that are allowed however they are measured.
const BYTES_MAX: usize = 40_000;

const FORMATS: [&str; 6] = ["date", "date-time", "email", "time", "uri", "uuid"];
const SAFE_MAX: u64 = 9_007_199_254_740_991;

/// Which part of JSON Schema is drawn from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Subset {
    /// The subset of the product.
    Product,
    /// What every subset has: a target that describes another one is judged on this much.
    Least,
}

/// Members of a schema.
type Members = Vec<(&'static str, Value)>;

/// A root of any shape.
pub(crate) fn any_root(subset: Subset) -> BoxedStrategy<Value> {
    annotated(object(&node(subset, 4), subset, 0..6), subset, false)
        .prop_filter("a schema near the limits", is_small)
        .boxed()
}

/// A small root, for cases in which something else is looked at.
pub(crate) fn small_root(subset: Subset) -> BoxedStrategy<Value> {
    object(&node(subset, 1), subset, 0..4).prop_map(Value::Object).boxed()
}

/// A root with every type in both orders of its nullable form.
pub(crate) fn nullable_root() -> BoxedStrategy<Value> {
    let members = |kind: &str| match kind {
        "array" => json!({"items": {"type": "string"}}),
        _ => json!({}),
    };
    let both =
        ["string", "number", "integer", "boolean", "array", "object"].into_iter().flat_map(move |kind| {
            [json!([kind, "null"]), json!(["null", kind])].into_iter().map(move |form| {
                let mut node = members(kind);
                node["type"] = form;
                node
            })
        });
    let nodes: Vec<Value> = both.collect();
    let names = btree_set(text::property_name(), nodes.len());
    (names, Just(nodes).prop_shuffle())
        .prop_map(|(names, nodes)| {
            let properties: Map<String, Value> = names.into_iter().zip(nodes).collect();
            json!({"type": "object", "properties": properties})
        })
        .boxed()
}

/// A root above a chain of nodes down to [`DEPTH_MAX`].
pub(crate) fn deep_root(subset: Subset) -> BoxedStrategy<Value> {
    (leaf(subset), text::property_name(), vec(wrapping(), DEPTH_MAX - 1))
        .prop_map(|(leaf, name, wrappings)| {
            let node = wrappings.iter().fold(leaf, |node, wrapping| wrapping.around(node));
            json!({"type": "object", "properties": {name: node}})
        })
        .boxed()
}

/// A root with many properties.
pub(crate) fn wide_root(subset: Subset) -> BoxedStrategy<Value> {
    object(&leaf(subset), subset, 40..120)
        .prop_map(Value::Object)
        .prop_filter("a schema near the limits", is_small)
        .boxed()
}

/// A root with texts, lists and names of the largest size.
pub(crate) fn edge_root() -> BoxedStrategy<Value> {
    let name = text::property_name().prop_map(|name| name.chars().cycle().take(200).collect::<String>());
    let values: Vec<Value> = (0..100).map(|number| json!(number)).collect();
    let examples: Vec<Value> = (0..8).map(|number| json!({"level": number})).collect();
    (name, text::filled(200), text::filled(2000))
        .prop_map(move |(name, title, description)| {
            let node = json!({"enum": values, "title": title, "description": description, "examples": examples});
            json!({"type": "object", "properties": {name.clone(): node}, "required": [name], "title": "t", "description": "d"})
        })
        .boxed()
}

/// A node that stands around another one.
#[derive(Clone, Debug)]
pub(crate) enum Wrapping {
    /// A property of this name.
    Property(String),
    /// The items of an array.
    Items,
    /// What further properties have to be.
    Additional,
}

impl Wrapping {
    /// The node around `inner`.
    pub(crate) fn around(&self, inner: Value) -> Value {
        match self {
            Self::Property(name) => json!({"type": "object", "properties": {name: inner}}),
            Self::Items => json!({"type": "array", "items": inner}),
            Self::Additional => json!({"type": "object", "additionalProperties": inner}),
        }
    }
}

/// Any node around another one.
pub(crate) fn wrapping() -> BoxedStrategy<Wrapping> {
    prop_oneof![
        text::property_name().prop_map(Wrapping::Property),
        Just(Wrapping::Items),
        Just(Wrapping::Additional)
    ]
    .boxed()
}

fn node(subset: Subset, levels: u32) -> BoxedStrategy<Value> {
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
fn leaf(subset: Subset) -> BoxedStrategy<Value> {
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
fn object(
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
fn annotated(
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

fn is_small(schema: &Value) -> bool {
    nodes(schema) <= NODES_MAX && schema.to_string().len() <= BYTES_MAX
}

/// How many nodes a schema has.
pub(crate) fn nodes(schema: &Value) -> usize {
    1 + below(schema).map(nodes).sum::<usize>()
}

/// The nodes right below a node.
pub(crate) fn below(schema: &Value) -> impl Iterator<Item = &Value> {
    let properties = schema.get("properties").and_then(Value::as_object);
    let additional = schema.get("additionalProperties").filter(|additional| additional.is_object());
    properties.into_iter().flat_map(Map::values).chain(schema.get("items")).chain(additional)
}

/// The depth of the deepest node, the root being 0.
#[cfg(test)]
pub(crate) fn depth(schema: &Value) -> usize {
    below(schema).map(|node| 1 + depth(node)).max().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use proptest::{strategy::ValueTree, test_runner::TestRunner};

    use super::*;

    fn drawn(strategy: &BoxedStrategy<Value>, count: usize) -> Vec<Value> {
        let mut runner = TestRunner::deterministic();
        (0..count).map(|_| strategy.new_tree(&mut runner).unwrap().current()).collect()
    }

    fn roots() -> Vec<Value> {
        let strategies = [
            (any_root(Subset::Product), 200),
            (any_root(Subset::Least), 60),
            (small_root(Subset::Product), 60),
            (nullable_root(), 5),
            (deep_root(Subset::Product), 40),
            (wide_root(Subset::Product), 5),
            (edge_root(), 5),
        ];
        strategies.iter().flat_map(|(strategy, count)| drawn(strategy, *count)).collect()
    }

    /// All nodes of a schema.
    fn all(schema: &Value) -> Vec<&Value> {
        let mut found = vec![schema];
        found.extend(below(schema).flat_map(all));
        found
    }

    #[test]
    fn every_schema_is_one_of_draft_2020_12() {
        for root in roots() {
            assert!(jsonschema::meta::is_valid(&root), "{root}");
        }
    }

    #[test]
    fn every_schema_is_an_object_schema_within_the_limits() {
        for root in roots() {
            assert_eq!(root["type"], "object");
            assert!(depth(&root) <= DEPTH_MAX, "{root}");
            assert!(nodes(&root) <= NODES_MAX && root.to_string().len() <= BYTES_MAX, "{root}");
            for node in all(&root) {
                assert!(["type", "enum", "const"].iter().any(|name| node.get(name).is_some()), "{node}");
                let required = node.get("required").and_then(Value::as_array).into_iter().flatten();
                assert!(
                    required.clone().all(|name| node["properties"].get(name.as_str().unwrap()).is_some()),
                    "{node}"
                );
            }
        }
    }

    #[test]
    fn the_whole_subset_is_drawn() {
        let text = roots().iter().map(Value::to_string).collect::<String>();
        for keyword in [
            "title",
            "description",
            "examples",
            "enum",
            "const",
            "minLength",
            "maxLength",
            "format",
            "minimum",
            "maximum",
            "exclusiveMinimum",
            "exclusiveMaximum",
            "multipleOf",
            "items",
            "minItems",
            "maxItems",
            "properties",
            "required",
            "additionalProperties",
        ] {
            assert!(text.contains(&format!("\"{keyword}\":")), "{keyword}");
        }
        for kind in ["string", "number", "integer", "boolean", "array", "object"] {
            assert!(text.contains(&format!("[\"{kind}\",\"null\"]")), "{kind}");
            assert!(text.contains(&format!("[\"null\",\"{kind}\"]")), "{kind}");
        }
        assert!(text.contains("\"type\":\"null\"") && FORMATS.iter().all(|format| text.contains(format)));
    }

    #[test]
    fn property_names_are_camel_case_and_never_sensitive() {
        for root in roots() {
            for name in
                all(&root).into_iter().filter_map(|node| node["properties"].as_object()).flat_map(Map::keys)
            {
                let camel = name.starts_with(|c: char| c.is_ascii_lowercase())
                    && name.chars().all(|c| c.is_ascii_alphanumeric());
                assert!(camel && name.len() <= 200, "{name}");
                let name = name.to_lowercase();
                let fragments =
                    ["authorization", "cookie", "password", "passwd", "secret", "token", "rawp", "reasoning"];
                assert!(!fragments.iter().any(|fragment| name.contains(fragment)), "{name}");
            }
        }
    }
}
