//! Sessions: choice of turns, misses, findings, and thousands of them side by side.

use futures_util::future::join_all;
use model::{Answer, Conditions, Outcome, Script, Turn};
use serde_json::{Value, json};
use wire::http::Request;

use crate::client::{World, fixture, golden, header, json_of, user};

const CHAT: &str = "/v1/chat/completions";

fn named(text: &str) -> Script {
    Script::new("named", [Turn::new("only", Answer::new().text(text)).repeat()]).unwrap()
}

#[tokio::test(start_paused = true)]
async fn a_session_is_named_in_what_a_client_can_set() {
    let world = World::new().await;
    for key in ["path", "header", "api", "marker", "default"] {
        world.host.load(key, named(key));
    }
    let said =
        |response: wire::http::Response| json_of(&response)["choices"][0]["message"]["content"].clone();
    let plain = user("hi", &[]).to_string();
    let marked = user("do it [proofhouse-session:marker]", &[]).to_string();
    let post = |path: &str, body: &str| Request::new("POST", path).json(body.to_owned());
    let cases = [
        (post("/s/path/v1/chat/completions", &marked).header("x-proofhouse-session", "header"), "path"),
        (
            post(CHAT, &marked)
                .header("x-proofhouse-session", "header")
                .header("authorization", "Bearer api"),
            "header",
        ),
        (post(CHAT, &marked).header("authorization", "Bearer api"), "api"),
        (post(CHAT, &marked).header("x-api-key", "api"), "api"),
        (post(CHAT, &marked).header("authorization", "Bearer sk-something"), "marker"),
        (post(CHAT, &plain).header("authorization", "Bearer sk-something"), "default"),
    ];
    for (request, expected) in cases {
        assert_eq!(said(world.send(request).await), expected);
    }
    let stranger = world.ask("nobody", &user("hi", &[])).await;
    assert_eq!(stranger.status, 400);
    let message = json_of(&stranger)["error"]["message"].clone();
    assert!(
        message
            .as_str()
            .unwrap()
            .starts_with("no session `nobody` is loaded; a request names its session by ")
    );
    assert_eq!(world.host.journal("nobody")[0].outcome, Outcome::Missed);
}

#[tokio::test(start_paused = true)]
async fn turns_are_chosen_by_what_is_said_and_not_by_what_came_before() {
    let world = World::new().await;
    let turn = |id: &str, text: &str| {
        Turn::new(id, Answer::new().text(id)).when(Conditions::new().user_contains(text))
    };
    let turns = [turn("b", "bee"), turn("a", "ant"), turn("any", "t"), turn("a-again", "ant")];
    world.host.load("k", Script::new("order", turns).unwrap());
    let mut said = Vec::new();
    for text in ["ant", "ant", "bee", "ant"] {
        said.push(
            json_of(&world.ask("k", &user(text, &[])).await)["choices"][0]["message"]["content"].clone(),
        );
    }
    assert_eq!(said, ["a", "any", "b", "a-again"]);
    assert!(world.host.unused_turns("k").is_empty());
}

#[tokio::test(start_paused = true)]
async fn a_miss_is_told_once_with_the_nearest_turn() {
    let world = World::playing("shipment.yaml").await;
    let miss = world.ask("default", &user("process shipment 7", &["extract"])).await;
    assert_eq!(miss.status, 400);
    assert_eq!(header(&miss, "x-should-retry"), Some("false"));
    golden("miss_nearest", &format!("{:#}", json_of(&miss)));

    assert_eq!(world.ask("default", &user("process shipment 7", &["extract", "validate"])).await.status, 200);
    let again = world.ask("default", &user("process shipment 8", &["extract", "validate"])).await;
    golden("miss_used", &format!("{:#}", json_of(&again)));
    let outcomes: Vec<_> = world.host.journal("default").iter().map(|entry| entry.outcome).collect();
    assert_eq!(outcomes, [Outcome::Missed, Outcome::Answered, Outcome::Missed]);
    assert_eq!(world.host.unused_turns("default"), ["extract-1", "validate-1", "parent-2"]);

    world.host.load("spent", Script::new("one", [Turn::new("only", Answer::new().text(""))]).unwrap());
    assert_eq!(world.ask("spent", &user("a", &[])).await.status, 200);
    let spent = json_of(&world.ask("spent", &user("b", &[])).await);
    let message = spent["error"]["message"].as_str().unwrap();
    assert!(message.contains("Turn `only` would, but request 4 used it"), "{message}");
    assert!(message.ends_with("Every turn is used."), "{message}");
}

