//! The subset by table: what is accepted and what is refused, and where.

use serde_json::{Value, json};

use super::Subset;

/// `None` when the schema is accepted, otherwise the place below the root.
fn verdict(schema: &Value) -> Option<String> {
    Subset::default().check(schema, "s").err().map(|issue| issue.place.trim_start_matches("s").to_owned())
}

/// A root with one property `a`.
fn with(node: Value) -> Value {
    json!({"type": "object", "properties": {"a": node}})
}

#[track_caller]
fn accepted(schema: Value) {
    assert_eq!(verdict(&schema), None, "{:.300}", schema.to_string());
}

#[track_caller]
fn refused(schema: Value, place: &str) {
    assert_eq!(verdict(&schema).as_deref(), Some(place), "{:.300}", schema.to_string());
}

#[test]
fn roots() {
    accepted(json!({"type": "object"}));
    accepted(
        json!({"type": "object", "title": "t", "description": "d", "examples": [{}], "additionalProperties": false}),
    );
    for root in [json!(null), json!(true), json!("x"), json!([])] {
        refused(root, "");
    }
    for kind in [json!("string"), json!("array"), json!(["object", "null"]), json!(["object"]), json!(7)] {
        assert!(verdict(&json!({"type": kind})).is_some(), "{kind}");
    }
    refused(json!({"properties": {}}), ".type");
    refused(json!({"type": ["object", "null"]}), ".type");
    refused(json!({"type": "object", "enum": [1]}), ".enum");
    refused(json!({"type": "object", "const": 1}), ".const");
}

#[test]
fn keywords_outside_the_subset_at_the_root_and_nested() {
    for (name, value) in [
        ("pattern", json!("x")),
        ("default", json!("x")),
        ("$ref", json!("#")),
        ("$defs", json!({})),
        ("$schema", json!("x")),
        ("$id", json!("x")),
        ("oneOf", json!([])),
        ("anyOf", json!([])),
        ("allOf", json!([])),
        ("not", json!({})),
        ("if", json!({})),
        ("then", json!({})),
        ("else", json!({})),
        ("patternProperties", json!({})),
        ("propertyNames", json!({})),
        ("minProperties", json!(1)),
        ("maxProperties", json!(1)),
        ("uniqueItems", json!(true)),
        ("contains", json!({})),
        ("prefixItems", json!([])),
        ("dependentRequired", json!({})),
        ("contentEncoding", json!("base64")),
        ("deprecated", json!(true)),
        ("readOnly", json!(true)),
        ("nullable", json!(true)),
        ("minLength", json!(1)),
        ("x-mine", json!(1)),
    ] {
        let place = super::place::member("", name);
        let place = if place.starts_with('[') { place } else { format!(".{place}") };
        let mut root = json!({"type": "object"});
        root[name] = value.clone();
        refused(root, &place);
        let mut node = json!({"type": "object"});
        node[name] = value.clone();
        refused(with(node.clone()), &format!(".properties.a{place}"));
        let array = json!({"type": "array", "items": node});
        refused(with(array), &format!(".properties.a.items{place}"));
        if !matches!(name, "minLength") {
            let mut text = json!({"type": "string"});
            text[name] = value;
            refused(
                json!({"type": "object", "additionalProperties": text}),
                &format!(".additionalProperties{place}"),
            );
        }
    }
}

#[test]
fn types_and_their_nullable_form() {
    for kind in ["string", "number", "integer", "boolean", "null", "object"] {
        accepted(with(json!({"type": kind})));
    }
    for kind in ["string", "number", "integer", "boolean", "object"] {
        accepted(with(json!({"type": [kind, "null"]})));
        accepted(with(json!({"type": ["null", kind]})));
    }
    accepted(with(json!({"type": ["null", "array"], "items": {"type": "string"}})));
    for list in [
        json!(["string", "number"]),
        json!(["string", "number", "null"]),
        json!(["null"]),
        json!(["string"]),
        json!([]),
        json!(["null", "null"]),
        json!(["string", "string"]),
        json!(["string", 1]),
        json!("text"),
        json!(null),
        json!({}),
    ] {
        refused(with(json!({"type": list})), ".properties.a.type");
    }
    refused(with(json!({})), ".properties.a");
    refused(with(json!({"title": "t"})), ".properties.a");
    refused(with(json!(true)), ".properties.a");
    refused(with(json!("string")), ".properties.a");
}

#[test]
fn formats() {
    for format in ["date", "date-time", "email", "time", "uri", "uuid"] {
        accepted(with(json!({"type": "string", "format": format})));
        accepted(with(json!({"type": ["null", "string"], "format": format})));
    }
    for format in [json!("hostname"), json!("ipv4"), json!("Date"), json!(1), json!(null)] {
        refused(with(json!({"type": "string", "format": format})), ".properties.a.format");
    }
    refused(with(json!({"type": "integer", "format": "date"})), ".properties.a.format");
}

