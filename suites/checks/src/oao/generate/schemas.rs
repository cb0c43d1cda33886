//! Result schemas that are valid by construction.
//!
//! Everything that the subset offers is drawn; what contradicts itself without breaking a rule (bounds
//! that leave no value) is not, because a target may well refuse that.

use proptest::{
    collection::{btree_set, vec},
    prelude::*,
};
use serde_json::{Map, Value, json};

use super::{
    nodes::{annotated, leaf, node, object},
    text,
};

/// The deepest node, the root being 0. One less than the product allows: a target may count the root as
/// the first level (D10).
pub(crate) const DEPTH_MAX: usize = 11;
/// Nodes in one schema, well below the 512 that are allowed.
const NODES_MAX: usize = 300;
/// Bytes of one schema, well below the 65,536 that are allowed however they are measured.
const BYTES_MAX: usize = 40_000;

/// Which part of JSON Schema is drawn from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Subset {
    /// The subset of the product.
    Product,
    /// What every subset has: a target that describes another one is judged on this much.
    Least,
}

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
        assert!(
            text.contains("\"type\":\"null\"")
                && ["date-time", "uuid"].iter().all(|format| text.contains(format))
        );
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
