//! The JSON Schema of scripts says what the parser says.

mod values;

use std::{collections::BTreeSet, fs};

use jsonschema::Validator;
use model::Script;
use proptest::prelude::*;
use serde_json::{Map, Value, json};

use self::values::{refused, taken};
use crate::client::at_root;

fn schema() -> Value {
    let text = fs::read_to_string(at_root("spec/control/script.schema.json")).unwrap();
    serde_json::from_str(&text).unwrap()
}

pub(crate) fn validator() -> Validator {
    jsonschema::draft202012::new(&schema()).unwrap()
}

/// A fixture as it is written.
fn written(file: &str) -> Value {
    serde_json::from_str(&fs::read_to_string(at_root("fixtures/scripts").join(file)).unwrap()).unwrap()
}

/// Puts a value at a pointer; the last name of the pointer may be new.
fn with(script: &Value, pointer: &str, value: &Value) -> Value {
    let mut script = script.clone();
    let (owner, name) = pointer.rsplit_once('/').unwrap();
    match script.pointer_mut(owner).unwrap() {
        Value::Array(items) => items[name.parse::<usize>().unwrap()] = value.clone(),
        owner => owner[name] = value.clone(),
    }
    script
}

/// What the schema refuses the parser refuses, and the other way round, as far as a schema can say it.
#[test]
fn schema_and_parser_agree() {
    let validator = validator();
    let fields = written("every-field.json");
    let conversations = written("every-conversation.json");
    for (pointer, value) in refused() {
        let script = with(&fields, pointer, &value);
        assert!(!validator.is_valid(&script), "the schema takes {value} at {pointer}");
        assert!(Script::from_json(&script).is_err(), "the parser takes {value} at {pointer}");
    }
    for (pointer, value) in [
        ("/turns", json!([{"id": "a", "answer": {"text": ""}}])),
        ("/conversations", json!([])),
        ("/conversations/0/id", json!("a b")),
        ("/conversations/0/id", json!("")),
        ("/conversations/0/key", json!("two words")),
        ("/conversations/0/key", json!("")),
        ("/conversations/0/key", json!("naïve")),
        ("/conversations/0/turns", json!([])),
        ("/conversations/0/when", json!([])),
    ] {
        let script = with(&conversations, pointer, &value);
        assert!(!validator.is_valid(&script), "the schema takes {value} at {pointer}");
        assert!(Script::from_json(&script).is_err(), "the parser takes {value} at {pointer}");
    }
    for (pointer, value) in taken() {
        let script = with(&fields, pointer, &value);
        assert!(validator.is_valid(&script), "the schema refuses {value} at {pointer}");
        let read = Script::from_json(&script);
        assert!(read.is_ok(), "the parser refuses {value} at {pointer}: {}", read.unwrap_err());
    }
}

/// Every object of the schema and where the two sample scripts hold it.
#[rustfmt::skip]
const OBJECTS: &[(&str, &str, &[&str])] = &[
    ("", "", &[""]),
    ("/$defs/conversation", "/conversations/0", &["/conversations/0"]),
    ("/$defs/turn", "/turns/0", &["/turns/0"]),
    ("/$defs/conditions", "/turns/0/when", &["/turns/0/when"]),
    ("/$defs/header_condition", "/turns/0/when/header/0", &["/turns/0/when/header/0", "/turns/0/when/header/1"]),
    ("/$defs/json_condition", "/turns/0/when/json/0", &["/turns/0/when/json/0", "/turns/0/when/json/1"]),
    ("/$defs/stream", "/turns/0/stream", &["/turns/0/stream"]),
    ("/$defs/answer", "/turns/0/answer", &["/turns/0/answer", "/turns/1/answer", "/turns/2/answer"]),
    ("/$defs/block", "/turns/1/answer/blocks/0", &["/turns/1/answer/blocks/0", "/turns/1/answer/blocks/1", "/turns/1/answer/blocks/2", "/turns/1/answer/blocks/3"]),
    ("/$defs/full_thinking", "/turns/0/answer/thinking", &["/turns/0/answer/thinking"]),
    ("/$defs/tool_call", "/turns/0/answer/tool_calls/0", &["/turns/0/answer/tool_calls/0", "/turns/0/answer/tool_calls/1"]),
    ("/$defs/usage", "/turns/0/answer/usage", &["/turns/0/answer/usage"]),
    ("/$defs/fault", "/faults/0", &[
        "/faults/0", "/faults/1", "/faults/2", "/faults/3", "/faults/4", "/faults/5", "/faults/6", "/faults/7",
        "/faults/8", "/faults/9", "/faults/10", "/faults/11", "/faults/12", "/faults/13", "/faults/14",
        "/faults/15", "/turns/0/faults/0", "/turns/0/faults/1", "/turns/0/faults/2", "/turns/0/faults/3",
        "/turns/0/faults/4", "/turns/0/faults/5", "/turns/0/faults/6", "/turns/0/faults/7",
        "/turns/0/faults/8", "/turns/0/faults/9",
    ]),
    ("/$defs/full_error_status", "/faults/1/status", &["/faults/1/status"]),
    ("/$defs/slow", "/faults/8/slow", &["/faults/8/slow"]),
    ("/$defs/error_event", "/faults/9/error_after", &["/faults/9/error_after"]),
    ("/$defs/oversized", "/turns/0/faults/8/oversized", &["/turns/0/faults/8/oversized"]),
];

