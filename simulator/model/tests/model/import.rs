//! Files of other tools: what becomes of them, and what they answer then.

use std::{fmt::Display, fs};

use model::import::{self, Format, ImportError, Imported, aimock, fakellm};
use serde_json::{Value, json};
use wire::http::Request;

use crate::client::{World, at_root, golden, json_of, user};

type Import = fn(&str, &str) -> Result<Imported, ImportError>;

fn imported(file: &str, import: Import) -> Result<Imported, ImportError> {
    let text = fs::read_to_string(at_root("fixtures/imports").join(file)).unwrap();
    import(&text, &format!("fixtures/imports/{file}"))
}

fn lines<T: Display>(items: &[T]) -> String {
    items.iter().map(|item| format!("{item}\n")).collect()
}

#[test]
fn a_file_becomes_a_script_and_what_is_lost_is_named() {
    for (file, import) in [("aimock.json", aimock as Import), ("fakellm.yaml", fakellm)] {
        let Imported { script, notes } = imported(file, import).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(model::Script::from_json(&script.to_json()).unwrap(), script);
        let name = file.split('.').next().unwrap();
        assert_eq!(script.name(), name);
        golden(&format!("import_{name}_script"), &format!("{:#}", script.to_json()));
        golden(&format!("import_{name}_notes"), &lines(&notes));
    }
}

#[test]
fn a_broken_file_says_where_and_what_to_do() {
    for (file, import) in [("aimock-broken.json", aimock as Import), ("fakellm-broken.yaml", fakellm)] {
        let error = imported(file, import).unwrap_err();
        golden(&format!("import_{}", file.split('.').next().unwrap().replace('-', "_")), &error.to_string());
    }
}

#[test]
fn whatever_is_no_such_file_is_refused_with_a_way_out() {
    let cases = [
        ("{", "f.json:1:"),
        ("[]", "there is no list `fixtures`"),
        ("{\"fixtures\": 3}", "/fixtures: the number 3 stands where a list belongs"),
        ("{\"fixtures\": []}", "nothing in it can be imported"),
        (
            "{\"fixtures\": [{\"match\": {\"endpoint\": \"image\"}, \"response\": {}}]}",
            "the endpoint `image`",
        ),
    ];
    for (text, expected) in cases {
        let error = aimock(text, "f.json").unwrap_err().to_string();
        assert!(error.starts_with("f.json") && error.contains(expected), "{text}: {error}");
    }
    let error = fakellm("rules: [", "f.yaml").unwrap_err().to_string();
    assert!(error.starts_with("f.yaml:1:"), "{error}");
    let error = fakellm("version: 1", "f.yaml").unwrap_err().to_string();
    assert!(error.contains("there is no list `rules`; give a rule file"), "{error}");
}

#[test]
fn the_format_is_seen_in_the_file() {
    let file = |name: &str| at_root("fixtures").join(name);
    let found = |name: &str| import::file(&file(name), None);
    assert_eq!(found("imports/aimock.json").unwrap().script.name(), "aimock");
    assert_eq!(found("imports/fakellm.yaml").unwrap().script.name(), "fakellm");
    let error = found("scripts/hello.yaml").unwrap_err().to_string();
    assert!(error.ends_with("this is a script already; use it as it stands"), "{error}");
    let error = found("imports/nothing.json").unwrap_err().to_string();
    assert!(error.contains("nothing.json: cannot be read: "), "{error}");
    let error = import::file(&file("imports/aimock.json"), Some(Format::FakeLlm)).unwrap_err().to_string();
    assert!(error.contains("there is no list `rules`"), "{error}");
    assert_eq!(Format::of_word("fakellm"), Ok(Format::FakeLlm));
    assert!(Format::of_word("fakelm").unwrap_err().ends_with("did you mean `fakellm`?"));
}

/// The text of the answer to a request, or the status of an error.
async fn said(world: &World, body: &Value) -> Value {
    let response = world.ask("default", body).await;
    match response.status {
        200 => json_of(&response)["choices"][0]["message"]["content"].clone(),
        status => status.into(),
    }
}

async fn playing(script: model::Script) -> World {
    let world = World::new().await;
    world.host.load(model::DEFAULT_SESSION, script);
    world
}

#[tokio::test(start_paused = true)]
async fn the_first_fixture_that_holds_answers_as_often_as_it_holds() {
    let world = playing(imported("aimock.json", aimock).unwrap().script).await;
    let crates = json!({"model": "m", "messages": [
        {"role": "user", "content": "the manifest, please"},
        {"role": "assistant", "content": null, "tool_calls": [
            {"id": "m1", "type": "function", "function": {"name": "read_manifest", "arguments": "{}"}},
        ]},
        {"role": "tool", "tool_call_id": "m1", "content": "12 crates of oranges"},
    ]});
    for _ in 0..2 {
        assert_eq!(said(&world, &user("who is there?", &[])).await, "Ahoy.");
        assert_eq!(said(&world, &crates).await, "Twelve crates.");
    }
    // The last user message decides, and no earlier one.
    let mut later = crates;
    later["messages"].as_array_mut().unwrap().extend([
        json!({"role": "assistant", "content": "Twelve crates."}),
        json!({"role": "user", "content": "thanks"}),
    ]);
    assert_eq!(said(&world, &later).await, "Ahoy.");
}

