//! Script files: what is read and how, and what is built without a file.

use std::fs;

use model::{
    Answer, Conditions, Conversation, Fault, Script, ToolCall, Turn,
    script::{Block, FinishReason, Role, Stream, WireName},
};
use serde_json::{Value, json};

use crate::{client::at_root, schema::validator};

pub(crate) fn files(folder: &str) -> Vec<String> {
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
    for folder in ["fixtures/scripts", "fixtures/scripts/clients"] {
        for file in files(folder) {
            let script =
                Script::from_path(at_root(folder).join(&file)).unwrap_or_else(|error| panic!("{error}"));
            let json = script.to_json();
            assert_eq!(Script::from_json(&json).unwrap(), script, "{file}");
            let errors: Vec<String> = validator
                .iter_errors(&json)
                .map(|error| format!("{}: {error}", error.instance_path()))
                .collect();
            assert_eq!(errors, [""; 0], "{file}");
        }
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
        (script(json!({"id": "a"})), "script: /turns/0: field `answer` is missing; add it"),
        (
            json!({"script": 1, "name": "n"}),
            "script: /turns: there is no turn; give at least one, or `conversations` of them",
        ),
    ];
    for (value, expected) in cases {
        assert_eq!(Script::from_json(&value).unwrap_err().to_string(), expected);
    }
}

#[test]
fn the_builder_says_what_a_file_says() {
    let conditions = Conditions::new()
        .system_contains("a")
        .user_contains("b")
        .user_contains("c")
        .last_user_contains("c")
        .last_contains("d")
        .last_role(Role::Tool)
        .tool_offered("e")
        .tool_result_for("f")
        .tool_result_contains("g")
        .has_tool_results()
        .model("gpt-x")
        .wire(WireName::Chat)
        .stream(false)
        .header_equals("x-team", "red")
        .header_contains("anthropic-beta", "thinking")
        .json_equals("/temperature", Value::Null)
        .json_exists("/seed", false);
    let answer = Answer::new()
        .thinking("hm")
        .text("text")
        .call(ToolCall::new("call_1", "read", json!({"path": "a/b"})))
        .call(ToolCall::with_text("call_2", "read", "{\"path\": "))
        .finish_reason(FinishReason::ContentFilter)
        .usage(1, 2)
        .refusal("no");
    let turn = Turn::new("a", answer)
        .when(conditions)
        .expect(Conditions::new().last_contains("emoji 🦀"))
        .repeat()
        .hold("gate")
        .after_arrivals(2)
        .stream(Stream { piece_chars: Some(4), ..Stream::default() })
        .fault(Fault { empty_stream: true, ..Fault::new().first(1) });
    let blocks = Answer::new().block(Block::Text("hi".into())).block(Block::Refusal("no".into())).template();
    let conversations = [
        Conversation::new("one", [turn]).key("word").when(Conditions::new().model("gpt-x")),
        Conversation::new(
            "two",
            [Turn::new("b", blocks), Turn::new("c", Answer::new().structured(json!([1])))],
        ),
    ];
    let built = Script::of_conversations("built", conversations).unwrap();
    let built = built.with_faults([Fault { status: Some(500.into()), ..Fault::new() }]).unwrap();
    let written = "
        script: 1
        name: built
        faults: [{status: 500}]
        conversations:
          - id: one
            key: word
            when: {model: gpt-x}
            turns:
              - id: a
                when: {system_contains: a, user_contains: [b, c], last_user_contains: c, last_contains: d, last_role: tool, tool_offered: e,
                  tool_result_for: f, tool_result_contains: g, no_tool_results: false, model: gpt-x, wire: chat,
                  stream: false, header: [{name: x-team, equals: red}, {name: anthropic-beta, contains: thinking}],
                  json: [{pointer: /temperature, equals: null}, {pointer: /seed, exists: false}]}
                expect: {last_contains: emoji 🦀}
                repeat: true
                hold: gate
                after_arrivals: 2
                stream: {piece_chars: 4}
                faults: [{first: 1, empty_stream: true}]
                answer:
                  thinking: hm
                  text: text
                  tool_calls:
                    - {id: call_1, name: read, arguments: {path: a/b}}
                    - {id: call_2, name: read, arguments_text: '{\"path\": '}
                  finish_reason: content_filter
                  usage: {input_tokens: 1, output_tokens: 2}
                  refusal: no
          - id: two
            turns:
              - {id: b, answer: {template: true, blocks: [{text: hi}, {refusal: no}]}}
              - {id: c, answer: {structured: [1]}}
    ";
    assert_eq!(built, Script::from_yaml("built", written).unwrap_or_else(|error| panic!("{error}")));
    let refused = Script::new("n", [Turn::new("a", Answer::new())]).unwrap_err().to_string();
    assert!(refused.starts_with("script: /turns/0/answer: the answer says nothing; "), "{refused}");
}