#[tokio::test(start_paused = true)]
async fn a_request_that_is_not_as_expected_is_answered_and_noted() {
    let world = World::new().await;
    let expect = Conditions::new().tool_offered("read").json_equals("/temperature", 0);
    world
        .host
        .load("k", Script::new("expect", [Turn::new("a", Answer::new().text("ok")).expect(expect)]).unwrap());
    assert_eq!(world.ask("k", &user("hi", &["write"])).await.status, 200);
    let entry = world.host.journal("k").pop().unwrap();
    assert_eq!((entry.outcome, entry.turn.as_deref()), (Outcome::Answered, Some("a")));
    let findings: Vec<String> = entry.findings.iter().map(ToString::to_string).collect();
    let expected = [
        r#"tool_offered "read": the tools offered are write"#,
        r#"json {"equals":0,"pointer":"/temperature"}: there is nothing"#,
    ];
    assert_eq!(findings, expected);
}

/// Plays the whole shipment script in one session, with both scratch loops at the same time.
async fn play(world: &World, session: &str) -> Vec<Value> {
    let parent = user("process shipment 7", &["extract", "validate"]);
    let mut transcript = vec![json_of(&world.ask(session, &parent).await)];
    let (extract, validate) = (user("extract: x", &["finish"]), user("validate: y", &["finish"]));
    let (one, two) = tokio::join!(world.ask(session, &extract), world.ask(session, &validate));
    transcript.extend([json_of(&one), json_of(&two)]);
    let mut next = parent;
    let messages = next["messages"].as_array_mut().unwrap();
    messages.push(transcript[0]["choices"][0]["message"].clone());
    for (id, content) in [("call_extract", "{}"), ("call_validate", "{\"valid\":true}")] {
        messages.push(json!({"role": "tool", "tool_call_id": id, "content": content}));
    }
    next["stream"] = json!(true);
    let last = world.ask(session, &next).await;
    transcript.push(json!({"headers": last.headers, "body": String::from_utf8_lossy(&last.body)}));
    transcript
}

#[tokio::test(start_paused = true)]
async fn a_thousand_sessions_with_one_script_say_the_same_to_the_byte() {
    let world = World::new().await;
    let script = fixture("shipment.yaml");
    let keys: Vec<String> = (0..1000).map(|index| format!("s{index}")).collect();
    for key in &keys {
        world.host.load(key, script.clone());
    }
    let mut transcripts = Vec::new();
    for batch in keys.chunks(100) {
        transcripts.extend(join_all(batch.iter().map(|key| play(&world, key))).await);
    }
    assert!(transcripts.iter().all(|transcript| *transcript == transcripts[0]));
    for key in &keys {
        assert!(world.host.unused_turns(key).is_empty(), "{key}");
        let journal = world.host.journal(key);
        assert_eq!(journal.len(), 4);
        assert!(journal.iter().all(|entry| entry.session == *key && entry.outcome == Outcome::Answered));
    }
    assert!(world.host.drop_session("s0") && !world.host.drop_session("s0"));
    assert!(world.host.journal("s0").is_empty());
    assert_eq!(world.host.journal("s1").len(), 4);
}

#[tokio::test(start_paused = true)]
async fn a_run_repeats_to_the_byte() {
    let mut runs = Vec::new();
    for _ in 0..2 {
        let world = World::playing("shipment.yaml").await;
        let transcript = play(&world, "default").await;
        runs.push((transcript, serde_json::to_string(&world.host.journal("default")).unwrap()));
    }
    assert_eq!(runs[0], runs[1]);
}

#[tokio::test(start_paused = true)]
async fn the_journal_is_bounded_and_says_what_it_lost() {
    let world = World::playing("hello.yaml").await;
    let body = user("hi", &[]);
    for _ in 0..10_007 {
        world.ask("default", &body).await;
    }
    let journal = world.host.journal("default");
    assert_eq!((journal.len(), journal[0].sequence), (10_000, 8));
    assert_eq!(world.host.journal_dropped("default"), 7);
}

#[tokio::test(start_paused = true)]
async fn a_session_named_in_a_header_that_is_no_text_is_refused_and_not_the_default() {
    let world = World::new().await;
    world.host.load("default", named("default"));
    world.host.load("path", named("path"));
    let post = |path: &str| {
        let body = user("hi", &[]).to_string();
        Request::new("POST", path).json(body).header("x-proofhouse-session", "żółw")
    };
    let refused = world.send(post(CHAT)).await;
    let error = json_of(&refused)["error"].clone();
    assert_eq!((refused.status, &error["param"]), (400, &json!("x-proofhouse-session")));
    assert!(error["message"].as_str().unwrap().contains("is not ASCII"), "{error}");
    assert_eq!(world.send(post("/s/path/v1/chat/completions")).await.status, 200, "the path goes first");
}
