//! The rules of a definition and of the schema subset, each with something that keeps it and something
//! that breaks it and nothing else.

use serde_json::{Value, json};

use super::schemas::Subset;

/// A rule, and one way to break it.
pub(crate) struct Rule {
    /// What is broken, in words.
    pub(crate) name: &'static str,
    /// A target that describes a subset of its own is held to the rules of [`Subset::Least`] only.
    pub(crate) subset: Subset,
    /// What keeps and what breaks it.
    pub(crate) pair: Pair,
    /// Whether any status but a 2xx is a refusal (D13).
    pub(crate) any_refusal: bool,
}

/// What keeps a rule and what breaks it.
pub(crate) enum Pair {
    /// Nodes, to be planted deep in a schema.
    Node(Value, Value),
    /// Members of the root.
    Root(Value, Value),
    /// Whole schemas.
    Schema(Value, Value),
    /// A field of the definition; `None` is none.
    Field(&'static str, Option<Value>),
    /// Whole lists of operations, built from a definition.
    List(fn(&Value) -> Value),
}

/// All rules. Those that are broken deep in a schema come first, so that a short run reaches them.
pub(crate) fn all() -> Vec<Rule> {
    let nested = nodes().into_iter().map(|(name, good, bad)| (name, Subset::Product, Pair::Node(good, bad)));
    let roots = roots().into_iter().map(|(name, good, bad)| (name, Subset::Product, Pair::Root(good, bad)));
    let rules = nested.chain(roots).chain(schemas()).chain(fields()).chain(lists());
    rules
        .map(|(name, subset, pair)| Rule {
            name,
            subset,
            pair,
            any_refusal: name.starts_with("a sensitive name"),
        })
        .collect()
}

type Pairs = Vec<(&'static str, Value, Value)>;

/// Broken nodes beside sound ones.
fn nodes() -> Pairs {
    let mut pairs = Vec::new();
    pairs.extend(mixed_nodes());
    pairs.extend(keyword_nodes());
    pairs.extend(bound_nodes());
    pairs.extend(name_nodes());
    pairs.extend(choice_nodes());
    pairs.extend(annotation_nodes());
    pairs
}

fn text(members: Value) -> Value {
    over(json!({"type": "string"}), members)
}

fn object(members: Value) -> Value {
    over(json!({"type": "object", "properties": {"unit": {"type": "string"}}}), members)
}

/// `base` with `members` in place of its own.
pub(crate) fn over(mut base: Value, members: Value) -> Value {
    if let (Value::Object(base), Value::Object(members)) = (&mut base, members) {
        base.extend(members);
    }
    base
}

/// One of each family, so that even a very short run is a mixed one.
fn mixed_nodes() -> Pairs {
    let array = json!({"type": "array", "items": {"type": "string"}});
    vec![
        ("`pattern`", text(json!({})), text(json!({"pattern": "^a$"}))),
        ("a node without type and choice", text(json!({})), json!({"description": "anything"})),
        ("two types that are not null", text(json!({})), json!({"type": ["string", "number"]})),
        (
            "`required` names no property",
            object(json!({"required": ["unit"]})),
            object(json!({"required": ["weight"]})),
        ),
        ("an array without `items`", array.clone(), json!({"type": "array"})),
        ("`enum` without values", json!({"enum": ["a"]}), json!({"enum": []})),
        ("an unknown format", text(json!({"format": "date"})), text(json!({"format": "hostname"}))),
        (
            "a lower bound above the upper one",
            json!({"type": "number", "minimum": 1, "maximum": 2}),
            json!({"type": "number", "minimum": 2, "maximum": 1}),
        ),
        ("`$ref`", object(json!({})), object(json!({"$ref": "#"}))),
        (
            "a property called `__proto__`",
            object(json!({})),
            json!({"type": "object", "properties": {"__proto__": {"type": "string"}}}),
        ),
        (
            "a sensitive name: `apiKey`",
            object(json!({})),
            json!({"type": "object", "properties": {"apiKey": {"type": "string"}}}),
        ),
        (
            "nine examples",
            text(json!({"examples": ["a"]})),
            text(json!({"examples": [1, 2, 3, 4, 5, 6, 7, 8, 9]})),
        ),
        ("an unknown type", text(json!({})), json!({"type": "text"})),
        ("a boolean in place of a schema", text(json!({})), json!(true)),
        ("`items` of another type", text(json!({})), text(json!({"items": {"type": "string"}}))),
        (
            "`additionalProperties` without type",
            object(json!({"additionalProperties": {"type": "string"}})),
            object(json!({"additionalProperties": {}})),
        ),
    ]
}

fn keyword_nodes() -> Pairs {
    let array = |members: Value| over(json!({"type": "array", "items": {"type": "string"}}), members);
    vec![
        ("`default`", text(json!({})), text(json!({"default": "a"}))),
        ("`oneOf`", text(json!({})), text(json!({"oneOf": [{"type": "string"}]}))),
        ("`anyOf`", text(json!({})), text(json!({"anyOf": [{"type": "string"}]}))),
        ("`allOf`", object(json!({})), object(json!({"allOf": [{"type": "object"}]}))),
        ("`not`", text(json!({})), text(json!({"not": {"type": "null"}}))),
        (
            "`if` and `then`",
            object(json!({})),
            object(json!({"if": {"type": "object"}, "then": {"type": "object"}})),
        ),
        (
            "`patternProperties`",
            object(json!({})),
            object(json!({"patternProperties": {"^a": {"type": "string"}}})),
        ),
        ("`propertyNames`", object(json!({})), object(json!({"propertyNames": {"type": "string"}}))),
        ("`minProperties`", object(json!({})), object(json!({"minProperties": 1}))),
        ("`maxProperties`", object(json!({})), object(json!({"maxProperties": 9}))),
        ("`dependentRequired`", object(json!({})), object(json!({"dependentRequired": {"unit": []}}))),
        ("`$defs`", object(json!({})), object(json!({"$defs": {"a": {"type": "string"}}}))),
        ("`uniqueItems`", array(json!({})), array(json!({"uniqueItems": true}))),
        ("`contains`", array(json!({})), array(json!({"contains": {"type": "string"}}))),
        ("`prefixItems`", array(json!({})), array(json!({"prefixItems": [{"type": "string"}]}))),
        ("`contentEncoding`", text(json!({})), text(json!({"contentEncoding": "base64"}))),
        ("`deprecated`", text(json!({})), text(json!({"deprecated": true}))),
        ("`readOnly`", text(json!({})), text(json!({"readOnly": true}))),
        ("`nullable`", text(json!({})), text(json!({"nullable": true}))),
        ("a keyword that nobody knows", text(json!({})), text(json!({"xMine": 1}))),
        ("`items` that is a list", array(json!({})), array(json!({"items": [{"type": "string"}]}))),
        ("`items` that is a boolean", array(json!({})), array(json!({"items": true}))),
        (
            "`minLength` of another type",
            json!({"type": "integer"}),
            json!({"type": "integer", "minLength": 1}),
        ),
        ("`minimum` of another type", text(json!({})), text(json!({"minimum": 1}))),
        ("`properties` of another type", text(json!({})), text(json!({"properties": {}}))),
    ]
}

fn bound_nodes() -> Pairs {
    let number = |members: Value| over(json!({"type": "number"}), members);
    let array = |members: Value| over(json!({"type": "array", "items": {"type": "string"}}), members);
    vec![
        (
            "`minLength` above `maxLength`",
            text(json!({"minLength": 2, "maxLength": 2})),
            text(json!({"minLength": 3, "maxLength": 2})),
        ),
        ("a negative `minLength`", text(json!({"minLength": 0})), text(json!({"minLength": -1}))),
        ("a fraction as `maxLength`", text(json!({"maxLength": 2})), text(json!({"maxLength": 1.5}))),
        (
            "`minItems` above `maxItems`",
            array(json!({"minItems": 1, "maxItems": 1})),
            array(json!({"minItems": 2, "maxItems": 1})),
        ),
        ("a negative `maxItems`", array(json!({"maxItems": 0})), array(json!({"maxItems": -1}))),
        (
            "`minimum` beside `exclusiveMinimum`",
            number(json!({"minimum": 1})),
            number(json!({"minimum": 1, "exclusiveMinimum": 1})),
        ),
        (
            "`maximum` beside `exclusiveMaximum`",
            number(json!({"maximum": 1})),
            number(json!({"maximum": 1, "exclusiveMaximum": 1})),
        ),
        ("a bound that is a string", number(json!({"minimum": 1})), number(json!({"minimum": "1"}))),
        ("`multipleOf` 0", number(json!({"multipleOf": 0.5})), number(json!({"multipleOf": 0}))),
        ("a negative `multipleOf`", number(json!({"multipleOf": 2})), number(json!({"multipleOf": -2}))),
        ("three types", json!({"type": ["string", "null"]}), json!({"type": ["string", "number", "null"]})),
        ("`null` alone in a list of types", json!({"type": ["string", "null"]}), json!({"type": ["null"]})),
        ("one type twice", json!({"type": ["string", "null"]}), json!({"type": ["string", "string"]})),
    ]
}

fn name_nodes() -> Pairs {
    let named = |name: &str| json!({"type": "object", "properties": {name: {"type": "string"}}});
    vec![
        ("a property called `constructor`", named("unit"), named("constructor")),
        ("a property called `prototype`", named("unit"), named("prototype")),
        ("a property without a name", named("unit"), named("")),
        ("a property name of 201 characters", named(&"n".repeat(200)), named(&"n".repeat(201))),
        ("a sensitive name: `token`", named("tally"), named("token")),
        ("a sensitive name: `reasoning`", named("remark"), named("reasoning")),
        (
            "`required` names a property twice",
            object(json!({"required": ["unit"]})),
            object(json!({"required": ["unit", "unit"]})),
        ),
        (
            "`required` holds a number",
            object(json!({"required": ["unit"]})),
            object(json!({"required": [1]})),
        ),
        ("`properties` that is a list", object(json!({})), object(json!({"properties": []}))),
        (
            "`additionalProperties` that is a string",
            object(json!({"additionalProperties": false})),
            object(json!({"additionalProperties": "no"})),
        ),
    ]
}

fn choice_nodes() -> Pairs {
    let numbers = |count: u32| json!({"enum": (0..count).collect::<Vec<_>>()});
    vec![
        ("101 values in `enum`", numbers(100), numbers(101)),
        ("a value twice in `enum`", json!({"enum": ["a", "b"]}), json!({"enum": ["a", "b", "a"]})),
        ("an object in `enum`", json!({"enum": ["a"]}), json!({"enum": ["a", {}]})),
        (
            "`enum` of another type",
            json!({"type": "string", "enum": ["a"]}),
            json!({"type": "string", "enum": ["a", 1]}),
        ),
        ("`enum` beside `const`", json!({"enum": ["a"]}), json!({"enum": ["a"], "const": "a"})),
        (
            "`enum` beside `minLength`",
            json!({"type": "string", "enum": ["a"]}),
            json!({"type": "string", "enum": ["a"], "minLength": 1}),
        ),
        ("an object as `const`", json!({"const": null}), json!({"const": {}})),
        (
            "`const` of another type",
            json!({"type": "integer", "const": 1}),
            json!({"type": "integer", "const": "1"}),
        ),
    ]
}

fn annotation_nodes() -> Pairs {
    let titled = |length: usize| text(json!({"title": "t".repeat(length)}));
    let described = |length: usize| text(json!({"description": "d".repeat(length)}));
    vec![
        ("an empty title", titled(1), titled(0)),
        ("a title of 201 characters", titled(200), titled(201)),
        ("an empty description of a node", described(1), described(0)),
        ("a description of a node of 2001 characters", described(2000), described(2001)),
        (
            "an example with `__proto__`",
            text(json!({"examples": [{"a": 1}]})),
            text(json!({"examples": [{"__proto__": 1}]})),
        ),
        ("examples that are no list", text(json!({"examples": ["a"]})), text(json!({"examples": "a"}))),
    ]
}

/// Members of the root.
fn roots() -> Pairs {
    let none = || json!({});
    vec![
        ("`$schema` at the root", none(), json!({"$schema": "https://json-schema.org/draft/2020-12/schema"})),
        ("`$defs` at the root", none(), json!({"$defs": {}})),
        ("`oneOf` at the root", none(), json!({"oneOf": [{"type": "object"}]})),
        ("`patternProperties` at the root", none(), json!({"patternProperties": {"^a": {"type": "string"}}})),
        ("`minProperties` at the root", none(), json!({"minProperties": 0})),
        ("`required` at the root names no property", none(), json!({"required": ["nowhereToBeFound"]})),
        ("an empty title at the root", json!({"title": "t"}), json!({"title": ""})),
        ("`const` at the root", none(), json!({"const": 1})),
        ("`enum` at the root", none(), json!({"enum": [1]})),
    ]
}

type Entry = (&'static str, Subset, Pair);

/// Whole schemas.
fn schemas() -> Vec<Entry> {
    let flat = |count: usize, node: Value| {
        let properties: serde_json::Map<String, Value> =
            (0..count).map(|at| (format!("p{at}"), node.clone())).collect();
        json!({"type": "object", "properties": properties})
    };
    let list = json!({"type": "array", "items": {"type": "null"}});
    let chain = |levels: usize| {
        let leaf = json!({"type": "string"});
        (1..levels).fold(leaf, |inner, _| json!({"type": "object", "properties": {"p": inner}}))
    };
    let nested = |levels: usize| json!({"type": "object", "properties": {"p": chain(levels)}});
    let described = |count: usize| flat(count, json!({"type": "string", "description": "d".repeat(1950)}));
    let object = || json!({"type": "object"});
    let array = json!({"type": "array", "items": {"type": "string"}});
    vec![
        ("nested too deep", Subset::Product, Pair::Schema(nested(11), nested(13))),
        ("513 nodes", Subset::Product, Pair::Schema(flat(255, list.clone()), flat(256, list))),
        (
            "257 properties",
            Subset::Product,
            Pair::Schema(flat(256, json!({"type": "null"})), flat(257, json!({"type": "null"}))),
        ),
        ("more than 65536 bytes", Subset::Least, Pair::Schema(described(20), described(34))),
        ("a root that is an array", Subset::Least, Pair::Schema(object(), array)),
        ("a root that is a string", Subset::Least, Pair::Schema(object(), json!({"type": "string"}))),
        (
            "a root that may be null",
            Subset::Least,
            Pair::Schema(object(), json!({"type": ["object", "null"]})),
        ),
        ("a root without type", Subset::Least, Pair::Schema(object(), json!({"properties": {}}))),
        ("a schema that is a boolean", Subset::Least, Pair::Schema(object(), json!(true))),
        ("a schema that is a list", Subset::Least, Pair::Schema(object(), json!([]))),
    ]
}

/// Fields of the definition. Unknown fields (W05), a missing or odd `timeoutMs` (W04) and names of tools
/// that a target need not have are left out.
fn fields() -> Vec<Entry> {
    let field = |name, field, value| (name, Subset::Least, Pair::Field(field, value));
    vec![
        field("a missing key", "key", None),
        field("a missing description", "description", None),
        field("missing instructions", "instructions", None),
        field("a missing schema", "resultSchema", None),
        field("a schema that is null", "resultSchema", Some(Value::Null)),
        field("an empty key", "key", Some(json!(""))),
        field("a key of 65 characters", "key", Some(json!("k".repeat(65)))),
        field("a key with a capital", "key", Some(json!("addUp"))),
        field("a key that begins with a digit", "key", Some(json!("1st"))),
        field("a key with a dot", "key", Some(json!("add.up"))),
        field("a key with a final line feed", "key", Some(json!("add\n"))),
        field("a key that is a number", "key", Some(json!(7))),
        field("an empty description", "description", Some(json!(""))),
        field("a description of 2001 characters", "description", Some(json!("d".repeat(2001)))),
        field("a description that is a list", "description", Some(json!(["d"]))),
        field("empty instructions", "instructions", Some(json!(""))),
        field("instructions of 100001 characters", "instructions", Some(json!("i".repeat(100_001)))),
        field("a timeout of 999 ms", "timeoutMs", Some(json!(999))),
        field("a timeout of 300001 ms", "timeoutMs", Some(json!(300_001))),
    ]
}

/// Whole lists of operations.
fn lists() -> Vec<Entry> {
    let list = |name, build| (name, Subset::Least, Pair::List(build));
    vec![
        list("one key twice", |definition| {
            let other = over(definition.clone(), json!({"instructions": "Do the same in another way."}));
            json!([definition, other])
        }),
        list("33 operations", |definition| {
            (0..33)
                .map(|number| over(definition.clone(), json!({"key": format!("operation_{number}")})))
                .collect()
        }),
        list("operations that are an object", |definition| json!({"first": definition})),
        list("an operation that is a string", |definition| json!([definition["key"]])),
    ]
}
