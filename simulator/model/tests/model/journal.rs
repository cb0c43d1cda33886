//! The journal, sessions, gates and expectations over HTTP.

use std::{fs, time::Duration};

use jsonschema::{Registry, Validator};
use model::{AssertError, Expectations};
use serde_json::{Value, json};
use wire::http::{Request, Response};

use crate::client::{World, at_root, header, json_of, user};

/// A world whose session `k` has been asked five times: answered, missed, refused, broken, and again.
async fn asked() -> World {
    let world = World::new().await;
    let turns = json!([
        {"id": "one", "when": {"user_contains": "one"}, "answer": {"text": "1"}},
        {"id": "two", "when": {"user_contains": "two"}, "answer": {"text": "2"},
         "faults": [{"first": 1, "status": 503}]},
        {"id": "three", "when": {"user_contains": "three"}, "answer": {"text": "3"}},
    ]);
    let script = json!({"script": 1, "name": "journal", "conversations": [{"id": "c", "turns": turns}]});
    world.host.load_json("k", &script).unwrap();
    world.ask("k", &user("one", &[])).await;
    world.ask("k", &user("nothing", &[])).await;
    world.ask("k", &json!({"model": "m"})).await;
    world.ask("k", &user("two", &[])).await;
    world.ask("k", &user("two", &[])).await;
    world
}

async fn get(world: &World, path: &str) -> Response {
    world.send(Request::new("GET", path)).await
}

fn sequences(journal: &Value) -> Vec<u64> {
    journal["entries"].as_array().unwrap().iter().map(|entry| entry["sequence"].as_u64().unwrap()).collect()
}

#[tokio::test(start_paused = true)]
async fn entries_are_chosen_by_what_is_asked_for() {
    let world = asked().await;
    world.ask("other", &user("x", &[])).await;
    for (query, expected) in [
        ("", vec![1, 2, 3, 4, 5]),
        ("?since=3", vec![4, 5]),
        ("?limit=2", vec![1, 2]),
        ("?since=1&limit=2", vec![2, 3]),
        ("?outcome=answered", vec![1, 5]),
        ("?outcome=broken", vec![4]),
        ("?outcome=missed", vec![2]),
        ("?outcome=rejected", vec![3]),
        ("?outcome=pending", vec![]),
        ("?turn=c/two", vec![4, 5]),
        ("?turn=c%2Ftwo&outcome=answered", vec![5]),
        ("?wire=chat", vec![1, 2, 3, 4, 5]),
        ("?wire=messages&format=json", vec![]),
    ] {
        let response = get(&world, &format!("/_model/sessions/k/journal{query}")).await;
        assert_eq!(header(&response, "content-type"), Some("application/json"), "{query}");
        let journal = json_of(&response);
        assert_eq!(sequences(&journal), expected, "{query}");
        assert_eq!((&journal["session"], &journal["unused_turns"]), (&json!("k"), &json!(["c/three"])));
        let next =
            if query.contains("limit") { journal["entries"][1]["sequence"].clone() } else { Value::Null };
        assert_eq!(journal["next_since"], next, "{query}");
    }
    let all = json_of(&get(&world, "/_model/journal?since=4").await);
    assert_eq!((sequences(&all), &all["session"]), (vec![5, 6], &Value::Null));
    assert_eq!(get(&world, "/_model/sessions/nobody/journal").await.status, 404);
}

#[tokio::test(start_paused = true)]
async fn an_entry_of_a_part_is_told_as_it_is_in_the_whole() {
    let world = asked().await;
    let whole = serde_json::to_value(world.host.journal("k")).unwrap();
    let part = json_of(&get(&world, "/_model/sessions/k/journal?since=1&limit=1").await);
    assert_eq!(part["entries"][0], whole[1]);
    assert_eq!(part["entries"][0]["passed_over"][0]["used_by"], 1, "what came before is known");
}

