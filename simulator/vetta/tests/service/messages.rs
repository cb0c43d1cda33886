use std::sync::{Arc, Mutex};

use agent::Message;
use serde_json::{Value, json};
use tokio::sync::oneshot;
use vetta::{
    Answer, Parts, Turns,
    turns::{Answering, Scripted, Stage, TurnError, TurnRequest},
};

use crate::desk::{ADA, Desk, refusal, types};

fn text_of(events: &[Value], kind: &str, pointer: &str) -> Vec<String> {
    let wanted = events.iter().filter(|event| event["type"] == kind);
    wanted.map(|event| event.pointer(pointer).unwrap().as_str().unwrap().to_owned()).collect()
}

#[tokio::test(start_paused = true)]
async fn a_message_becomes_a_turn() {
    let desk = Desk::shipped().await;
    let session = desk.session("pi", json!({})).await;
    let path = format!("/v1/sessions/{session}");
    let (status, receipt) = desk.post(&format!("{path}/messages"), json!({"content": "hello there"})).await;
    assert_eq!(status, 202);
    let events = desk.stream(&session, None).await.until("turn.completed").await;
    assert_eq!(
        types(&events),
        [
            "session.created",
            "turn.started",
            "message.delta",
            "message.delta",
            "message.delta",
            "message.delta",
            "message.completed",
            "turn.completed",
        ]
    );
    let whole = text_of(&events, "message.completed", "/message/text");
    assert_eq!(whole, ["You said: hello there"]);
    assert_eq!(text_of(&events, "message.delta", "/delta/text").concat(), whole[0]);
    assert!(events[1..].iter().all(|event| event["turn_id"] == receipt["turn_id"]));
    assert_ne!(events[2]["message_id"], receipt["message_id"], "the receipt is of the caller's message");

    let (_, shown) = desk.get(&path).await;
    assert_eq!(shown["status"], "idle");
    assert_eq!(shown["last_turn"], json!({"id": receipt["turn_id"], "status": "completed"}));
    assert_eq!(types(&desk.events(&session).await).last(), Some(&"session.status"));
    assert_eq!(desk.post(&format!("{path}/messages"), json!({"content": "again"})).await.0, 202);
}

#[tokio::test(start_paused = true)]
async fn a_loop_without_deltas_answers_whole() {
    let desk = Desk::shipped().await;
    let session = desk.session("sim-cli", json!({})).await;
    desk.post(&format!("/v1/sessions/{session}/messages"), json!({"content": "One. Two. Three."})).await;
    let events = desk.stream(&session, None).await.until("session.status").await;
    assert_eq!(
        types(&events),
        ["session.created", "turn.started", "message.completed", "turn.completed", "session.status",]
    );
    assert_eq!(text_of(&events, "message.completed", "/message/text"), ["You said: One. Two. Three."]);
}

#[tokio::test(start_paused = true)]
async fn the_known_gap_fails_in_the_open_and_the_session_goes_on() {
    let desk = Desk::shipped().await;
    let schema = json!({"type": "object", "properties": {"n": {"type": "integer"}}});
    let start = json!({"structured_output_required": true, "structured_output_schema": schema});
    let session = desk.session("vetta", start).await;
    let path = format!("/v1/sessions/{session}");
    for _ in 0..2 {
        let (_, receipt) = desk.post(&format!("{path}/messages"), json!({"content": "hi"})).await;
        let failed = desk.stream(&session, None).await.until("turn.failed").await;
        assert_eq!(failed.last().unwrap()["error"]["code"], "structured_output_missing");
        let (_, shown) = desk.get(&path).await;
        assert_eq!((&shown["status"], &shown["structured_output"]), (&json!("idle"), &Value::Null));
        assert_eq!(shown["last_turn"]["id"], receipt["turn_id"]);
        assert_eq!(shown["last_turn"]["status"], "failed");
        assert_eq!(shown["last_turn"]["error"]["code"], "structured_output_missing");
    }
    let listed = desk.events(&session).await;
    assert_eq!(types(&listed).iter().filter(|kind| **kind == "turn.failed").count(), 2);
    assert!(!types(&listed).contains(&"turn.completed"));
}

#[tokio::test(start_paused = true)]
async fn a_typed_answer_is_offered_handed_in_and_shown_where_the_loop_can() {
    let requests = Arc::new(Mutex::new(Vec::new()));
    let seen = requests.clone();
    let turns = Scripted::new(move |request| {
        seen.lock().unwrap().push(request.submit.clone());
        Ok(Answer { text: "Done.".to_owned(), structured: Some(json!({"n": 7})) })
    });
    let desk = Desk::open(Parts::shipped().unwrap(), Arc::new(turns)).await;
    let start = json!({"structured_output_required": true, "structured_output_schema": {"type": "object"}});
    for (base, ended, shown) in
        [("pi", "turn.completed", json!({"n": 7})), ("vetta", "turn.failed", Value::Null)]
    {
        let session = desk.session(base, start.clone()).await;
        desk.post(&format!("/v1/sessions/{session}/messages"), json!({"content": "hi"})).await;
        let events = desk.stream(&session, None).await.until(ended).await;
        assert_eq!(types(&events).contains(&"structured_output.submitted"), base == "pi");
        assert_eq!(
            desk.get(&format!("/v1/sessions/{session}")).await.1["structured_output"],
            shown,
            "{base}"
        );
    }
    let offers = requests.lock().unwrap().clone();
    assert!(offers[0].as_ref().unwrap().required);
    assert_eq!(offers[1], None, "a loop without a submit path gets no offer");
}

