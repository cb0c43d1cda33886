//! The script, and how it was played.

use model::{Overall, Severity};
use serde_json::json;
use wire::http::Request;

use super::{ask, assistant, broken, call, calls, found, kept, playing, result, says, then, verdict};
use crate::client::{World, user};

#[tokio::test(start_paused = true)]
async fn what_the_script_expects_is_looked_at() {
    let turns =
        json!([{"id": "a", "expect": {"tool_offered": "read"}, "repeat": true, "answer": {"text": "hi"}}]);
    let world = playing(turns).await;
    ask(&world, &user("go", &["read"])).await;
    kept(&world, "expected");
    ask(&world, &user("go", &["write"])).await;
    ask(&world, &user("go on", &["write"])).await;
    broken(
        &world,
        "expected",
        "turn `a` expects tool_offered \"read\": the tools offered are write",
        &[2, 3],
    );
}

#[tokio::test(start_paused = true)]
async fn what_the_api_refuses_is_found_whether_it_is_answered_or_not() {
    let sound = user("go", &[]);
    let mut wrong = sound.clone();
    wrong["messages"] = json!([{"role": "bot", "content": "go"}]);
    for (client, rule) in [("lenient", "lenient"), ("strict", "refused")] {
        let turns = json!([{"id": "a", "repeat": true, "answer": {"text": "hi"}}]);
        let world = World::new().await;
        let script = json!({"script": 1, "name": "n", "client": client, "turns": turns});
        world.host.load_json("k", &script).unwrap();
        ask(&world, &sound).await;
        kept(&world, rule);
        ask(&world, &wrong).await;
        broken(&world, rule, "`bot` is no role", &[2]);
    }
}

#[tokio::test(start_paused = true)]
async fn whoever_looks_around_is_noted() {
    let world = playing(json!([{"id": "a", "answer": {"text": "hi"}}])).await;
    world.send(Request::new("GET", "/s/k/v1/chat/completions")).await;
    assert_eq!(verdict(&world).overall, Overall::NothingAsked, "that asks the model for nothing");
    ask(&world, &user("go", &[])).await;
    found(&world, "refused", Severity::Note, "GET /s/k/v1/chat/completions is no path of a wire", &[1]);
    assert_eq!(verdict(&world).overall, Overall::Pass);
}

#[tokio::test(start_paused = true)]
async fn a_request_without_a_turn_is_found() {
    let world = playing(json!([{"id": "a", "answer": {"text": "hi"}}])).await;
    ask(&world, &user("go", &[])).await;
    kept(&world, "missed");
    ask(&world, &user("again", &[])).await;
    broken(&world, "missed", "no turn of script `verdict` answers this request", &[2]);
}

#[tokio::test(start_paused = true)]
async fn a_script_is_played_to_its_end() {
    let turns = json!([
        {"id": "a", "answer": {"text": "a"}},
        {"id": "b", "answer": {"text": "b"}},
        {"id": "c", "repeat": true, "answer": {"text": "c"}},
    ]);
    let world = playing(turns).await;
    ask(&world, &user("go", &[])).await;
    broken_beside_a_note(&world);
    ask(&world, &user("on", &[])).await;
    found(&world, "exhausted", Severity::Note, "turn `c`, which answers any number of requests", &[]);
    assert_eq!(verdict(&world).overall, Overall::Pass);
    ask(&world, &user("and on", &[])).await;
    kept(&world, "exhausted");
}

fn broken_beside_a_note(world: &World) {
    let verdict = verdict(world);
    let told: Vec<(Severity, &str)> =
        verdict.of("exhausted").map(|finding| (finding.severity, finding.message.as_str())).collect();
    assert_eq!(told.len(), 2);
    assert_eq!(told[0], (Severity::Fail, "turn `b` answered no request"));
    assert_eq!(verdict.overall, Overall::Fail);
}

#[tokio::test(start_paused = true)]
async fn fields_that_no_api_knows_are_noted() {
    let world = playing(json!([{"id": "a", "repeat": true, "answer": {"text": "a"}}])).await;
    let mut body = user("go", &[]);
    ask(&world, &body).await;
    kept(&world, "unknown-fields");
    for _ in 0..2 {
        let extra = json!({"role": "user", "content": "x", "mood": "good"});
        body["messages"].as_array_mut().unwrap().push(extra);
        ask(&world, &body).await;
    }
    found(&world, "unknown-fields", Severity::Note, "`/messages/*/mood` is no field of the API", &[2, 3]);
    assert_eq!(verdict(&world).overall, Overall::Pass);
}

#[tokio::test(start_paused = true)]
async fn a_call_of_a_tool_that_is_not_offered_is_the_scripts_mistake() {
    let call = json!({"tool_calls": [{"id": "c1", "name": "look", "arguments": {}}]});
    let world = playing(json!([{"id": "a", "repeat": true, "answer": call}])).await;
    ask(&world, &user("go", &["look"])).await;
    kept(&world, "offered");
    ask(&world, &user("go on", &["loop"])).await;
    ask(&world, &user("go on and on", &[])).await;
    let message = "turn `a` calls `look`, which the request does not offer";
    found(&world, "offered", Severity::Note, message, &[2, 3]);

    let faults = json!([{"unknown_tool": "gone"}]);
    let world = playing(json!([{"id": "a", "repeat": true, "answer": call, "faults": faults}])).await;
    ask(&world, &user("go", &["look"])).await;
    assert_eq!(verdict(&world).of("offered").count(), 0, "that is on purpose");
}

