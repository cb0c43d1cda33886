//! Scripts that are wrong: each mistake is told with its place and the way out, and nothing is too wrong
//! to be told.

use std::fs;

use model::Script;
use serde_json::{Value, json};
use wire::clock::Stopwatch;

use crate::{
    client::{at_root, golden},
    scripts::files,
};

const BROKEN: &str = "fixtures/scripts/broken";

/// The errors of a file, named as it is named in the repository.
fn error_of(file: &str) -> model::ScriptError {
    let path = format!("{BROKEN}/{file}");
    Script::from_bytes(&path, &fs::read(at_root(&path)).unwrap()).unwrap_err()
}

#[test]
fn a_broken_script_says_where_and_what_to_do() {
    for file in files(BROKEN) {
        golden(&format!("broken_{}", file.replace('.', "_")), &error_of(&file).to_string());
    }
}

#[test]
fn every_message_is_one_line_with_a_place() {
    for file in files(BROKEN) {
        let error = error_of(&file);
        let text = error.to_string();
        assert_eq!(text.lines().count(), error.problems.len(), "{text}");
        for problem in &error.problems {
            assert!(problem.position.is_some(), "{problem}");
            assert!(!problem.message.is_empty() && problem.fix.as_deref() != Some(""), "{problem}");
            let mut words = text.split(|letter: char| !letter.is_ascii_alphanumeric());
            let own = [
                "serde",
                "deserialize",
                "struct",
                "enum",
                "variant",
                "tuple",
                "u32",
                "u16",
                "scalar",
                "budget",
            ];
            let foreign = words.find(|word| own.contains(word));
            assert_eq!(foreign, None, "a word of the reader's own: {problem}");
        }
    }
}

#[test]
fn the_place_is_right_after_a_byte_order_mark_and_in_lines_of_any_letters() {
    let text =
        "\u{feff}script: 1\nname: \"żółw 🦀\"\nturns:\n  - {id: \"🦀\", wehn: {}, answer: {text: hi}}\n";
    let expected = "s.yaml:4:15: /turns/0/wehn: unknown field `wehn`; did you mean `when`?";
    for told in [Script::from_yaml("s.yaml", text), Script::from_bytes("s.yaml", text.as_bytes())] {
        assert_eq!(told.unwrap_err().to_string(), expected);
    }
    let json = "{\"script\": 1, \"name\": \"żółw 🦀\", \"turns\" []}";
    let told = Script::from_yaml("s.json", json).unwrap_err().to_string();
    assert_eq!(told, "s.json:1:41: `:` belongs here");
}

/// A script of one turn that answers this value.
fn answering(value: &str) -> String {
    format!("script: 1\nname: n\nturns:\n  - id: a\n    answer:\n      structured: {value}\n")
}

/// Runs with the stack of a worker thread: none of it may be eaten by what a text says.
fn refused_quickly(text: &str) -> String {
    let text = text.to_owned();
    let run = move || {
        let watch = Stopwatch::start();
        let error = Script::from_yaml("bomb", &text).unwrap_err().to_string();
        (error, watch.elapsed_ms())
    };
    let (error, ms) = std::thread::Builder::new().stack_size(2 << 20).spawn(run).unwrap().join().unwrap();
    assert!(ms < 5_000, "{ms} ms: {error}");
    assert!(error.starts_with("bomb:"), "{error}");
    assert!(error.len() < 1_000, "{} bytes", error.len());
    error
}

#[test]
fn a_hundred_thousand_levels_are_no_crash() {
    let levels = 100_000;
    let mut blocks = String::from("script: 1\nname: n\nturns:\n  - id: a\n    answer:\n      structured:\n");
    for level in 0..2_000 {
        blocks.push_str(&" ".repeat(8 + level));
        blocks.push_str("-\n");
    }
    let deep = [
        answering(&"[".repeat(levels)),
        answering(&format!("{}{}", "[".repeat(levels), "]".repeat(levels))),
        answering(&"{a: ".repeat(levels)),
        answering(&format!("{}{}", "{a: ".repeat(levels), "}".repeat(levels))),
        answering(&"- ".repeat(levels)),
        answering(&"? ".repeat(levels)),
        "[".repeat(levels),
        "{\"a\":".repeat(levels),
        "- ".repeat(levels),
        format!("{{\"script\": 1, \"name\": \"n\", \"turns\": {}", "[".repeat(levels)),
        blocks,
    ];
    for text in deep {
        refused_quickly(&text);
    }
    let told = refused_quickly(&answering(&format!("{}{}", "[".repeat(100), "]".repeat(100))));
    assert!(told.ends_with("values stand more than 64 deep in each other; make it flatter"), "{told}");
}

