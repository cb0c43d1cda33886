//! The client on all three wires, against the fake model of the suite.

use std::{sync::Arc, time::Duration};

use model::{Host, Overall, Script};
use proofhouse_agent::{
    Budget, Cancel, Dialect, Habits, Loop, Message, ModelClient, ModelError, TurnError, Unobserved, Usage,
    Workspace,
    model::Limits,
    tools::{Read, Write},
};
use serde_json::{Value, json};
use wire::{Clock, Ids, Net, Seed};

struct World {
    host: Host,
    agent: Loop,
}

/// A loop on `dialect` and a model that plays `turns`.
async fn world(dialect: Dialect, turns: Value) -> World {
    let (net, clock, ids) = (Net::memory(), Clock::virtual_time(), Ids::new(Seed::of_run(7)));
    let host = Host::new(clock.clone(), Seed::of_run(7));
    host.load("k", Script::from_json(&json!({"script": 1, "name": "s", "turns": turns})).unwrap());
    let listener = net.listen("model:80").await.unwrap();
    tokio::spawn(model::serve(host.clone(), listener, std::future::pending()));
    let files = Workspace::default();
    let model = ModelClient::new(net, "http://model/s/k/v1".parse().unwrap(), "m", ids.clone());
    let agent = Loop {
        model: model.with_dialect(dialect),
        tools: vec![Arc::new(Read(files.clone())), Arc::new(Write(files))],
        budget: Budget::of(8),
        cancel: Cancel::default(),
        habits: Habits::default(),
        journal: Arc::new(proofhouse_agent::Unkept),
        observer: Arc::new(Unobserved),
        clock,
        ids,
    };
    World { host, agent }
}

fn opening() -> Vec<Message> {
    vec![Message::System("be kind".into()), Message::User("go".into())]
}

fn round_trip() -> Value {
    json!([
        {"id": "a", "when": {"no_tool_results": true, "system_contains": "be kind", "tool_offered": ["read", "write"]}, "answer": {
            "thinking": {"text": "First the file.", "signature": "c2ln", "encrypted": "ZW5j"},
            "text": "Let me look.",
            "tool_calls": [
                {"id": "c1", "name": "write", "arguments": {"path": "f", "content": "hi ☃"}},
                {"id": "c2", "name": "read", "arguments": {"path": "gone"}},
                {"id": "c3", "name": "read", "arguments_text": "{\"path\": "},
            ],
            "usage": {"input_tokens": 40, "output_tokens": 9, "cached_tokens": 30},
        }},
        {"id": "b", "when": {"tool_result_for": ["c1", "c2", "c3"], "tool_result_contains": ["wrote 6 bytes", "no file `gone`", "no JSON"]}, "answer": {
            "thinking": {"text": "Then back.", "signature": "c2ln", "encrypted": "ZW5j"},
            "tool_calls": [{"id": "c4", "name": "read", "arguments": {"path": "f"}}],
        }},
        {"id": "c", "when": {"tool_result_contains": "hi ☃"}, "answer": {"text": "Done."}},
        {"id": "d", "when": {"last_user_contains": "again"}, "answer": {"text": ""}},
        {"id": "e", "when": {"last_user_contains": "once more"}, "answer": {"text": "Still here."}},
    ])
}

#[tokio::test(start_paused = true)]
async fn rounds_of_tools_and_what_was_thought_go_back_as_they_came() {
    for dialect in Dialect::ALL {
        let w = world(dialect, round_trip()).await;
        let mut conversation = opening();
        assert_eq!(w.agent.run(&mut conversation).await.unwrap(), "Done.", "{dialect:?}");
        conversation.push(Message::User("again".into()));
        assert_eq!(w.agent.run(&mut conversation).await.unwrap(), "");
        conversation.push(Message::User("once more".into()));
        assert_eq!(w.agent.run(&mut conversation).await.unwrap(), "Still here.");
        let verdict = w.host.verdict("k").unwrap();
        let wrong: Vec<_> = verdict.findings.iter().map(|found| (&found.rule, &found.message)).collect();
        // Chat has no place for thoughts, and nobody asks for them: that is a note.
        let notes = ["keeps-thinking", "keeps-history"];
        assert!(wrong.iter().all(|(rule, _)| notes.contains(&rule.as_str())), "{dialect:?}: {wrong:?}");
        assert_eq!(verdict.overall, Overall::Pass, "{dialect:?}: {wrong:?}");
        assert!(w.host.unused_turns("k").is_empty());
    }
}

#[tokio::test(start_paused = true)]
async fn signed_and_encrypted_thoughts_stand_in_the_next_request() {
    for (dialect, proof) in [(Dialect::Responses, "ZW5j"), (Dialect::Messages, "c2ln")] {
        let w = world(dialect, round_trip()).await;
        w.agent.run(&mut opening()).await.unwrap();
        let asked = serde_json::to_value(w.host.journal("k")).unwrap();
        let thoughts = &asked[2]["request"]["messages"];
        let proofs: Vec<&Value> = thoughts
            .as_array()
            .unwrap()
            .iter()
            .filter_map(|message| message["thinking"].as_array())
            .flatten()
            .map(|thought| &thought["proof"])
            .collect();
        assert_eq!(proofs, [proof, proof], "{dialect:?}: {thoughts:#}");
    }
}

