use std::time::Duration;

use serde_json::{Value, json};

use crate::desk::{ADA, Desk, refusal, types};

async fn said(desk: &Desk, session: &str, content: &str) {
    desk.post(&format!("/v1/sessions/{session}/messages"), json!({"content": content})).await;
}

#[tokio::test(start_paused = true)]
async fn the_stream_and_the_listing_show_the_same_objects_in_order() {
    let desk = Desk::shipped().await;
    let session = desk.session("pi", json!({})).await;
    said(&desk, &session, "hello").await;
    let mut feed = desk.stream(&session, None).await;
    assert_eq!(feed.open.status, 200);
    assert!(feed.open.headers.contains(&("content-type".into(), "text/event-stream".into())));
    let streamed = feed.until("session.status").await;
    assert_eq!(streamed, desk.events(&session).await);
    let ids: Vec<&str> = streamed.iter().map(|event| event["id"].as_str().unwrap()).collect();
    assert!(ids.is_sorted());
    assert!(streamed.iter().all(|event| event["session_id"] == json!(session)));
}

#[tokio::test(start_paused = true)]
async fn pages_of_events_put_together_are_the_log() {
    let desk = Desk::shipped().await;
    let session = desk.session("pi", json!({})).await;
    said(&desk, &session, "a b c d").await;
    desk.stream(&session, None).await.until("session.status").await;
    let (mut seen, mut query) = (Vec::new(), String::new());
    loop {
        let (_, page) = desk.get(&format!("/v1/sessions/{session}/events?limit=3{query}")).await;
        seen.extend(page["data"].as_array().unwrap().clone());
        match page["next_cursor"].as_str() {
            Some(cursor) => query = format!("&cursor={cursor}"),
            None => break,
        }
    }
    assert_eq!(seen, desk.events(&session).await);
}

#[tokio::test(start_paused = true)]
async fn a_stream_resumes_after_the_last_event_seen() {
    let desk = Desk::shipped().await;
    let session = desk.session("pi", json!({})).await;
    said(&desk, &session, "hello").await;
    let all = desk.stream(&session, None).await.until("session.status").await;
    for at in 0..all.len() - 1 {
        let rest = desk.stream(&session, all[at]["id"].as_str()).await.until("session.status").await;
        assert_eq!(rest, all[at + 1..], "after {at}");
    }
    let foreign = desk.stream(&session, Some("evt_nobody")).await.until("session.status").await;
    assert_eq!(foreign, all, "an unknown id loses nothing");
}

#[tokio::test(start_paused = true)]
async fn a_live_stream_is_kept_alive_and_delivers_what_happens() {
    let desk = Desk::shipped().await;
    let session = desk.session("pi", json!({})).await;
    let mut feed = desk.stream(&session, None).await;
    assert_eq!(types(&feed.until("session.created").await), ["session.created"]);
    let before = desk.clock.elapsed();
    for beat in 1..=20 {
        let frame = feed.next().await.unwrap();
        assert_eq!((frame.comments, frame.data), (vec![" keep-alive".to_owned()], None));
        assert_eq!(desk.clock.elapsed() - before, Duration::from_secs(15 * beat));
    }
    said(&desk, &session, "hello").await;
    assert_eq!(feed.event().await.unwrap()["type"], "turn.started");
    assert_eq!(desk.clock.elapsed() - before, Duration::from_secs(300), "events do not wait for a beat");
    feed.until("session.status").await;
    assert_eq!(desk.call(ADA, "DELETE", &format!("/v1/sessions/{session}"), None).await.0, 204);
    assert_eq!(feed.event().await.unwrap()["status"], "ended");
    assert_eq!(feed.next().await, None);
}

#[tokio::test(start_paused = true)]
async fn a_loop_without_deltas_has_a_stream_too() {
    let desk = Desk::shipped().await;
    let session = desk.session("sim-cli", json!({})).await;
    assert_eq!(desk.stream(&session, None).await.open.status, 200);
}

#[tokio::test(start_paused = true)]
async fn a_stream_of_nothing_is_refused_like_a_read() {
    let desk = Desk::shipped().await;
    let mut feed = desk.stream("sess_nobody", None).await;
    assert_eq!(feed.open.status, 404);
    let body: Value = serde_json::from_slice(&feed.open.next().await.unwrap().unwrap()).unwrap();
    assert_eq!(refusal(&(404, body)), (404, "session_not_found", Some("id")));
}

#[tokio::test(start_paused = true)]
async fn two_runs_of_one_seed_are_equal_to_the_byte() {
    async fn run() -> String {
        let desk = Desk::shipped().await;
        let session = desk.session("pi", json!({})).await;
        said(&desk, &session, "hello").await;
        desk.stream(&session, None).await.until("session.status").await;
        let refused = desk.get("/v1/harnesses/nobody").await.1;
        format!("{refused}{:?}{:?}", desk.events(&session).await, desk.get("/v1/sessions").await)
    }
    assert_eq!(run().await, run().await);
}