/// What the journal has lost is nobody's fault, and no other session loses anything by it.
#[tokio::test(start_paused = true)]
async fn a_verdict_without_the_whole_journal_is_incomplete_and_finds_nothing_in_what_is_lost() {
    let turns = [
        json!({"id": "first", "when": {"user_contains": "first"}, "answer": {"text": "1"}}),
        json!({"id": "down", "when": {"user_contains": "down"}, "answer": {"text": "up"},
               "faults": [{"status": 500, "first": 2}]}),
        json!({"id": "a", "repeat": true, "when": {"user_contains": "go"}, "answer": {
            "text": "Well.", "tool_calls": [{"id": "c1", "name": "look", "arguments": {}}]}}),
    ];
    let world = playing(json!(turns)).await;
    let quiet = json!([{"id": "q", "answer": {"text": "q"}}]);
    world.host.load_json("quiet", &json!({"script": 1, "name": "quiet", "turns": quiet})).unwrap();
    world.ask("quiet", &user("x", &[])).await;

    // These are lost: a turn that answers once, the first try of a conversation, and what comes back later.
    ask(&world, &user("first", &[])).await;
    let begun = user("go now", &["look"]);
    ask(&world, &begun).await;
    ask(&world, &user("down", &[])).await;
    let body = user("go", &["look"]);
    for _ in 0..9_998 {
        world.ask("k", &body).await;
    }
    // The second try fails as well, and whoever has tried twice may give up.
    ask(&world, &user("down", &[])).await;
    let mut back = calls(&[call("c1", "look", "{}")]);
    back["content"] = json!("Well.");
    ask(&world, &then(&begun, &[back, result("c1")])).await;
    ask(&world, &then(&user("a lost one", &[]), &[assistant("lost"), says("go on")])).await;

    let verdict = verdict(&world);
    assert!(verdict.dropped >= 4, "{}", verdict.dropped);
    assert_eq!(verdict.overall, Overall::Incomplete, "{:?}", verdict.findings);
    let notes: Vec<&str> = verdict.findings.iter().map(|finding| finding.rule.as_str()).collect();
    assert!(!notes.contains(&"exhausted") && notes.contains(&"dropped"), "{notes:?}");
    let quiet = world.host.verdict("quiet").unwrap();
    assert_eq!((quiet.overall, quiet.dropped), (Overall::Pass, 0));
    let exhausted = model::Expectations { exhausted: Some(true), ..Default::default() };
    assert!(world.host.assert("k", &exhausted).is_ok());
}

#[tokio::test(start_paused = true)]
async fn a_fault_that_never_did_anything_is_noted() {
    for (fault, asked, noted) in [
        (json!({"status": 500, "first": 1}), user("go", &[]), false),
        (json!({"status": 500, "when": {"model": "another"}}), user("go", &[]), true),
        (json!({"tool_arguments": "invalid"}), user("go", &[]), true),
        (json!({"drop_events": "done"}), user("go", &[]), true),
        (json!({"drop_events": "done"}), super::streamed("go"), false),
        (json!({"end_after": 100}), super::streamed("go"), true),
        (json!({"status": 500, "chance": 0.000_001}), user("go", &[]), false),
    ] {
        let turns = json!([
            {"id": "a", "repeat": true, "when": {"user_contains": "go"}, "answer": {"text": "hi"}, "faults": [fault]},
            {"id": "b", "repeat": true, "answer": {"text": "never"}, "faults": [{"status": 500}]},
        ]);
        let world = playing(turns).await;
        assert_eq!(verdict(&world).of("faults").count(), 0);
        ask(&world, &asked).await;
        if noted {
            let name =
                fault.as_object().unwrap().keys().find(|name| !["when", "first"].contains(&name.as_str()));
            let message = format!("the fault `{}` of turn `a` was never applied", name.unwrap());
            found(&world, "faults", Severity::Note, &message, &[]);
        } else {
            assert_eq!(verdict(&world).of("faults").count(), 0, "{fault}");
        }
    }
}

/// Sessions that end take their journal along, and requests for sessions that are not there have none.
#[tokio::test(start_paused = true)]
async fn what_is_over_and_what_never_was_are_judged_too() {
    let turns = json!([{"id": "a", "when": {"user_contains": "go"}, "answer": {"text": "a"}}]);
    let script = json!({"script": 1, "name": "over", "turns": turns});
    let world = World::new().await;
    let wrong = user("wrong", &[]);
    world.host.load_json("unasked", &script).unwrap();
    world.ask("unasked", &wrong).await;
    assert!(world.host.drop_session("unasked"));
    assert_eq!(world.host.past_verdicts(), [], "nobody wanted to know");

    world.host.keep_past_verdicts();
    for key in ["dropped", "reset", "loaded", "good", "idle"] {
        world.host.load_json(key, &script).unwrap();
    }
    for key in ["dropped", "reset", "loaded", "typo", "typo"] {
        world.ask(key, &wrong).await;
    }
    world.ask("good", &user("go", &[])).await;
    for key in ["dropped", "good", "idle"] {
        assert!(world.host.drop_session(key));
    }
    world.host.reset("reset").unwrap();
    world.host.load_json("loaded", &script).unwrap();
    let past: Vec<String> = world.host.past_verdicts().into_iter().map(|verdict| verdict.session).collect();
    assert_eq!(past, ["dropped", "reset", "loaded"]);
    let strays: Vec<(String, usize)> =
        world.host.strays().into_iter().map(|stray| (stray.key, stray.requests.len())).collect();
    assert_eq!(strays, [("typo".to_owned(), 2)]);
}
