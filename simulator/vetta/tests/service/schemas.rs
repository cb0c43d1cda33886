//! The JSON Schemas of the wire objects, held against every answer that a test receives.

use std::sync::LazyLock;

use jsonschema::{Registry, Validator};
use serde_json::{Value, json};

const FILES: [(&str, &str); 16] = [
    ("harness.json", include_str!("../../../../spec/vetta/schemas/harness.json")),
    ("harness-list.json", include_str!("../../../../spec/vetta/schemas/harness-list.json")),
    ("model-list.json", include_str!("../../../../spec/vetta/schemas/model-list.json")),
    ("agent.json", include_str!("../../../../spec/vetta/schemas/agent.json")),
    ("agent-list.json", include_str!("../../../../spec/vetta/schemas/agent-list.json")),
    ("session.json", include_str!("../../../../spec/vetta/schemas/session.json")),
    ("session-list.json", include_str!("../../../../spec/vetta/schemas/session-list.json")),
    ("event.json", include_str!("../../../../spec/vetta/schemas/event.json")),
    ("event-list.json", include_str!("../../../../spec/vetta/schemas/event-list.json")),
    ("error.json", include_str!("../../../../spec/vetta/schemas/error.json")),
    ("message-receipt.json", include_str!("../../../../spec/vetta/schemas/message-receipt.json")),
    ("confirmation-receipt.json", include_str!("../../../../spec/vetta/schemas/confirmation-receipt.json")),
    ("interrupt-receipt.json", include_str!("../../../../spec/vetta/schemas/interrupt-receipt.json")),
    ("thread.json", include_str!("../../../../spec/vetta/schemas/thread.json")),
    ("thread-list.json", include_str!("../../../../spec/vetta/schemas/thread-list.json")),
    ("balance.json", include_str!("../../../../spec/vetta/schemas/balance.json")),
];

static VALIDATORS: LazyLock<Vec<(&str, Validator)>> = LazyLock::new(|| {
    let schemas = FILES.map(|(name, text)| (name, serde_json::from_str::<Value>(text).unwrap()));
    let registry = schemas.iter().fold(Registry::new(), |registry, (_, schema)| {
        registry.add(schema["$id"].as_str().unwrap(), schema.clone()).unwrap()
    });
    let registry = registry.prepare().unwrap();
    let build = |schema| jsonschema::options().with_registry(&registry).build(schema).unwrap();
    schemas.iter().map(|(name, schema)| (*name, build(schema))).collect()
});

/// What is wrong with `value` by the schema `name`.
pub(crate) fn violations(name: &str, value: &Value) -> Vec<String> {
    let (_, validator) = VALIDATORS.iter().find(|(known, _)| *known == name).unwrap();
    validator.iter_errors(value).map(|error| format!("{}: {error}", error.instance_path())).collect()
}

/// The schema of an answer.
pub(crate) fn of_answer(method: &str, path: &str, status: u16) -> Option<&'static str> {
    let path = path.split('?').next().unwrap_or(path);
    let segments: Vec<&str> = path.trim_start_matches("/v1/").split('/').collect();
    match (status, method, segments.as_slice()) {
        (400.., ..) => Some("error.json"),
        (204, ..) => None,
        (_, "GET", ["harnesses"]) => Some("harness-list.json"),
        (_, "GET", ["harnesses", _]) => Some("harness.json"),
        (_, "GET", ["models"]) => Some("model-list.json"),
        (_, "GET", ["agents"]) => Some("agent-list.json"),
        (_, _, ["agents", ..]) => Some("agent.json"),
        (_, "GET", ["sessions"]) => Some("session-list.json"),
        (_, _, ["sessions"] | ["sessions", _]) => Some("session.json"),
        (_, _, ["sessions", _, "messages"]) => Some("message-receipt.json"),
        (_, _, ["sessions", _, "tool_confirmations"]) => Some("confirmation-receipt.json"),
        (_, _, ["sessions", _, "interrupt"]) => Some("interrupt-receipt.json"),
        (_, "GET", ["sessions", _, "threads"]) => Some("thread-list.json"),
        (_, "GET", ["balance"]) => Some("balance.json"),
        (_, _, ["sessions", _, "events"]) => Some("event-list.json"),
        _ => panic!("no schema for {method} {path}"),
    }
}

#[test]
fn ids_are_the_file_names() {
    for (name, text) in FILES {
        let schema: Value = serde_json::from_str(text).unwrap();
        assert!(schema["$id"].as_str().unwrap().ends_with(&format!("/schemas/{name}")), "{name}");
    }
}

