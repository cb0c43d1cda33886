//! The event stream.

use std::time::Duration;

use serde_json::{Value, json};
use wire::{
    http::{Request, open},
    sse::{Frame, Parser},
};

use crate::{
    model::text,
    world::{World, config, path},
};

pub(crate) fn frames(bytes: &[u8]) -> Vec<Frame> {
    Parser::default().push(bytes)
}

async fn busy() -> World {
    let world = World::with(Box::new(|_| text("hello"))).await;
    let agent = world.publish(&config(&[])).await.expect(201);
    world.session(&agent, "hi").await;
    world
}

fn once(world: &World, query: &str) -> Request {
    world.request("GET", &path(&format!("events?once=true{query}")))
}

#[tokio::test(start_paused = true)]
async fn positions_have_no_gaps_and_cursors_give_the_suffix() {
    let world = busy().await;
    let all = frames(&world.raw(&once(&world, "")).await.body);
    assert!(all.len() > 8 && all.iter().all(|frame| frame.comments.is_empty()));
    let rows: Vec<Value> =
        all.iter().map(|frame| serde_json::from_str(frame.data.as_ref().unwrap()).unwrap()).collect();
    for (at, (frame, row)) in all.iter().zip(&rows).enumerate() {
        assert_eq!(row["projectPosition"], (at + 1).to_string());
        assert_eq!(frame.event.as_deref(), row["kind"].as_str());
    }
    let third = all[2].id.clone().unwrap();
    let suffix = frames(&world.raw(&once(&world, &format!("&cursor={third}"))).await.body);
    assert_eq!(suffix, all[3..]);
    // The header wins over the query.
    let header = once(&world, "&cursor=djE6MA").header("last-event-id", third);
    assert_eq!(frames(&world.raw(&header).await.body), all[3..]);
    for bad in ["nonsense", "djE6MDE", ""] {
        world.ask(&once(&world, &format!("&cursor={bad}"))).await.refused(400, "bad_request");
        world.ask(&once(&world, "").header("last-event-id", bad)).await.refused(400, "bad_request");
    }
    assert!(frames(&world.raw(&once(&world, "&cursor=djE6OTk5")).await.body).is_empty());
}

#[tokio::test(start_paused = true)]
async fn a_quiet_stream_greets_keeps_alive_and_closes() {
    let world = World::new().await;
    let began = world.clock.elapsed_ms();
    let request = world.request("GET", &path("events"));
    let mut stream = open(&world.net, &world.authority, &request, Duration::from_secs(5)).await.unwrap();
    let mut seen = Vec::new();
    while let Some(piece) = stream.next().await {
        let comments: Vec<String> =
            frames(&piece.unwrap()).into_iter().flat_map(|frame| frame.comments).collect();
        seen.push((world.clock.elapsed_ms() - began, comments.join("|")));
    }
    assert_eq!(
        seen,
        [(0, " connected".into()), (10_000, " keepalive".into()), (20_000, " keepalive".into())]
    );
    assert_eq!(world.clock.elapsed_ms() - began, 25_000);
    let headers: std::collections::BTreeMap<_, _> = stream.headers.iter().cloned().collect();
    assert_eq!(headers["cache-control"], "no-store, no-transform");
    assert_eq!(headers["x-accel-buffering"], "no");
    assert!(headers["content-type"].starts_with("text/event-stream"));
}

#[tokio::test(start_paused = true)]
async fn an_open_stream_gets_events_as_they_come() {
    let world = World::with(Box::new(|_| text("hello").after(3000))).await;
    let agent = world.publish(&config(&[])).await.expect(201);
    let mut stream =
        open(&world.net, &world.authority, &world.request("GET", &path("events")), Duration::from_secs(5))
            .await
            .unwrap();
    assert_eq!(stream.next().await.unwrap().unwrap(), ": connected\n\n");
    world.post(&path("sessions"), &json!({"agentId": agent["id"], "initialMessage": "hi"})).await.expect(201);
    let mut kinds = Vec::new();
    while !kinds.contains(&"session.summary_changed:completed".to_owned()) {
        for frame in frames(&stream.next().await.unwrap().unwrap()) {
            let row: Value = serde_json::from_str(frame.data.as_ref().unwrap()).unwrap();
            let state = row["publicPayload"]["state"].as_str().unwrap_or_default();
            kinds.push(format!("{}:{state}", row["kind"].as_str().unwrap()));
        }
    }
    assert_eq!(
        kinds,
        [
            "run.created:queued",
            "message.created:",
            "runtime.dispatch_reserved:",
            "runtime.dispatch_admitted:",
            "run.state_changed:running",
            "session.summary_changed:running",
            "model.invocation_started:",
            "model.invocation_completed:",
            "message.created:",
            "run.state_changed:completed",
            "session.summary_changed:completed"
        ]
    );
}