#[tokio::test(start_paused = true)]
async fn numbered_fixtures_answer_one_after_the_other() {
    let world = playing(imported("aimock.json", aimock).unwrap().script).await;
    let asked = user("is a berth free?", &[]);
    let mut answers = Vec::new();
    for _ in 0..4 {
        answers.push(said(&world, &asked).await);
    }
    let free = json!("{\"berth\":7,\"free\":true}");
    assert_eq!(answers, [json!(529), json!("Berth 7 is free again."), free.clone(), free]);

    let mut tug = user("say something", &[]);
    tug["model"] = json!("tug-1");
    assert_eq!(said(&world, &tug).await, "The first word of the tug.");
    assert_eq!(said(&world, &tug).await, "The second word of the tug.");
}

#[tokio::test(start_paused = true)]
async fn the_ids_of_calls_are_valid_and_their_results_are_found() {
    let world = playing(imported("aimock.json", aimock).unwrap().script).await;
    let mut first = user("tides at the port of Gdynia", &["tide_table"]);
    first["messages"]
        .as_array_mut()
        .unwrap()
        .insert(0, json!({"role": "system", "content": "harbour pilot"}));
    let message = json_of(&world.ask("default", &first).await)["choices"][0]["message"].clone();
    let ids: Vec<&str> =
        message["tool_calls"].as_array().unwrap().iter().map(|call| call["id"].as_str().unwrap()).collect();
    assert_eq!(ids, ["call_tide_1", "call_tide_1_2"]);
    let results: Vec<Value> =
        ids.iter().map(|id| json!({"role": "tool", "tool_call_id": id, "content": "14:20"})).collect();
    let messages = first["messages"].as_array_mut().unwrap();
    messages.push(message);
    messages.extend(results);
    assert_eq!(said(&world, &first).await, "High water at 14:20.");
}

#[tokio::test(start_paused = true)]
async fn rules_answer_by_turn_header_and_model() {
    let world = playing(imported("fakellm.yaml", fakellm).unwrap().script).await;
    let first = user("load the lorry", &["weigh"]);
    let calls = json_of(&world.ask("default", &first).await)["choices"][0]["message"]["tool_calls"].clone();
    let arguments: Vec<&Value> =
        calls.as_array().unwrap().iter().map(|call| &call["function"]["arguments"]).collect();
    assert_eq!(arguments, ["{\"axle\":2,\"unit\":\"kg\"}", "{\"axle\": 3"]);
    let mut second = first;
    let messages = second["messages"].as_array_mut().unwrap();
    messages.push(json!({"role": "assistant", "content": null, "tool_calls": calls}));
    messages.extend(
        calls.as_array().unwrap().iter().map(
            |call| json!({"role": "tool", "tool_call_id": call["id"], "content": "there are 40 pallets"}),
        ),
    );
    assert_eq!(said(&world, &second).await, "All 40 pallets fit.");

    let jam = Request::new("POST", "/v1/chat/completions").header("X-Test-Scenario", "rate_limit");
    let refused = world.send(jam.json(user("hi", &[]).to_string())).await;
    assert_eq!(refused.status, 429);
    assert_eq!(json_of(&refused)["error"]["message"], "Too many lorries");
    assert_eq!(said(&world, &user("which gate?", &[])).await, "Gate 4.");
    assert_eq!(said(&world, &user("hello", &[])).await, "[mock response for gpt-x]");
}

/// What fakellm passes over is named, wherever it stands in an answer.
#[test]
fn no_field_of_an_answer_vanishes_without_a_note() {
    for (respond, told) in [
        ("{content: hi, mood: good}", "fakellm has no `mood` in an answer"),
        ("{error: {status: 500, message: bad}}", "`error` counts only beside a `status` of 400 or more"),
        ("{status: 200, error: bad, content: hi}", "`error` counts only beside a `status` of 400 or more"),
        ("{tool_calls: [{name: read, argument: {a: 1}}]}", "fakellm has no `argument` in a call"),
        ("{status: 500, content: hi}", "`content` beside an error is never said"),
    ] {
        let text = format!("version: 1\nrules:\n  - {{name: a, respond: {respond}}}\n");
        let notes = lines(&fakellm(&text, "f.yaml").unwrap().notes);
        assert!(notes.contains(told), "{respond}: {notes}");
    }
}