#[test]
fn choices() {
    let of = |count: usize| Value::from((0..count).collect::<Vec<_>>());
    for node in [
        json!({"enum": ["x", 1, null]}),
        json!({"enum": of(1)}),
        json!({"enum": of(100)}),
        json!({"const": null}),
        json!({"type": "string", "enum": ["a"], "title": "t"}),
        json!({"type": ["null", "string"], "enum": [null, "a"]}),
        json!({"type": "integer", "const": 3.0}),
        json!({"type": "number", "enum": [1, 1.5]}),
        json!({"enum": [1, "1", true]}),
    ] {
        accepted(with(node));
    }
    for node in [
        json!({"enum": []}),
        json!({"enum": of(101)}),
        json!({"enum": ["x", "x"]}),
        json!({"enum": [1, 1.0]}),
        json!({"enum": [{}]}),
        json!({"enum": [[1]]}),
        json!({"enum": "x"}),
        json!({"type": "integer", "enum": [1.5]}),
        json!({"type": "string", "enum": ["a", null]}),
    ] {
        refused(with(node), ".properties.a.enum");
    }
    for node in [json!({"const": {}}), json!({"const": []}), json!({"type": "string", "const": 1})] {
        refused(with(node), ".properties.a.const");
    }
    refused(with(json!({"enum": ["x"], "const": "x"})), ".properties.a.const");
    refused(with(json!({"type": "string", "enum": ["x"], "minLength": 1})), ".properties.a.minLength");
}

#[test]
fn arrays() {
    accepted(with(json!({"type": "array", "items": {"type": "string"}, "minItems": 0, "maxItems": 0})));
    for items in [json!(true), json!(false), json!([{"type": "string"}]), json!("string"), json!(null)] {
        refused(with(json!({"type": "array", "items": items})), ".properties.a.items");
    }
    refused(with(json!({"type": "array"})), ".properties.a.items");
    refused(with(json!({"type": "array", "items": {}})), ".properties.a.items");
}

#[test]
fn objects() {
    accepted(
        json!({"type": "object", "properties": {"order-id": {"type": "null"}}, "required": ["order-id"]}),
    );
    for (required, place) in [
        (json!(["b"]), ".required"),
        (json!(["a", "a"]), ".required"),
        (json!([1]), ".required"),
        (json!("a"), ".required"),
    ] {
        refused(
            json!({"type": "object", "properties": {"a": {"type": "null"}}, "required": required}),
            place,
        );
    }
    refused(json!({"type": "object", "required": ["a"]}), ".required");
    for name in ["__proto__", "constructor", "prototype"] {
        refused(
            json!({"type": "object", "properties": {name: {"type": "null"}}}),
            &format!(".properties.{name}"),
        );
    }
    refused(json!({"type": "object", "properties": {"": {"type": "null"}}}), ".properties[\"\"]");
    accepted(json!({"type": "object", "properties": {"n".repeat(200): {"type": "null"}}}));
    let long = "n".repeat(201);
    refused(
        json!({"type": "object", "properties": {long.clone(): {"type": "null"}}}),
        &format!(".properties.{long}"),
    );
    for properties in [json!([]), json!(null), json!("x")] {
        refused(json!({"type": "object", "properties": properties}), ".properties");
    }
    accepted(
        json!({"type": "object", "additionalProperties": {"type": "array", "items": {"type": ["integer", "null"]}}}),
    );
    for additional in [json!({}), json!("x"), json!(null), json!([])] {
        refused(json!({"type": "object", "additionalProperties": additional}), ".additionalProperties");
    }
}

#[test]
fn bounds() {
    for node in [
        json!({"type": "string", "minLength": 2, "maxLength": 2}),
        json!({"type": "string", "minLength": 3.0}),
        json!({"type": "number", "exclusiveMinimum": 1, "exclusiveMaximum": 1}),
        json!({"type": "integer", "minimum": -5, "maximum": -5, "multipleOf": 0.5}),
        json!({"type": "number", "minimum": 1, "exclusiveMaximum": 2}),
    ] {
        accepted(with(node));
    }
    for (node, place) in [
        (json!({"type": "string", "minLength": 3, "maxLength": 2}), ""),
        (json!({"type": "string", "minLength": -1}), ".minLength"),
        (json!({"type": "string", "maxLength": 1.5}), ".maxLength"),
        (json!({"type": "string", "maxLength": 9_007_199_254_740_993_u64}), ".maxLength"),
        (json!({"type": "string", "minLength": "1"}), ".minLength"),
        (json!({"type": "array", "items": {"type": "null"}, "minItems": 2, "maxItems": 1}), ""),
        (json!({"type": "array", "items": {"type": "null"}, "maxItems": null}), ".maxItems"),
        (json!({"type": "number", "minimum": 2, "maximum": 1}), ""),
        (json!({"type": "number", "minimum": 2, "exclusiveMaximum": 1}), ""),
        (json!({"type": "number", "minimum": 1, "exclusiveMinimum": 0}), ".exclusiveMinimum"),
        (json!({"type": "integer", "maximum": 1, "exclusiveMaximum": 2}), ".exclusiveMaximum"),
        (json!({"type": "number", "multipleOf": 0}), ".multipleOf"),
        (json!({"type": "number", "multipleOf": -1}), ".multipleOf"),
        (json!({"type": "number", "minimum": "1"}), ".minimum"),
        (json!({"type": "boolean", "minimum": 1}), ".minimum"),
    ] {
        refused(with(node), &format!(".properties.a{place}"));
    }
}