/// The other two wires have no such mark; there the content says that a call failed.
#[tokio::test(start_paused = true)]
async fn a_failed_call_is_marked_where_the_wire_has_a_mark() {
    for dialect in Dialect::ALL {
        let w = world(dialect, round_trip()).await;
        w.agent.run(&mut opening()).await.unwrap();
        let asked = serde_json::to_value(w.host.journal("k")).unwrap();
        let messages = asked[2]["request"]["messages"].as_array().unwrap().clone();
        let marked = |call: &str| {
            let result = messages.iter().find(|message| message["tool_call_id"] == call);
            result.unwrap_or_else(|| panic!("{dialect:?}: no result of {call}"))["is_error"] == true
        };
        let has_mark = dialect == Dialect::Messages;
        for (call, failed) in [("c1", false), ("c2", true), ("c3", true), ("c4", false)] {
            assert_eq!(marked(call), failed && has_mark, "{dialect:?} {call}");
        }
        let sent = asked[2]["body"].as_str().unwrap_or_default();
        assert_eq!(sent.matches("is_error").count(), if has_mark { 2 } else { 0 }, "{dialect:?}: {sent}");
    }
}

#[tokio::test(start_paused = true)]
async fn usage_is_told_in_one_form() {
    for dialect in Dialect::ALL {
        let w = world(dialect, round_trip()).await;
        let offers: Vec<_> =
            w.agent.tools.iter().map(|tool| proofhouse_agent::ToolDefinition::of(tool.as_ref())).collect();
        let answer = w.agent.model.complete(&opening(), &offers).await.unwrap();
        assert_eq!(
            answer.usage,
            Usage { input: 10, output: 9, cache_read: 30, cache_write: 0 },
            "{dialect:?}"
        );
        assert_eq!((answer.finish_reason(), answer.calls.len()), ("toolUse", 3), "{dialect:?}");
        assert_eq!(answer.calls[2].arguments, r#"{"path": "#, "{dialect:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_conversation_moves_from_one_wire_to_another() {
    for from in Dialect::ALL {
        for to in Dialect::ALL {
            let mut w = world(from, round_trip()).await;
            let mut conversation = opening();
            w.agent.turn(&mut conversation).await.unwrap();
            w.agent.model = w.agent.model.clone().with_dialect(to);
            assert_eq!(w.agent.run(&mut conversation).await.unwrap(), "Done.", "{from:?} to {to:?}");
        }
    }
}

/// A turn that goes wrong, and the name for how.
fn faults() -> Vec<(&'static str, Value, &'static str)> {
    let turn = |answer: Value, faults: Value| json!([{"id": "a", "answer": answer, "faults": faults}]);
    let words = || json!({"text": "A text that takes some pieces to say."});
    let fault = |fault: Value| turn(words(), json!([fault]));
    vec![
        ("cut off", turn(json!({"text": "A", "finish_reason": "length"}), json!([])), "cut_off"),
        (
            "filtered",
            turn(json!({"text": "A", "finish_reason": "content_filter"}), json!([])),
            "content_filter",
        ),
        ("status", fault(json!({"status": 503})), "status"),
        (
            "error in the stream",
            fault(json!({"error_after": {"events": 2, "message": "overloaded"}})),
            "provider",
        ),
        ("end before its end", fault(json!({"end_after": 3})), "truncated"),
        ("empty stream", fault(json!({"empty_stream": true})), "truncated"),
        ("half an event", fault(json!({"cut_inside": 3})), "unreachable"),
        ("reset", fault(json!({"reset_after": 2})), "unreachable"),
        ("reset at once", fault(json!({"reset_before_headers": true})), "unreachable"),
        ("broken JSON", fault(json!({"malformed_json": 2})), "malformed"),
        ("silence", fault(json!({"stall_after": 2})), "timeout"),
        ("silence at once", fault(json!({"stall_before_headers": true})), "timeout"),
        ("flood", fault(json!({"oversized": {"event": 1, "bytes": 20_000}})), "too_large"),
    ]
}

#[tokio::test(start_paused = true)]
async fn each_way_to_go_wrong_has_a_kind_of_its_own_on_every_wire() {
    for dialect in Dialect::ALL {
        for (name, turns, kind) in faults() {
            let mut w = world(dialect, turns).await;
            let limits = Limits {
                head: Duration::from_secs(30),
                whole: Duration::from_secs(60),
                body_bytes_max: 10_000,
            };
            w.agent.model = w.agent.model.clone().with_limits(limits);
            let mut conversation = opening();
            let end = w.agent.run(&mut conversation).await;
            let Err(TurnError::Model(why)) = &end else { panic!("{dialect:?} {name}: {end:?}") };
            assert_eq!(why.kind(), kind, "{dialect:?} {name}: {why}");
            assert_eq!(conversation, opening(), "{dialect:?} {name}");
            if let ModelError::Provider { message } = why {
                assert_eq!(message, "overloaded", "{dialect:?}");
            }
        }
    }
}
