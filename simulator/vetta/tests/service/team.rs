//! Teams: a coordinator, its threads, and how it hears of them.

use serde_json::{Value, json};

use crate::{
    desk::{ADA, types},
    table::Table,
};

/// A coordinator on `base` that delegates once, waits and ends; its member is held at a gate. A coordinator that
/// is woken has one word more.
fn script(member: &str) -> Value {
    json!([
        {"id": "lead-1", "when": {"last_user_contains": "begin", "no_tool_results": true}, "answer":
            {"tool_calls": [{"id": "s1", "name": "send_to_agent",
                "arguments": {"agent": member, "message": "the-task"}}]}},
        {"id": "lead-2", "when": {"last_user_contains": "begin", "tool_result_for": "s1"}, "answer":
            {"tool_calls": [{"id": "w1", "name": "wait_for_agents", "arguments": {}}]}},
        {"id": "lead-3", "when": {"last_user_contains": "begin", "tool_result_for": "w1"},
            "answer": {"text": "Delegated."}},
        {"id": "member", "when": {"user_contains": "the-task", "system_contains": "member"}, "hold": "desk",
            "answer": {"text": "The task is done."}},
        {"id": "woken", "when": {"last_user_contains": "team reports"}, "answer": {"text": "Heard."}},
    ])
}

struct Led {
    table: Table,
    session: String,
    member: String,
}

/// The coordinator has begun, and its member is at the model.
async fn led(base: &str) -> Led {
    let table = Table::laid(json!([{"id": "none", "answer": {"text": "-"}}])).await;
    let member = table.desk.agent(ADA, json!({"harness": "vetta", "system": "member"})).await;
    table.load(script(&member));
    let team = json!({"type": "coordinator", "agents": [member]});
    let lead = table.desk.agent(ADA, json!({"harness": base, "multiagent": team})).await;
    let (_, session) = table.desk.post("/v1/sessions", json!({"agent": lead})).await;
    let session = session["id"].as_str().unwrap().to_owned();
    assert_eq!(table.say(&session, "begin").await, 202);
    table.host.wait_for_held("k", "desk", 1).await.unwrap();
    Led { table, session, member }
}

impl Led {
    async fn threads(&self) -> Vec<Value> {
        let (_, page) = self.table.desk.get(&format!("/v1/sessions/{}/threads", self.session)).await;
        page["data"].as_array().unwrap().clone()
    }

    async fn until(&self, kind: &str, count: usize) -> Vec<Value> {
        let mut stream = self.table.desk.stream(&self.session, None).await;
        let mut seen = Vec::new();
        for _ in 0..count {
            seen.extend(stream.until(kind).await);
        }
        seen
    }
}

#[tokio::test(start_paused = true)]
async fn a_loop_that_can_hold_calls_waits_for_its_team() {
    let led = led("pi").await;
    // Everything that could go on without the member has minutes to do so.
    led.table.desk.clock.pause(std::time::Duration::from_secs(240)).await;
    assert_eq!(led.table.shown(&led.session).await["status"], "running");
    let threads = led.threads().await;
    assert_eq!((threads.len(), &threads[0]["status"]), (1, &json!("running")));
    assert_eq!(threads[0]["agent_id"], led.member.as_str());
    led.table.host.release("k", "desk").unwrap();
    let events = led.until("session.status", 1).await;
    let order = ["thread.opened", "thread.completed", "turn.completed"];
    let seen: Vec<&str> = types(&events).into_iter().filter(|kind| order.contains(kind)).collect();
    assert_eq!(seen, order);
    assert_eq!(led.threads().await[0]["status"], "completed");
    let told = led.table.told(3, "w1");
    assert!(told.contains("The task is done.") && told.contains("\"status\":\"completed\""), "{told}");
    assert_eq!(led.table.shown(&led.session).await["status"], "idle", "what was told wakes nobody");
}

#[tokio::test(start_paused = true)]
async fn a_loop_that_cannot_hold_calls_parks_and_is_woken() {
    for base in ["sim-cli", "sim-iso-noask"] {
        let led = led(base).await;
        let events = led.until("session.status", 1).await;
        assert_eq!(events.last().unwrap()["status"], "parked", "{base}");
        assert_eq!(led.table.shown(&led.session).await["status"], "parked");
        assert_eq!(led.threads().await[0]["status"], "running");
        assert!(led.table.told_anywhere("w1").contains("not_waiting"), "{base}");
        led.table.host.release("k", "desk").unwrap();
        let events = led.until("session.status", 2).await;
        let kinds = types(&events);
        let woken = kinds.iter().rposition(|kind| *kind == "turn.started").unwrap();
        assert!(kinds[..woken].contains(&"thread.completed"), "{kinds:?}");
        assert_eq!(events.last().unwrap()["status"], "idle");
        assert_eq!(led.threads().await[0]["status"], "completed");
        assert!(led.table.asked().iter().any(|turn| turn == "woken"));
    }
}