fn keys(value: &Value) -> BTreeSet<String> {
    value.as_object().unwrap().keys().cloned().collect()
}

/// Two scripts hold every field of the schema; the parser keeps each of them and knows no other.
#[test]
fn schema_and_parser_know_the_same_fields() {
    let schema = schema();
    let samples = [written("every-field.json"), written("every-conversation.json")];
    for sample in &samples {
        assert_eq!(Script::from_json(sample).unwrap().to_json(), *sample, "a field is lost");
    }
    let typed = schema["$defs"].as_object().unwrap().values().filter(|def| def["type"] == "object").count();
    assert_eq!(typed + 1, OBJECTS.len(), "an object of the schema is not looked at");
    for (definition, place, used_in) in OBJECTS {
        let fields = keys(&schema.pointer(definition).unwrap()["properties"]);
        let holders = used_in.iter().flat_map(|at| samples.iter().filter_map(|sample| sample.pointer(at)));
        let used: BTreeSet<String> = holders.flat_map(keys).collect();
        assert_eq!(used, fields, "{definition}");

        // A name that is near nothing makes the parser list what it knows.
        let mut script = samples.iter().find(|sample| sample.pointer(place).is_some()).unwrap().clone();
        let far = "qqqqqqqqqqqqqqqqqqqqqqqq";
        match script.pointer_mut(place).unwrap() {
            // A block has one field, so the unknown one stands alone.
            block if *definition == "/$defs/block" => *block = json!({far: 1}),
            owner => owner[far] = json!(1),
        }
        let error = Script::from_json(&script).unwrap_err().to_string();
        let (_, list) = error.split_once("; there is ").unwrap_or_else(|| panic!("{error}"));
        let known: BTreeSet<String> =
            list.split(", ").map(|name| name.trim_matches('`').to_owned()).collect();
        assert_eq!(known, fields, "{definition}");
    }
}

/// One example script breaks an answer in every way there is.
#[test]
fn every_fault_has_its_example() {
    let schema = schema();
    let known: BTreeSet<&str> = schema["$defs"]["fault"]["oneOf"]
        .as_array()
        .unwrap()
        .iter()
        .map(|branch| branch["required"][0].as_str().unwrap())
        .collect();
    let script = crate::client::fixture("faults.yaml").to_json();
    let used: Vec<&str> = script["faults"]
        .as_array()
        .unwrap()
        .iter()
        .flat_map(|fault| fault.as_object().unwrap().keys())
        .map(String::as_str)
        .filter(|name| !["when", "first", "chance"].contains(name))
        .collect();
    assert_eq!(used.len(), known.len(), "each once");
    assert_eq!(used.into_iter().collect::<BTreeSet<_>>(), known);
}

/// Rules between several fields, which a schema cannot tell.
const BEYOND_SCHEMAS: [&str; 4] = ["is taken", "opens after", "the template is broken", "in each other"];

/// Values that stand somewhere in scripts or look as if they did.
fn anything() -> impl Strategy<Value = Value> {
    let plain = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        prop_oneof![Just(0_i64), Just(1), Just(2), Just(429), Just(-1), any::<i64>()].prop_map(Value::from),
        prop_oneof![Just(0.5), Just(1.5), Just(-0.5)].prop_map(Value::from),
        prop_oneof![
            "[a-z]{0,3}",
            Just("chat".to_owned()),
            Just("lf".to_owned()),
            Just("stop".to_owned()),
            Just("done".to_owned()),
            Just("/a".to_owned()),
            Just("invalid".to_owned()),
            Just("{{ user }}".to_owned()),
            Just("{{".to_owned()),
        ]
        .prop_map(Value::from),
    ];
    plain.prop_recursive(2, 8, 3, |inner| {
        let names = prop_oneof![
            "[a-z]{1,3}".boxed(),
            prop::sample::select(vec![
                "id",
                "name",
                "text",
                "when",
                "turns",
                "answer",
                "code",
                "events",
                "bytes",
                "pointer",
                "equals",
                "exists",
                "key",
                "thinking",
                "refusal",
                "tool_call",
                "status",
                "first",
                "stall_after",
                "headers",
                "arguments",
                "model",
                "user_contains",
            ])
            .prop_map(str::to_owned)
            .boxed(),
        ];
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..3).prop_map(Value::from),
            prop::collection::btree_map(names, inner, 0..3)
                .prop_map(|fields| Value::from(fields.into_iter().collect::<Map<_, _>>())),
        ]
    })
}