#[tokio::test(start_paused = true)]
async fn a_turn_that_fails_says_so() {
    let turns = Scripted::new(|_| Err(TurnError::new("model_unreachable", "nobody answers")));
    let desk = Desk::open(Parts::shipped().unwrap(), Arc::new(turns)).await;
    let session = desk.session("pi", json!({})).await;
    desk.post(&format!("/v1/sessions/{session}/messages"), json!({"content": "hi"})).await;
    let events = desk.stream(&session, None).await.until("session.status").await;
    assert_eq!(types(&events), ["session.created", "turn.started", "turn.failed", "session.status"]);
    assert_eq!(events[2]["error"], json!({"code": "model_unreachable", "message": "nobody answers"}));
}

/// Turns that say one word and then wait until they are let go.
struct Held(Mutex<Option<oneshot::Receiver<()>>>);

impl Turns for Held {
    fn answer(&self, _: TurnRequest, stage: Stage) -> Answering {
        let gate = self.0.lock().unwrap().take();
        Box::pin(async move {
            stage.say("Wait");
            if let Some(gate) = gate {
                gate.await.unwrap();
            }
            Ok(Answer { text: "Wait".to_owned(), structured: None })
        })
    }
}

#[tokio::test(start_paused = true)]
async fn a_second_message_has_to_wait_for_the_end_of_the_turn() {
    let (release, gate) = oneshot::channel();
    let desk = Desk::open(Parts::shipped().unwrap(), Arc::new(Held(Mutex::new(Some(gate))))).await;
    let session = desk.session("pi", json!({})).await;
    let (path, hello) = (format!("/v1/sessions/{session}/messages"), json!({"content": "hello"}));
    assert_eq!(desk.post(&path, hello.clone()).await.0, 202);
    let mut feed = desk.stream(&session, None).await;
    feed.until("message.delta").await;
    let (_, shown) = desk.get(&format!("/v1/sessions/{session}")).await;
    assert_eq!((&shown["status"], &shown["last_turn"]["status"]), (&json!("running"), &json!("running")));
    assert_eq!(refusal(&desk.post(&path, hello.clone()).await), (409, "turn_running", None));
    release.send(()).unwrap();
    assert_eq!(
        types(&feed.until("session.status").await),
        ["message.completed", "turn.completed", "session.status"]
    );
    assert_eq!(desk.post(&path, hello).await.0, 202);
}

#[tokio::test(start_paused = true)]
async fn deleting_a_session_cancels_its_turn_and_ends_its_stream() {
    let (_release, gate) = oneshot::channel();
    let desk = Desk::open(Parts::shipped().unwrap(), Arc::new(Held(Mutex::new(Some(gate))))).await;
    let session = desk.session("pi", json!({})).await;
    desk.post(&format!("/v1/sessions/{session}/messages"), json!({"content": "hello"})).await;
    let mut feed = desk.stream(&session, None).await;
    feed.until("message.delta").await;
    assert_eq!(desk.call(ADA, "DELETE", &format!("/v1/sessions/{session}"), None).await.0, 204);
    let rest = feed.until("session.status").await;
    assert_eq!(types(&rest), ["turn.cancelled", "session.status"]);
    assert_eq!(rest[1]["status"], "ended");
    assert_eq!(feed.event().await, None);
}

#[tokio::test(start_paused = true)]
async fn a_turn_hears_what_was_said_before() {
    let seen = Arc::new(Mutex::new(Vec::new()));
    let log = seen.clone();
    let turns = Scripted::new(move |request| {
        let line = |message: &Message| match message {
            Message::User(text) => format!("user: {text}"),
            Message::Assistant { text, .. } => format!("assistant: {text}"),
            other => format!("{other:?}"),
        };
        let said: Vec<String> = request.conversation.iter().map(line).collect();
        log.lock().unwrap().push(said);
        assert_eq!((request.harness.as_str(), request.agent.model.as_str()), ("pi", "sim-1"));
        Ok(Answer { text: "Yes.".to_owned(), structured: None })
    });
    let desk = Desk::open(Parts::shipped().unwrap(), Arc::new(turns)).await;
    let session = desk.session("pi", json!({})).await;
    for content in ["one", "two"] {
        desk.post(&format!("/v1/sessions/{session}/messages"), json!({"content": content})).await;
        desk.stream(&session, None).await.until("session.status").await;
    }
    assert_eq!(*seen.lock().unwrap(), [vec!["user: one"], vec!["user: one", "assistant: Yes.", "user: two"]]);
}