#[test]
fn aliases_that_multiply_are_no_bomb() {
    let mut laughs = String::from("\n        a: &a [x, x, x, x, x, x, x, x, x, x]\n");
    for (before, name) in ('a'..='y').zip('b'..='z') {
        let list = vec![format!("*{before}"); 10].join(", ");
        laughs.push_str(&format!("        {name}: &{name} [{list}]\n"));
    }
    let told = refused_quickly(&answering(&laughs));
    assert!(told.contains("aliases unfold into more than"), "{told}");

    // However aliases are put together, a kilobyte is told about at once.
    for (letters, times) in [('y', 10), ('y', 2), ('e', 50), ('c', 200)] {
        let mut laughs = String::from("\n        a: &a [x, x, x, x]\n");
        for (before, name) in ('a'..=letters).zip('b'..) {
            laughs.push_str(&format!(
                "        {name}: &{name} [{}]\n",
                vec![format!("*{before}"); times].join(",")
            ));
        }
        let watch = Stopwatch::start();
        let told = Script::from_yaml("laughs", &answering(&laughs)).unwrap_err().to_string();
        let ms = watch.elapsed_ms();
        assert!(told.contains("aliases unfold into more than 1"), "{told}");
        // A few milliseconds; the machine may be busy, and this may not be optimised.
        assert!(ms < 400, "{ms} ms for {} bytes", laughs.len());
    }

    // The same as mappings that are merged, and a long text that is said again and again.
    let mut merges = String::from("\n        a: &a {k: v}\n");
    for (before, name) in ('a'..='y').zip('b'..='z') {
        merges.push_str(&format!(
            "        {name}: &{name} {{<<: [*{before}, *{before}], {name}: [*{before}, *{before}]}}\n"
        ));
    }
    refused_quickly(&answering(&merges));
    let list = "*a, ".repeat(300_000);
    refused_quickly(&answering(&format!("[&a {}, {list}]", "x".repeat(1_000))));
}

#[test]
fn a_script_that_is_wrong_in_ten_thousand_places_is_told_about_in_time() {
    let turn = |number: usize| format!("  - {{id: 'no id {number}', answer: {{text: hi}}}}\n");
    let text = format!("script: 1\nname: n\nturns:\n{}", (0..10_000).map(turn).collect::<String>());
    let watch = Stopwatch::start();
    let error = Script::from_yaml("many", &text).unwrap_err();
    assert_eq!(error.problems.len(), 10_000);
    assert_eq!(error.problems[9_999].position, Some((10_003, 6)));
    assert!(watch.elapsed_ms() < 10_000, "{} ms", watch.elapsed_ms());
}

#[test]
fn a_value_that_is_no_script_is_told_about_without_a_text() {
    for value in
        [json!(null), json!([]), json!("script"), json!({}), json!({"script": -1}), json!({"script": 1.5})]
    {
        let error = Script::from_json(&value).unwrap_err();
        assert!(error.to_string().starts_with("script: "), "{error}");
        assert!(error.problems.iter().all(|problem| problem.position.is_none()), "{error}");
    }
    let mut deep = Value::Null;
    for _ in 0..100 {
        deep = json!([deep]);
    }
    let script = |answer: Value| json!({"script": 1, "name": "n", "turns": [{"id": "a", "answer": answer}]});
    assert!(Script::from_json(&script(json!({"structured": deep}))).is_ok(), "a value has its depth already");
    let error = Script::from_json(&script(json!({"structured": deep, "txt": ""}))).unwrap_err().to_string();
    assert!(error.contains("txt"), "{error}");
}