#[tokio::test(start_paused = true)]
async fn a_session_that_is_deleted_takes_its_threads_along() {
    let led = led("sim-cli").await;
    led.until("session.status", 1).await;
    let path = format!("/v1/sessions/{}", led.session);
    assert_eq!(led.table.desk.call(ADA, "DELETE", &path, None).await.0, 204);
    led.table.host.release("k", "desk").unwrap();
    led.table.host.wait_until_idle("k").await;
    assert_eq!(led.table.desk.get(&format!("{path}/threads")).await.0, 404);
    assert!(!led.table.asked().iter().any(|turn| turn == "woken"));
}

#[tokio::test(start_paused = true)]
async fn nobody_outside_the_team_is_handed_anything() {
    let table = Table::laid(json!([{"id": "none", "answer": {"text": "-"}}])).await;
    let stranger = table.desk.agent(ADA, json!({})).await;
    let gone = table.desk.agent(ADA, json!({})).await;
    let away = table.desk.agent(ADA, json!({"harness": "sim-dark"})).await;
    let call = |id: &str, to: &str| {
        json!({"id": id, "answer": {"tool_calls": [{"id": id, "name": "send_to_agent",
            "arguments": {"agent": to, "message": "m"}}]}})
    };
    let ends = json!({"id": "d", "answer": {"text": "-"}});
    table.load(json!([call("a", &stranger), call("b", &away), call("c", &gone), ends]));
    let pinned = json!({"type": "agent", "id": gone, "version": 2});
    let team = json!({"type": "coordinator", "agents": [away, pinned, {"type": "self"}]});
    let lead = table.desk.agent(ADA, json!({"multiagent": team})).await;
    let (_, session) = table.desk.post("/v1/sessions", json!({"agent": lead})).await;
    let session = session["id"].as_str().unwrap().to_owned();
    table.say(&session, "begin").await;
    table.desk.stream(&session, None).await.until("session.status").await;
    assert!(table.told_anywhere("a").contains("is not in the team"), "{}", table.told_anywhere("a"));
    assert!(table.told_anywhere("b").contains("sim-dark"), "a thread is admitted like a session");
    assert!(table.told_anywhere("c").contains("version 2"), "the version that the team stays on is gone");
    let (_, page) = table.desk.get(&format!("/v1/sessions/{session}/threads")).await;
    assert_eq!(page["data"], json!([]));
}

#[tokio::test(start_paused = true)]
async fn what_is_asked_in_a_thread_is_decided_by_whoever_leads_the_session() {
    let table = Table::laid(json!([{"id": "none", "answer": {"text": "-"}}])).await;
    let asks = json!({"permission": "allow", "overrides": {"shell": "ask"}});
    let member = table.desk.agent(ADA, json!({"harness": "pi", "system": "member", "tools": asks})).await;
    table.load(json!([
        {"id": "lead-1", "when": {"last_user_contains": "begin", "no_tool_results": true}, "answer":
            {"tool_calls": [{"id": "s1", "name": "send_to_agent",
                "arguments": {"agent": member, "message": "the-task"}}]}},
        {"id": "lead-2", "when": {"last_user_contains": "begin", "tool_result_for": "s1"}, "answer":
            {"tool_calls": [{"id": "w1", "name": "wait_for_agents", "arguments": {}}]}},
        {"id": "lead-3", "when": {"last_user_contains": "begin", "tool_result_for": "w1"},
            "answer": {"text": "Delegated."}},
        {"id": "member-1", "when": {"system_contains": "member", "no_tool_results": true}, "answer":
            {"tool_calls": [{"id": "m1", "name": "shell", "arguments": {"command": "ls"}}]}},
        {"id": "member-2", "when": {"system_contains": "member", "tool_result_for": "m1"},
            "answer": {"text": "Looked."}},
    ]));
    let team = json!({"type": "coordinator", "agents": [member]});
    let lead = table.desk.agent(ADA, json!({"harness": "pi", "multiagent": team})).await;
    let (_, session) = table.desk.post("/v1/sessions", json!({"agent": lead})).await;
    let session = session["id"].as_str().unwrap().to_owned();
    table.say(&session, "begin").await;
    let events = table.desk.stream(&session, None).await.until("tool.confirmation_required").await;
    let asked = events.last().unwrap();
    let thread = asked["thread_id"].as_str().unwrap();
    assert_eq!(table.effects(thread), [""; 0], "nothing runs before somebody decides");
    let call = asked["tool_call_id"].as_str().unwrap();
    assert_eq!(table.decide(&session, call, "allow").await.0, 202);
    table.desk.stream(&session, None).await.until("session.status").await;
    assert_eq!(table.effects(thread), ["shell"]);
    assert!(table.told_anywhere("w1").contains("Looked."));
}