#[test]
fn yaml_does_not_guess() {
    let yaml = "script: 1\nname: n\nturns:\n  - id: a\n    answer:\n      text: no\n      tool_calls:\n        \
                - {name: f, arguments: {country: NO, sku: 007, on: off, big: 1_000, n: 7, yes: true, none: null}}\n";
    let script = Script::from_yaml("n", yaml).unwrap();
    let answer = &script.turns().next().unwrap().answer;
    assert_eq!(answer.text.as_deref(), Some("no"));
    let arguments = answer.tool_calls[0].arguments.clone().unwrap();
    let expected = json!({"country": "NO", "sku": "007", "on": "off", "big": "1_000", "n": 7, "yes": true, "none": null});
    assert_eq!(arguments, expected);
}

#[test]
fn json_is_read_as_far_as_yaml_is() {
    let turn = json!({"id": "a", "answer": {"text": "\u{1f980} \u{7} \"\\", "structured": {"a/b~c": null, "": [0.1, -0]}}});
    let value = json!({"script": 1, "name": "n", "turns": [turn]});
    let script = Script::from_json(&value).unwrap();
    for text in [
        value.to_string(),
        format!("{value:#}"),
        format!("\u{feff}{value}"),
        value.to_string().replace("}]", "},]"),
    ] {
        assert_eq!(Script::from_yaml("n", &text).unwrap(), script, "{text}");
        assert_eq!(Script::from_bytes("n", text.as_bytes()).unwrap(), script, "{text}");
    }
}

#[test]
fn anchors_and_merges_say_the_same_once() {
    let yaml = "script: 1\nname: n\nturns:\n  - &first\n    id: a\n    when: &usual {user_contains: hi}\n    \
                answer: {text: hi}\n  - <<: *first\n    id: b\n  - {id: c, when: *usual, answer: {text: c}}\n";
    let script = Script::from_yaml("n", yaml).unwrap_or_else(|error| panic!("{error}"));
    let whens: Vec<_> = script.turns().map(|turn| (turn.id.clone(), turn.when.clone())).collect();
    let usual = || Conditions::new().user_contains("hi");
    assert_eq!(whens, [("a".into(), usual()), ("b".into(), usual()), ("c".into(), usual())]);
}

/// Nobody knows the budget of the reader's defaults, and ten thousand conversations are few.
#[test]
fn a_large_script_is_read() {
    let turn = json!({"id": "a", "when": {"no_tool_results": true}, "answer": {"tool_calls": [{"name": "read", "arguments": {"path": "a"}}]}});
    let conversation =
        |number: usize| json!({"id": format!("c{number}"), "key": format!("k{number}"), "turns": [turn]});
    let value =
        json!({"script": 1, "name": "n", "conversations": (0..20_000).map(conversation).collect::<Vec<_>>()});
    let script = Script::from_yaml("n", &value.to_string()).unwrap();
    assert_eq!(script.turns().len(), 20_000);
}