/// Pointers to everything in a value.
fn pointers(value: &Value, at: &str, found: &mut Vec<String>) {
    found.push(at.to_owned());
    match value {
        Value::Array(items) => {
            for (index, item) in items.iter().enumerate() {
                pointers(item, &format!("{at}/{index}"), found);
            }
        }
        Value::Object(fields) => {
            for (name, field) in fields {
                pointers(field, &format!("{at}/{}", name.replace('~', "~0").replace('/', "~1")), found);
            }
        }
        _ => {}
    }
}

#[derive(Clone, Debug)]
enum Change {
    Put(Value),
    Remove,
    Add(String, Value),
    Move(prop::sample::Index),
}

fn change() -> impl Strategy<Value = Change> {
    let name = prop::sample::select(vec![
        "id",
        "text",
        "when",
        "first",
        "status",
        "blocks",
        "structured",
        "repeat",
        "hold",
        "stream",
        "faults",
        "empty_stream",
        "equals",
        "contains",
        "exists",
        "signature",
        "headers",
        "conversations",
        "turns",
    ]);
    prop_oneof![
        anything().prop_map(Change::Put),
        Just(Change::Remove),
        (name, anything()).prop_map(|(name, value)| Change::Add(name.to_owned(), value)),
        any::<prop::sample::Index>().prop_map(Change::Move),
    ]
}

fn changed(script: &Value, at: &prop::sample::Index, change: &Change) -> Value {
    let mut all = Vec::new();
    pointers(script, "", &mut all);
    let pointer = &all[at.index(all.len())];
    let mut script = script.clone();
    match change {
        Change::Put(value) => *script.pointer_mut(pointer).unwrap() = value.clone(),
        Change::Move(from) => {
            let value = script.pointer(&all[from.index(all.len())]).unwrap().clone();
            *script.pointer_mut(pointer).unwrap() = value;
        }
        Change::Add(name, value) => {
            if let Value::Object(fields) = script.pointer_mut(pointer).unwrap() {
                fields.insert(name.clone(), value.clone());
            }
        }
        Change::Remove => {
            let Some((owner, name)) = pointer.rsplit_once('/') else { return script };
            match script.pointer_mut(owner).unwrap() {
                Value::Array(items) => drop(items.remove(name.parse().unwrap())),
                Value::Object(fields) => drop(fields.remove(name)),
                _ => {}
            }
        }
    }
    script
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1_000, failure_persistence: None, ..ProptestConfig::default() })]

    /// Scripts with one or two things changed: schema and parser think the same of them, and what the
    /// parser takes it gives back.
    #[test]
    fn schema_and_parser_think_the_same_of_what_is_changed(
        turns in any::<bool>(),
        changes in prop::collection::vec((any::<prop::sample::Index>(), change()), 1..3),
    ) {
        thread_local! {
            static READ: (Validator, Value, Value) =
                (validator(), written("every-field.json"), written("every-conversation.json"));
        }
        READ.with(|(validator, fields, conversations)| {
            let sample = if turns { fields } else { conversations };
            let script = changes.iter().fold(sample.clone(), |script, (at, change)| changed(&script, at, change));
            let by_schema: Vec<String> = validator.iter_errors(&script).map(|error| error.to_string()).collect();
            match Script::from_json(&script) {
                Ok(read) => {
                    prop_assert!(by_schema.is_empty(), "only the schema refuses {}: {:?}", script, by_schema);
                    prop_assert_eq!(Script::from_json(&read.to_json()).unwrap(), read);
                }
                Err(error) if by_schema.is_empty() => {
                    let text = error.to_string();
                    let beyond = BEYOND_SCHEMAS.iter().any(|rule| text.contains(rule));
                    prop_assert!(beyond, "only the parser refuses {}: {}", script, text);
                }
                Err(error) => prop_assert!(error.problems.iter().all(|problem| !problem.message.is_empty())),
            }
            Ok(())
        })?;
    }
}