#[tokio::test(start_paused = true)]
async fn a_parameter_that_cannot_be_understood_is_named() {
    let world = asked().await;
    for (query, parameter, message) in [
        ("since=x", "since", "`since` takes a sequence number, 0 or more; `x` is none"),
        ("since=-1", "since", "0 or more; `-1` is none"),
        ("limit=0", "limit", "`limit` takes a number of entries, 1 or more; `0` is none"),
        (
            "outcome=lost",
            "outcome",
            "`outcome` takes one of pending, answered, broken, missed, rejected, dropped, served",
        ),
        ("wire=smoke", "wire", "`wire` takes one of chat, responses, messages; `smoke` is none"),
        ("format=xml", "format", "`format` takes one of json, jsonl, har; `xml` is none"),
        ("turn=c/tow", "turn", "which has no `c/tow`; did you mean `c/two`?"),
        ("outcomes=broken", "outcomes", "there is no parameter `outcomes`; did you mean `outcome`?"),
        ("limit=1&limit=2", "limit", "`limit` is given twice"),
    ] {
        for path in ["/_model/sessions/k/journal", "/_model/journal"] {
            let response = get(&world, &format!("{path}?{query}")).await;
            if parameter == "turn" && path == "/_model/journal" {
                assert_eq!(sequences(&json_of(&response)), [0; 0], "scripts of other sessions may have it");
                continue;
            }
            let error = json_of(&response)["error"].clone();
            assert_eq!((response.status, &error["parameter"]), (400, &json!(parameter)), "{query}");
            assert!(error["message"].as_str().unwrap().contains(message), "{query}: {error}");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn sessions_are_listed_and_begin_again() {
    let world = asked().await;
    let script = json!({"script": 1, "name": "n", "turns": [{"id": "a", "answer": {"text": ""}}]});
    world.host.load_json("b", &script).unwrap();
    let list = json!({"sessions": [
        {"key": "b", "script": "n", "turns": 1, "unused": 1, "requests": 0},
        {"key": "k", "script": "journal", "turns": 3, "unused": 1, "requests": 5},
    ]});
    assert_eq!(json_of(&get(&world, "/_model/sessions").await), list);
    let reset = world.send(Request::new("POST", "/_model/sessions/k/reset")).await;
    assert_eq!((reset.status, json_of(&reset)), (200, json!({"session": "k", "turns": 3})));
    let list = json_of(&get(&world, "/_model/sessions").await);
    assert_eq!(
        list["sessions"][1],
        json!({"key": "k", "script": "journal", "turns": 3, "unused": 3, "requests": 0})
    );
    assert_eq!(world.ask("k", &user("one", &[])).await.status, 200);
    assert_eq!(world.send(Request::new("POST", "/_model/sessions/nobody/reset")).await.status, 404);
}

#[tokio::test(start_paused = true)]
async fn gates_are_looked_at_and_waited_for() {
    let world = World::new().await;
    let turn = |id: &str, gate: &str| json!({"id": id, "hold": gate, "when": {"user_contains": id}, "answer": {"text": id}});
    let turns = [turn("a", "left"), turn("b", "left"), turn("c", "right")];
    world.host.load_json("k", &json!({"script": 1, "name": "gates", "turns": turns})).unwrap();
    let post = |path: &str| Request::new("POST", format!("/_model/sessions/k/gates/{path}"));
    let (a, b) = (user("a", &[]), user("b", &[]));
    tokio::join!(world.ask("k", &a), world.ask("k", &b), async {
        let waited = world.send(post("left/wait?count=2&within_ms=1000")).await;
        assert_eq!((waited.status, json_of(&waited)), (200, json!({"gate": "left", "held": 2})));
        let gates = json_of(&get(&world, "/_model/sessions/k/gates").await);
        let left = json!({"name": "left", "held": 2, "most_held": 2, "open": false});
        let right = json!({"name": "right", "held": 0, "most_held": 0, "open": false});
        assert_eq!(gates, json!({"session": "k", "gates": [left, right]}));
        world.send(post("left/release")).await;
    });
    let gates = json_of(&get(&world, "/_model/sessions/k/gates").await);
    assert_eq!(gates["gates"][0], json!({"name": "left", "held": 0, "most_held": 2, "open": true}));

    let before = world.clock.elapsed();
    let late = world.send(post("right/wait?within_ms=1500")).await;
    assert_eq!(world.clock.elapsed() - before, Duration::from_millis(1500));
    assert_eq!((late.status, &json_of(&late)["held"]), (409, &json!(0)));
    assert_eq!(json_of(&late)["error"]["message"], "gate `right` holds 0 of 1 requests after 1500 ms");
    for (path, status, message) in [
        ("lift/wait", 404, "did you mean `left`?"),
        ("left/wait?count=0", 400, "`count` takes a number of requests, 1 or more"),
        ("left/wait?within_ms=600001", 400, "milliseconds, from 0 to 600000"),
        ("left/wait?counts=1", 400, "did you mean `count`?"),
    ] {
        let response = world.send(post(path)).await;
        assert_eq!(response.status, status, "{path}");
        let told = json_of(&response)["error"]["message"].clone();
        assert!(told.as_str().unwrap().contains(message), "{path}: {told}");
    }
    assert_eq!(get(&world, "/_model/sessions/nobody/gates").await.status, 404);
}

/// A validator of the schema of this name; schemas find each other.
fn validator(name: &str) -> Validator {
    let schema = |name: &str| -> Value {
        let path = at_root(&format!("spec/control/{name}.schema.json"));
        serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap()
    };
    let mut registry = Registry::new();
    for other in ["script", "verdict", "assertion"] {
        let schema = schema(other);
        let id = schema["$id"].as_str().unwrap().to_owned();
        registry = registry.add(&id, schema).unwrap();
    }
    let registry = registry.prepare().unwrap();
    jsonschema::options().with_registry(&registry).build(&schema(name)).unwrap()
}

fn errors(validator: &Validator, value: &Value) -> Vec<String> {
    validator.iter_errors(value).map(|error| format!("{}: {error}", error.instance_path())).collect()
}

async fn assert(world: &World, body: &Value) -> Response {
    world.post("/_model/sessions/k/assert", body).await
}

#[tokio::test(start_paused = true)]
async fn expectations_hold_or_say_what_there_is_instead() {
    let world = asked().await;
    let all = json!({
        "requests": [
            {"where": {"turn": "c/two"}, "exactly": 2},
            {"where": {"outcome": "answered"}, "at_least": 1, "at_most": 2},
            {"where": {"when": {"user_contains": "nothing"}}, "exactly": 1},
            {"where": {"target_contains": "/v1/messages"}, "at_most": 0},
            {"at_least": 5},
        ],
        "in_order": ["c/one", "c/two"],
        "exhausted": false,
        "verdict": "fail",
    });
    assert_eq!(errors(&validator("assertion"), &all), [""; 0]);
    let held = assert(&world, &all).await;
    assert_eq!((held.status, json_of(&held)), (200, json!({"holds": true})));

    for (expectations, at, expected, got, sequences) in [
        (
            json!({"requests": [{"where": {"turn": "c/two"}, "exactly": 1}]}),
            "/requests/0",
            "exactly 1 where {\"turn\":\"c/two\"}",
            "2",
            json!([4, 5]),
        ),
        (
            json!({"requests": [{"at_least": 6}]}),
            "/requests/0",
            "at least 6 where {}",
            "5",
            json!([1, 2, 3, 4, 5]),
        ),
        (
            json!({"requests": [{"where": {"outcome": "broken"}, "at_most": 0}]}),
            "/requests/0",
            "at most 0 where {\"outcome\":\"broken\"}",
            "1",
            json!([4]),
        ),
        (
            json!({"in_order": ["c/two", "c/one"]}),
            "/in_order",
            "c/two, c/one",
            "c/one, c/two, c/two; `c/one` does not come in its place",
            json!([1, 4, 5]),
        ),
        (
            json!({"exhausted": true}),
            "/exhausted",
            "that every turn answered a request",
            "turns that did not: c/three",
            json!([1, 2, 3, 4, 5]),
        ),
    ] {
        let unmet = assert(&world, &expectations).await;
        let problem = json!({"at": at, "expected": expected, "got": got, "sequences": sequences});
        assert_eq!((unmet.status, json_of(&unmet)), (409, json!({"holds": false, "problems": [problem]})));
    }
    let unmet = json_of(&assert(&world, &json!({"verdict": "pass"})).await);
    let got = unmet["problems"][0]["got"].as_str().unwrap();
    assert!(
        got.starts_with("fail; ") && got.contains("exhausted: turn `c/three` answered no request"),
        "{got}"
    );
    let nobody = world.post("/_model/sessions/nobody/assert", &json!({"exhausted": true})).await;
    assert_eq!(nobody.status, 404);
}

#[tokio::test(start_paused = true)]
async fn expectations_that_cannot_be_meant_are_refused() {
    let world = asked().await;
    let schema = validator("assertion");
    for (expectations, message, schema_knows) in [
        (json!({}), "nothing is expected", true),
        (json!({"request": []}), "/request: unknown field `request`; did you mean `requests`?", true),
        (json!({"requests": [{"were": {}, "exactly": 1}]}), "did you mean `where`?", true),
        (
            json!({"requests": [{"where": {"when": {"user_contain": "x"}}, "exactly": 1}]}),
            "did you mean `user_contains`?",
            true,
        ),
        (json!({"requests": [{"where": {"outcome": "lost"}, "exactly": 1}]}), "unknown value `lost`", true),
        (
            json!({"requests": [{"where": {"turn": "c/tow"}, "at_most": 0}]}),
            "/requests/0/where/turn: the script has no turn `c/tow`; did you mean `c/two`?",
            false,
        ),
        (
            json!({"requests": [{"where": {"when": {"user_contains": ""}}, "exactly": 1}]}),
            "an empty text holds for every request",
            true,
        ),
        (json!({"requests": [{}]}), "/requests/0: it does not say how many", true),
        (json!({"requests": [{"exactly": 1, "at_most": 2}]}), "`exactly` leaves no room", true),
        (
            json!({"requests": [{"at_least": 3, "at_most": 2}]}),
            "no number is at least 3 and at most 2",
            false,
        ),
        (json!({"requests": [{"at_least": 0}]}), "0 or more always holds", true),
        (json!({"in_order": ["c/one", "four"]}), "/in_order/1: the script has no turn `four`", false),
    ] {
        let response = assert(&world, &expectations).await;
        let error = json_of(&response)["error"].clone();
        assert_eq!(response.status, 400, "{expectations}");
        assert!(error["message"].as_str().unwrap().contains(message), "{expectations}: {error}");
        assert!(!error["problems"].as_array().unwrap().is_empty());
        assert_eq!(schema.is_valid(&expectations), !schema_knows, "{expectations}");
    }
}

#[tokio::test(start_paused = true)]
async fn expectations_are_held_in_process_too() {
    let world = asked().await;
    let yaml = "requests:\n  - where: {turn: c/one}\n    exactly: 1\n";
    let expectations = Expectations::from_text(yaml).unwrap();
    assert_eq!(world.host.assert("k", &expectations), Ok(()));
    assert_eq!(world.host.assert("l", &expectations), Err(AssertError::NoSession("l".into())));
    let expectations = Expectations { exhausted: Some(true), ..Expectations::default() };
    let error = world.host.assert("k", &expectations).unwrap_err().to_string();
    let message = "/exhausted: expected that every turn answered a request, got turns that did not: c/three \
                   (requests [1, 2, 3, 4, 5])";
    assert_eq!(error, message);
}

#[tokio::test(start_paused = true)]
async fn what_the_journal_has_lost_may_have_been_anything() {
    let world = World::new().await;
    let turns = json!([{"id": "a", "repeat": true, "answer": {"text": "hi"}}]);
    world.host.load_json("k", &json!({"script": 1, "name": "n", "turns": turns})).unwrap();
    for _ in 0..10_002 {
        world.ask("k", &user("x", &[])).await;
    }
    let none = json!({"requests": [{"where": {"outcome": "broken"}, "at_most": 0}]});
    let problems = json_of(&assert(&world, &none).await)["problems"].clone();
    assert_eq!(problems[0]["got"], "0, and 2 requests of the session are not in the journal any more");
    assert_eq!(assert(&world, &json!({"requests": [{"at_least": 9_000}]})).await.status, 200);
}

#[tokio::test(start_paused = true)]
async fn verdicts_keep_their_schema() {
    let schema = validator("verdict");
    let world = asked().await;
    let ids = |list: &Value| -> Vec<String> {
        list.as_array()
            .unwrap()
            .iter()
            .map(|id| id.as_str().or(id["rule"].as_str()).unwrap().to_owned())
            .collect()
    };
    let text = fs::read_to_string(at_root("spec/control/verdict.schema.json")).unwrap();
    let known: Value = serde_json::from_str(&text).unwrap();
    let rules = json_of(&get(&world, "/_model/sessions/k/verdict").await)["rules"].clone();
    assert_eq!(ids(&rules), ids(&known["$defs"]["rule"]["enum"]));
    for _ in 0..2 {
        let verdict = json_of(&get(&world, "/_model/sessions/k/verdict").await);
        assert_eq!(errors(&schema, &verdict), [""; 0]);
        world.host.reset("k");
    }
    assert!(!schema.is_valid(&json!({"overall": "pass"})));
}

#[tokio::test(start_paused = true)]
async fn expectations_that_are_none_are_told_what_they_are() {
    let world = asked().await;
    for text in ["[]", "", "3", "- exhausted: true"] {
        let request = Request::new("POST", "/_model/sessions/k/assert").json(text.to_owned());
        let response = world.send(request).await;
        let error = json_of(&response)["error"].to_string();
        assert_eq!(response.status, 400, "{text}: {error}");
        assert!(
            !error.contains("a script begins") && error.contains("`requests`, `in_order`"),
            "{text}: {error}"
        );
    }
}
