use serde_json::{Value, json};

use crate::{
    desk::types,
    table::{Table, calls, says},
};

#[tokio::test(start_paused = true)]
async fn pieces_are_told_as_the_model_says_them_and_each_message_by_itself() {
    let look = json!({"id": "a", "stream": {"piece_chars": 4}, "answer": {"text": "Let me look.",
        "tool_calls": [{"id": "c1", "name": "glob", "arguments": {"pattern": "*"}}]}});
    let table = Table::laid(json!([look, says("b", "Nothing there.")])).await;
    let session = table.session("pi", json!(null)).await;
    table.say(&session, "look").await;
    let events = table.desk.stream(&session, None).await.until("session.status").await;
    let mut messages: Vec<(Value, String)> = Vec::new();
    for event in events.iter().filter(|event| event["type"] == "message.delta") {
        let text = event["delta"]["text"].as_str().unwrap();
        match messages.last_mut().filter(|(id, _)| *id == event["message_id"]) {
            Some((_, said)) => said.push_str(text),
            None => messages.push((event["message_id"].clone(), text.to_owned())),
        }
    }
    let whole: Vec<(Value, String)> = events
        .iter()
        .filter(|event| event["type"] == "message.completed")
        .map(|event| (event["message_id"].clone(), event["message"]["text"].as_str().unwrap().to_owned()))
        .collect();
    assert_eq!(messages, whole);
    assert_eq!(
        whole.iter().map(|(_, text)| text.as_str()).collect::<Vec<_>>(),
        ["Let me look.", "Nothing there."]
    );
    let kinds: Vec<&str> = types(&events).into_iter().filter(|kind| *kind != "message.delta").collect();
    assert_eq!(
        kinds,
        [
            "session.created",
            "turn.started",
            "message.completed",
            "tool.requested",
            "tool.completed",
            "message.completed",
            "turn.completed",
            "session.status"
        ]
    );
}

#[tokio::test(start_paused = true)]
async fn the_model_hears_the_whole_conversation_and_files_stay_where_a_machine_is_held() {
    for (base, sees) in [("pi", "mark"), ("vetta", "no file")] {
        let turns = json!([
            calls("w", &[("c1", "write", json!({"path": "f", "content": "mark"}))]),
            says("x", "Done."),
            calls("r", &[("c2", "read", json!({"path": "f"}))]),
            says("y", "Read."),
        ]);
        let table = Table::laid(turns).await;
        let session = table.session(base, json!(null)).await;
        assert_eq!(table.shown(&session).await["sandbox"], Value::Null);
        let mut machines = Vec::new();
        for content in ["write", "read"] {
            table.say(&session, content).await;
            table.desk.stream(&session, None).await.until("session.status").await;
            while table.shown(&session).await["status"] == "running" {}
            machines.push(table.shown(&session).await["sandbox"].clone());
        }
        assert!(table.told(3, "c2").contains(sees), "{base}: {}", table.told(3, "c2"));
        assert_eq!(table.told(2, "c1"), "wrote 4 bytes to `f`", "the second turn knows the first");
        assert_eq!(machines[0], machines[1], "{base}");
        assert_eq!(machines[0].is_null(), base == "vetta");
        assert_eq!(table.effects(&session), ["write", "read"]);
    }
}

