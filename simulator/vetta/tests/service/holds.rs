use serde_json::{Value, json};

use crate::{
    desk::{ADA, Feed, refusal, types},
    table::{Table, calls, says},
};

async fn held() -> (Table, String, Feed, String) {
    let turns = json!([
        calls("a", &[("c1", "write", json!({"path": "f", "content": "x"}))]),
        says("b", "Done."),
        says("c", "Again."),
    ]);
    let table = Table::laid(turns).await;
    let session = table.session("pi", json!({"permission": "allow", "overrides": {"write": "ask"}})).await;
    table.say(&session, "go").await;
    let mut feed = table.desk.stream(&session, None).await;
    let events = feed.until("session.status").await;
    assert_eq!(
        types(&events)[1..],
        ["turn.started", "tool.requested", "tool.confirmation_required", "session.status"]
    );
    assert_eq!((&events[2]["permission"], &events[4]["status"]), (&json!("ask"), &json!("requires_action")));
    let call = events[3]["tool_call_id"].as_str().unwrap().to_owned();
    (table, session, feed, call)
}

#[tokio::test(start_paused = true)]
async fn an_allowed_call_runs_once_and_a_denied_one_never() {
    for (decision, effects, told, kinds) in [
        (
            "allow",
            vec!["write"],
            "wrote 1 bytes to `f`",
            ["tool.confirmation_resolved", "session.status", "tool.completed"],
        ),
        (
            "deny",
            vec![],
            "the call was denied",
            ["tool.confirmation_resolved", "tool.denied", "session.status"],
        ),
    ] {
        let (table, session, mut feed, call) = held().await;
        table.desk.clock.pause(std::time::Duration::from_secs(86_400)).await;
        assert_eq!(table.effects(&session), [""; 0], "a hold lasts as long as it has to");
        assert_eq!(
            refusal(
                &table.desk.post(&format!("/v1/sessions/{session}/messages"), json!({"content": "x"})).await
            )
            .1,
            "decision_pending"
        );
        let (status, receipt) = table.decide(&session, &call, decision).await;
        assert_eq!((status, &receipt["applied"]), (202, &json!(true)));
        let (status, receipt) = table.decide(&session, &call, decision).await;
        assert_eq!((status, &receipt["applied"]), (202, &json!(false)));
        let other = if decision == "allow" { "deny" } else { "allow" };
        assert_eq!(refusal(&table.decide(&session, &call, other).await).1, "confirmation_already_resolved");
        let events = feed.until("turn.completed").await;
        let tools: Vec<&str> =
            types(&events).into_iter().filter(|kind| !kind.starts_with("message.")).collect();
        assert_eq!(tools[..3], kinds, "{decision}");
        assert_eq!(
            (table.effects(&session), table.told(1, "c1").as_str()),
            (effects.iter().map(ToString::to_string).collect(), told)
        );
    }
}

#[tokio::test(start_paused = true)]
async fn answers_that_fit_nothing_are_refused() {
    let (table, session, _feed, call) = held().await;
    let path = format!("/v1/sessions/{session}/tool_confirmations");
    for (body, expected) in [
        (
            json!({"tool_call_id": "call_none", "decision": "allow"}),
            (404, "tool_call_not_found", Some("tool_call_id")),
        ),
        (json!({"decision": "allow"}), (400, "validation_failed", Some("tool_call_id"))),
        (json!({"tool_call_id": call}), (400, "validation_failed", Some("decision"))),
        (json!({"tool_call_id": call, "decision": "maybe"}), (400, "validation_failed", Some("decision"))),
        (
            json!({"tool_call_id": call, "decision": "allow", "always": true}),
            (400, "validation_failed", Some("always")),
        ),
    ] {
        assert_eq!(refusal(&table.desk.post(&path, body.clone()).await), expected, "{body}");
    }
    assert_eq!(table.effects(&session), [""; 0]);
    assert_eq!(table.shown(&session).await["status"], "requires_action");
}

#[tokio::test(start_paused = true)]
async fn an_interrupt_denies_what_is_held_and_the_session_goes_on() {
    let (table, session, mut feed, call) = held().await;
    assert_eq!(table.interrupt(&session).await.1["applied"], true);
    let events = feed.until("turn.cancelled").await;
    assert_eq!(
        types(&events),
        ["tool.confirmation_resolved", "tool.denied", "session.status", "turn.cancelled"]
    );
    assert_eq!(events[0]["decision"], "deny");
    feed.until("session.status").await;
    assert_eq!(refusal(&table.decide(&session, &call, "allow").await).0, 409);
    assert_eq!(table.interrupt(&session).await.1, json!({"turn_id": null, "applied": false}));
    let shown = table.shown(&session).await;
    assert_eq!((&shown["status"], &shown["last_turn"]["status"]), (&json!("idle"), &json!("cancelled")));
    assert_eq!(table.say(&session, "go on").await, 202);
    feed.until("turn.completed").await;
    assert_eq!(table.effects(&session), [""; 0]);
}

#[tokio::test(start_paused = true)]
async fn deleting_the_session_denies_what_is_held() {
    let (table, session, mut feed, call) = held().await;
    assert_eq!(table.desk.call(ADA, "DELETE", &format!("/v1/sessions/{session}"), None).await.0, 204);
    let mut rest = Vec::new();
    while let Some(event) = feed.event().await {
        rest.push(event);
    }
    let kinds = types(&rest);
    assert_eq!(kinds[..2], ["tool.confirmation_resolved", "tool.denied"]);
    assert_eq!(kinds[kinds.len() - 2..], ["turn.cancelled", "session.status"]);
    assert_eq!(table.decide(&session, &call, "allow").await.0, 404);
    assert_eq!(table.effects(&session), [""; 0]);
}

#[tokio::test(start_paused = true)]
async fn a_turn_waits_for_the_last_of_its_holds() {
    let turns = json!([
        calls(
            "a",
            &[
                ("c1", "write", json!({"path": "f", "content": "x"})),
                ("c2", "write", json!({"path": "g", "content": "y"})),
                ("c3", "glob", json!({"pattern": "*"})),
            ]
        ),
        says("b", "Done."),
    ]);
    let table = Table::laid(turns).await;
    let session = table.session("pi", json!({"permission": "allow", "overrides": {"write": "ask"}})).await;
    table.say(&session, "go").await;
    let mut feed = table.desk.stream(&session, None).await;
    let events = feed.until("tool.completed").await;
    let waiting: Vec<&Value> = events
        .iter()
        .filter(|event| event["type"] == "tool.confirmation_required")
        .map(|event| &event["tool_call_id"])
        .collect();
    assert_eq!((waiting.len(), table.effects(&session)), (2, vec!["glob".to_owned()]));
    table.decide(&session, waiting[1].as_str().unwrap(), "allow").await;
    feed.until("tool.completed").await;
    assert_eq!(table.shown(&session).await["status"], "requires_action");
    table.decide(&session, waiting[0].as_str().unwrap(), "deny").await;
    feed.until("turn.completed").await;
    assert_eq!(table.effects(&session), ["glob", "write"]);
    assert!(table.told(1, "c1").contains("denied") && table.told(1, "c2").contains("wrote"));
}