#[test]
fn the_documented_sample_is_valid() {
    let sample = include_str!("../../../../fixtures/vetta/documents/harness-list.json");
    assert_eq!(violations("harness-list.json", &serde_json::from_str(sample).unwrap()), [""; 0]);
}

fn event(kind: &str, extra: Value) -> Value {
    let mut event = json!({"id": "evt_1", "type": kind, "session_id": "sess_1", "turn_id": "turn_1",
        "created_at": "2026-01-05T09:00:00.000Z"});
    event.as_object_mut().unwrap().extend(extra.as_object().unwrap().clone());
    event
}

#[test]
fn every_type_of_event_has_its_members() {
    let call = json!({"tool_call_id": "call_1", "name": "shell", "arguments": {}, "permission": "ask"});
    let good = [
        ("session.created", json!({"status": "idle"})),
        ("session.status", json!({"status": "requires_action"})),
        ("turn.started", json!({})),
        ("turn.completed", json!({})),
        ("turn.cancelled", json!({})),
        ("turn.failed", json!({"error": {"code": "c", "message": "m"}})),
        ("message.delta", json!({"message_id": "msg_1", "delta": {"text": "He"}})),
        (
            "message.completed",
            json!({"message_id": "msg_1", "message": {"role": "assistant", "text": "Hello"}}),
        ),
        ("tool.requested", call.clone()),
        ("tool.confirmation_required", call),
        ("tool.confirmation_resolved", json!({"tool_call_id": "call_1", "decision": "deny"})),
        ("tool.completed", json!({"tool_call_id": "call_1", "result": null})),
        ("tool.denied", json!({"tool_call_id": "call_1", "message": "no"})),
        ("tool.failed", json!({"tool_call_id": "call_1", "message": "no"})),
        ("structured_output.submitted", json!({"value": 1})),
        ("thread.opened", json!({"thread_id": "thr_1", "agent_id": "agent_2"})),
        ("thread.completed", json!({"thread_id": "thr_1", "agent_id": "agent_2"})),
        ("later.kind", json!({"anything": 1})),
    ];
    for (kind, extra) in good {
        assert_eq!(violations("event.json", &event(kind, extra.clone())), [""; 0], "{kind}");
        for name in extra.as_object().unwrap().keys().filter(|_| kind != "later.kind") {
            let mut short = event(kind, extra.clone());
            short.as_object_mut().unwrap().remove(name);
            let optional = kind == "tool.confirmation_required" && name == "permission";
            assert_eq!(violations("event.json", &short).is_empty(), optional, "{kind} without {name}");
        }
    }
}

#[test]
fn wrong_objects_are_caught() {
    let row = |change: Value| {
        let sample = include_str!("../../../../fixtures/vetta/documents/harness-list.json");
        let mut sample: Value = serde_json::from_str(sample).unwrap();
        sample["data"][0].as_object_mut().unwrap().extend(change.as_object().unwrap().clone());
        sample["data"][0].clone()
    };
    assert!(violations("harness.json", &row(json!({"later": 1}))).is_empty(), "extra members pass");
    for change in [
        json!({"base": ""}),
        json!({"label": null}),
        json!({"location": "cloud"}),
        json!({"billing": "metered"}),
        json!({"status": "disabled"}),
        json!({"execution": "hosted"}),
        json!({"runnable": "true"}),
        json!({"runnable": null}),
        json!({"capabilities": ["approvals"]}),
        json!({"capabilities": {"approvals": true}}),
    ] {
        assert!(!violations("harness.json", &row(change.clone())).is_empty(), "{change}");
    }
    for list in [
        json!([]),
        json!({"data": [], "has_more": false}),
        json!({"data": [], "has_more": false, "next_cursor": ""}),
        json!({"data": [], "has_more": false, "next_cursor": "x"}),
        json!({"data": [], "has_more": true, "next_cursor": null}),
        json!({"data": {}, "has_more": false, "next_cursor": null}),
    ] {
        assert!(!violations("agent-list.json", &list).is_empty(), "{list}");
        assert!(!violations("harness-list.json", &list).is_empty(), "{list}");
    }
    let more = json!({"data": [], "has_more": true, "next_cursor": "x"});
    assert!(violations("model-list.json", &more).is_empty());
    assert!(!violations("harness-list.json", &more).is_empty());
}