#[tokio::test(start_paused = true)]
async fn what_is_offered_goes_by_the_road_and_by_the_policy() {
    let native = ["read", "write", "edit", "grep", "glob"];
    let built_in = ["publish_file", "web_search", "web_fetch", "generate_media", "disclose_skill", "browser"];
    let all = |shell: &[&'static str]| [shell, &native, &built_in].concat();
    let without = |names: &[&str]| -> Vec<&str> {
        all(&["shell"]).into_iter().filter(|name| !names.contains(name)).collect()
    };
    for (base, policy, offered) in [
        ("pi", json!({"permission": "allow"}), all(&["shell"])),
        ("vetta", json!({"permission": "allow"}), all(&[])),
        (
            "pi",
            json!({"permission": "allow", "overrides": {"shell": "deny", "browser": "deny"}}),
            without(&["shell", "browser"]),
        ),
        (
            "pi",
            json!({"permission": "deny", "overrides": {"read": "ask", "browser": "allow"}}),
            vec!["read", "browser"],
        ),
        ("sim-cli", json!({"permission": "deny"}), [&["shell"], &native[..]].concat()),
    ] {
        let table = Table::laid(json!([says("a", "Hi.")])).await;
        let session = table.session(base, policy.clone()).await;
        table.say(&session, "hi").await;
        table.desk.stream(&session, None).await.until("session.status").await;
        assert_eq!(table.offered(0), offered, "{base} {policy}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_denied_tool_and_one_that_is_not_there_do_nothing_and_are_told() {
    let turns = json!([
        calls("a", &[("c1", "write", json!({"path": "f", "content": "x"})), ("c2", "fly", json!({}))]),
        says("b", "Never mind."),
    ]);
    let table = Table::laid(turns).await;
    let session = table.session("pi", json!({"permission": "allow", "overrides": {"write": "deny"}})).await;
    table.say(&session, "go").await;
    let events = table.desk.stream(&session, None).await.until("turn.completed").await;
    let tools: Vec<(&str, &Value)> = events
        .iter()
        .filter(|event| event["type"].as_str().unwrap().starts_with("tool."))
        .map(|event| (event["type"].as_str().unwrap(), &event["name"]))
        .collect();
    assert_eq!(
        tools,
        [
            ("tool.requested", &json!("write")),
            ("tool.denied", &Value::Null),
            ("tool.requested", &json!("fly")),
            ("tool.failed", &Value::Null),
        ]
    );
    assert!(table.told(1, "c1").contains("denies") && table.told(1, "c2").contains("no tool"));
    assert_eq!(table.effects(&session), [""; 0]);
}

#[tokio::test(start_paused = true)]
async fn a_typed_answer_is_handed_in_and_one_that_breaks_its_schema_is_not_taken() {
    let schema =
        json!({"type": "object", "properties": {"count": {"type": "integer"}}, "required": ["count"]});
    let start = json!({"structured_output_required": true, "structured_output_schema": schema});
    let wrong = calls("a", &[("c1", "submit", json!({"value": {"count": "two"}}))]);
    let right = calls("b", &[("c2", "submit", json!({"value": {"count": 2}}))]);
    for (turns, ended, shown) in [
        (json!([wrong, right, says("c", "Done.")]), "turn.completed", json!({"count": 2})),
        (json!([wrong, says("c", "Two.")]), "turn.failed", Value::Null),
        (json!([says("c", "Two.")]), "turn.failed", Value::Null),
    ] {
        let table = Table::laid(turns).await;
        let session = table.desk.session("pi", start.clone()).await;
        table.say(&session, "count").await;
        let events = table.desk.stream(&session, None).await.until(ended).await;
        assert_eq!(types(&events).contains(&"structured_output.submitted"), shown != Value::Null);
        assert_eq!(table.shown(&session).await["structured_output"], shown);
        assert!(table.offered(0).contains(&"submit".to_owned()));
    }
}

#[tokio::test(start_paused = true)]
async fn usage_is_charged_to_the_account_of_who_pays_by_usage() {
    let spent = |id: &str| json!({"id": id, "answer": {"text": "Hi.", "usage": {"input_tokens": 70, "output_tokens": 5}}});
    for (base, cost) in [("pi", 75), ("sim-cli", 75), ("sim-byo", 0)] {
        let table = Table::laid(json!([spent("a")])).await;
        let session = table.session(base, json!(null)).await;
        let credits = async || table.desk.get("/v1/balance").await.1["credits"].as_u64().unwrap();
        let before = credits().await;
        table.say(&session, "hi").await;
        table.desk.stream(&session, None).await.until("session.status").await;
        assert_eq!(before - credits().await, cost, "{base}");
        let (_, other) = table.desk.call(crate::desk::BEN, "GET", "/v1/balance", None).await;
        assert_eq!(other["credits"], before);
    }
}

#[tokio::test(start_paused = true)]
async fn a_model_that_breaks_off_fails_the_turn_and_leaves_no_message() {
    let turns = json!([{"id": "a", "answer": {"text": "Hello there, how are you?"}, "stream": {"piece_chars": 3},
        "faults": [{"reset_after": 4}]}]);
    let table = Table::laid(turns).await;
    let session = table.session("pi", json!(null)).await;
    table.say(&session, "hi").await;
    let events = table.desk.stream(&session, None).await.until("session.status").await;
    assert!(types(&events).contains(&"message.delta"), "{events:?}");
    assert!(!types(&events).contains(&"message.completed"));
    assert_eq!(types(&events)[types(&events).len() - 2..], ["turn.failed", "session.status"]);
}