#[test]
fn annotations() {
    let deep = |levels: usize| (0..levels).fold(json!(1), |inner, _| json!([inner]));
    let text = |units: usize| "t".repeat(units);
    for node in [
        json!({"type": "null", "title": text(200), "description": text(2000)}),
        json!({"type": "null", "examples": [1, 2, 3, 4, 5, 6, 7, {"a": null}]}),
        json!({"type": "null", "examples": [deep(12)]}),
        json!({"type": "null", "examples": []}),
    ] {
        accepted(with(node));
    }
    for (node, place) in [
        (json!({"type": "null", "title": ""}), "title"),
        (json!({"type": "null", "title": text(201)}), "title"),
        (json!({"type": "null", "title": 1}), "title"),
        (json!({"type": "null", "description": text(2001)}), "description"),
        (json!({"type": "null", "description": "😀".repeat(1001)}), "description"),
        (json!({"type": "null", "examples": [1, 2, 3, 4, 5, 6, 7, 8, 9]}), "examples"),
        (json!({"type": "null", "examples": {"a": 1}}), "examples"),
        (json!({"type": "null", "examples": [{"b": {"__proto__": 1}}]}), "examples"),
        (json!({"type": "null", "examples": [deep(13)]}), "examples"),
    ] {
        refused(with(node), &format!(".properties.a.{place}"));
    }
}

/// A schema whose deepest node has the depth `depth`.
fn nested(depth: usize) -> Value {
    let innermost = json!({"type": "null"});
    let array = (1..depth).fold(innermost, |inner, _| json!({"type": "array", "items": inner}));
    with(array)
}

#[test]
fn depth() {
    accepted(nested(12));
    refused(nested(13), &format!(".properties.a{}", ".items".repeat(12)));
}

#[test]
fn counts() {
    // A chain of arrays adds nodes without adding properties: each property of this schema has two nodes.
    let schema = |properties: usize, extra: usize| {
        let node = |at: usize| {
            let leaf = json!({"type": "null"});
            if at < extra { json!({"type": "array", "items": leaf}) } else { leaf }
        };
        let properties: serde_json::Map<String, Value> =
            (0..properties).map(|at| (format!("p{at}"), node(at))).collect();
        json!({"type": "object", "properties": properties})
    };
    accepted(schema(256, 255));
    refused(schema(256, 256), "");
    accepted(schema(256, 0));
    refused(schema(257, 0), "");
}

/// A schema of exactly `bytes` bytes of compact JSON.
fn sized(bytes: usize) -> Value {
    let schema = |lengths: &[usize]| {
        let node = |length: usize| json!({"type": "null", "description": "d".repeat(length)});
        let properties: serde_json::Map<String, Value> =
            lengths.iter().enumerate().map(|(at, length)| (format!("p{at:02}"), node(*length))).collect();
        json!({"type": "object", "properties": properties})
    };
    let text = bytes - schema(&[0; 40]).to_string().len();
    let mut lengths = [text / 40; 40];
    lengths[0] += text % 40;
    let schema = schema(&lengths);
    assert_eq!(schema.to_string().len(), bytes);
    schema
}

#[test]
fn bytes() {
    accepted(sized(65_536));
    let too_large = sized(65_537);
    refused(too_large.clone(), "");
    let issue = Subset::default().check(&too_large, "s").unwrap_err();
    assert!(issue.problem.contains("exceeds 65536 UTF-8 bytes"));
    let two_byte = |texts: usize| {
        let node = json!({"type": "null", "description": "é".repeat(1000)});
        let properties: serde_json::Map<String, Value> =
            (0..texts).map(|at| (format!("p{at}"), node.clone())).collect();
        json!({"type": "object", "properties": properties})
    };
    accepted(two_byte(20));
    refused(two_byte(40), "");
}

#[test]
fn the_seams_take_an_edit() {
    let mut subset = Subset { reach: |depth| depth <= 1, ..Subset::default() };
    let deep = with(json!({"type": "array", "items": {"type": "string", "pattern": "x"}}));
    assert!(subset.check(&deep, "s").is_ok());
    subset = Subset { type_list: |_| None, ..Subset::default() };
    assert!(subset.check(&with(json!({"type": ["null", "string"]})), "s").is_err());
    subset = Subset::default();
    subset.rules.remove("keywords");
    assert!(subset.check(&json!({"type": "object", "pattern": "x"}), "s").is_ok());
    subset = Subset { root: |_| Ok(()), ..Subset::default() };
    assert!(subset.check(&json!({"type": "array", "items": {"type": "null"}}), "s").is_ok());
}
