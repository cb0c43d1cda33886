//! Script files: what is read, what is refused, and the schema that says so too.

use std::fs;

use jsonschema::Validator;
use model::{Answer, Conditions, Script, ToolCall, Turn, script::FinishReason};
use serde_json::{Value, json};

use crate::client::{at_root, fixture, golden};

fn schema() -> Value {
    let text = fs::read_to_string(at_root("spec/control/script.schema.json")).unwrap();
    serde_json::from_str(&text).unwrap()
}

fn validator() -> Validator {
    jsonschema::draft202012::new(&schema()).unwrap()
}

fn files(folder: &str) -> Vec<String> {
    let entries = fs::read_dir(at_root(folder)).unwrap().map(|entry| entry.unwrap());
    let mut names: Vec<String> = entries
        .filter(|entry| entry.file_type().unwrap().is_file())
        .map(|entry| entry.file_name().into_string().unwrap())
        .collect();
    names.sort();
    assert!(!names.is_empty(), "nothing in {folder}");
    names
}

#[test]
fn every_script_is_read_written_and_valid() {
    let validator = validator();
    for file in files("fixtures/scripts") {
        let script = fixture(&file);
        let json = script.to_json();
        assert_eq!(Script::from_json(&json).unwrap(), script, "{file}");
        let errors: Vec<String> =
            validator.iter_errors(&json).map(|error| format!("{}: {error}", error.instance_path())).collect();
        assert_eq!(errors, [""; 0], "{file}");
    }
}

#[test]
fn a_broken_script_says_where_and_what_to_do() {
    for file in files("fixtures/scripts/broken") {
        let path = format!("fixtures/scripts/broken/{file}");
        let text = fs::read_to_string(at_root(&path)).unwrap();
        let error = Script::from_yaml(&path, &text).unwrap_err().to_string();
        golden(&format!("broken_{}", file.replace('.', "_")), &error);
    }
}

#[test]
fn a_file_that_is_not_there_is_named() {
    let error = Script::from_path("/nowhere/script.yaml").unwrap_err().to_string();
    assert!(error.starts_with("/nowhere/script.yaml: cannot be read: "), "{error}");
}

#[test]
fn json_errors_point_into_the_value() {
    let script = |turn: Value| json!({"script": 1, "name": "n", "turns": [turn]});
    let cases = [
        (
            script(json!({"id": "a", "when": {"modle": "x"}, "answer": {"text": ""}})),
            "script: /turns/0/when/modle: unknown field `modle`; did you mean `model`?",
        ),
        (
            script(json!({"id": "a", "after_arrivals": 1, "answer": {"text": ""}})),
            "script: /turns/0/after_arrivals: no gate to open; name one with `hold`",
        ),
        (script(json!({"id": "a"})), "script: /turns/0: field `answer` is missing"),
        (json!({"script": 1, "name": "n"}), "script: field `turns` is missing"),
    ];
    for (value, expected) in cases {
        assert_eq!(Script::from_json(&value).unwrap_err().to_string(), expected);
    }
}

/// What the schema refuses the parser refuses, and the other way round, as far as a schema can say it.
#[test]
fn schema_and_parser_agree() {
    let validator = validator();
    let every = fixture("every-field.json").to_json();
    for (pointer, value) in [
        ("/script", json!(2)),
        ("/name", json!("")),
        ("/name", json!(7)),
        ("/turns", json!([])),
        ("/turns/0/id", json!("a b")),
        ("/turns/0/id", json!("x".repeat(65))),
        ("/turns/0/repeat", json!("yes")),
        ("/turns/0/hold", json!("")),
        ("/turns/0/after_arrivals", json!(0)),
        ("/turns/0/after_arrivals", json!(-1)),
        ("/turns/0/when/user_contains", json!("")),
        ("/turns/0/when/user_contains", json!([1])),
        ("/turns/0/when/no_tool_results", json!(1)),
        ("/turns/0/when/json/0", json!({"pointer": "/a"})),
        ("/turns/0/when/json/0", json!({"pointer": "/a", "equals": 1, "exists": true})),
        ("/turns/0/when/json/0/pointer", json!("a")),
        ("/turns/0/answer", json!({})),
        ("/turns/0/answer", json!({"tool_calls": []})),
        ("/turns/0/answer/finish_reason", json!("done")),
        ("/turns/0/answer/usage", json!({"input_tokens": 1})),
        ("/turns/0/answer/usage/input_tokens", json!(-1)),
        ("/turns/0/answer/tool_calls/0/name", json!("")),
        ("/turns/0/answer/tool_calls/0/id", json!("")),
        ("/turns/0/answer/tool_calls/0/arguments", json!([])),
        ("/turns/0/answer/tool_calls/0", json!({"name": "n", "arguments": {}, "arguments_text": ""})),
    ] {
        let mut script = every.clone();
        *script.pointer_mut(pointer).unwrap() = value.clone();
        assert!(!validator.is_valid(&script), "the schema takes {value} at {pointer}");
        assert!(Script::from_json(&script).is_err(), "the parser takes {value} at {pointer}");
    }
    for (pointer, value) in [
        ("/turns/0/answer", json!({"text": ""})),
        ("/turns/0/answer", json!({"refusal": ""})),
        ("/turns/0/answer", json!({"tool_calls": [{"name": "n"}]})),
        ("/turns/0/when/user_contains", json!([])),
        ("/turns/0/when/json/0/pointer", json!("")),
        ("/turns/0/when", json!({})),
    ] {
        let mut script = every.clone();
        *script.pointer_mut(pointer).unwrap() = value.clone();
        assert!(validator.is_valid(&script), "the schema refuses {value} at {pointer}");
        assert!(Script::from_json(&script).is_ok(), "the parser refuses {value} at {pointer}");
    }
}

/// One script holds every field of the schema; the parser keeps each of them and knows no other.
#[test]
fn schema_and_parser_know_the_same_fields() {
    let schema = schema();
    let text = fs::read_to_string(at_root("fixtures/scripts/every-field.json")).unwrap();
    let written: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(Script::from_json(&written).unwrap().to_json(), written, "a field is lost");

    let objects = [
        ("", "", vec![""]),
        ("/$defs/turn", "/turns/0", vec!["/turns/0"]),
        ("/$defs/conditions", "/turns/0/when", vec!["/turns/0/when"]),
        (
            "/$defs/json_condition",
            "/turns/0/when/json/0",
            vec!["/turns/0/when/json/0", "/turns/0/when/json/1"],
        ),
        ("/$defs/answer", "/turns/0/answer", vec!["/turns/0/answer"]),
        (
            "/$defs/tool_call",
            "/turns/0/answer/tool_calls/0",
            vec!["/turns/0/answer/tool_calls/0", "/turns/0/answer/tool_calls/1"],
        ),
        ("/$defs/usage", "/turns/0/answer/usage", vec!["/turns/0/answer/usage"]),
    ];
    let typed = schema["$defs"].as_object().unwrap().values().filter(|def| def["type"] == "object").count();
    assert_eq!(typed + 1, objects.len(), "an object of the schema is not looked at");
    for (definition, place, samples) in objects {
        let keys = |value: &Value| value.as_object().unwrap().keys().cloned().collect::<Vec<_>>();
        let fields = keys(&schema.pointer(definition).unwrap()["properties"]);
        let mut used: Vec<String> =
            samples.iter().flat_map(|sample| keys(written.pointer(sample).unwrap())).collect();
        used.sort();
        used.dedup();
        assert_eq!(used, fields, "{definition}");

        // A name that is near nothing makes the parser list what it knows.
        let mut script = written.clone();
        script.pointer_mut(place).unwrap()["qqqqqqqqqqqqqqqqqqqqqqqq"] = json!(1);
        let error = Script::from_json(&script).unwrap_err().to_string();
        let (_, list) = error.split_once("; there is ").unwrap_or_else(|| panic!("{error}"));
        let mut known: Vec<String> = list.split(", ").map(|name| name.trim_matches('`').to_owned()).collect();
        known.sort();
        assert_eq!(known, fields, "{definition}");
    }
}

#[test]
fn the_builder_says_what_a_file_says() {
    let built = Script::new(
        "every-field",
        [Turn::new(
            "every-field",
            Answer::new()
                .text("text")
                .call(ToolCall::new(
                    "call_1",
                    "read",
                    json!({"path": "a/b", "depth": 2, "deep": {"list": [true, null, 1.5]}}),
                ))
                .call(ToolCall::with_text("call_2", "read", "{\"path\": "))
                .finish_reason(FinishReason::ContentFilter)
                .usage(1, 2)
                .refusal("no"),
        )
        .when(
            Conditions::new()
                .system_contains("a")
                .user_contains("b")
                .user_contains("c")
                .last_contains("d")
                .tool_offered("e")
                .tool_result_for("f")
                .tool_result_for("g")
                .has_tool_results()
                .model("gpt-x")
                .json_equals("/temperature", Value::Null)
                .json_exists("/seed", false),
        )
        .expect(Conditions::new().last_contains("emoji 🦀"))
        .repeat()
        .hold("gate")
        .after_arrivals(2)],
    );
    assert_eq!(built.unwrap(), fixture("every-field.json"));
    let refused = Script::new("n", [Turn::new("a", Answer::new())]).unwrap_err().to_string();
    assert!(refused.starts_with("script: /turns/0/answer: the answer says nothing; "), "{refused}");
}

#[test]
fn yaml_does_not_guess() {
    let yaml = "script: 1\nname: n\nturns:\n  - id: a\n    answer:\n      text: no\n      tool_calls:\n        \
                - {name: f, arguments: {country: NO, sku: 007, on: off, big: 1_000, n: 7, yes: true, none: null}}\n";
    let script = Script::from_yaml("n", yaml).unwrap();
    let answer = &script.turns()[0].answer;
    assert_eq!(answer.text.as_deref(), Some("no"));
    let arguments = answer.tool_calls[0].arguments.clone().unwrap();
    let expected = json!({"country": "NO", "sku": "007", "on": "off", "big": "1_000", "n": 7, "yes": true, "none": null});
    assert_eq!(arguments, expected);
}
