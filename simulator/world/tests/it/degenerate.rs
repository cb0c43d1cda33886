//! Targets that are no harness: each answers as its description says.

use std::time::Duration;

use proofhouse_world::degenerate::{KINDS, Kind, kind, serve};
use wire::{
    Clock, Net,
    http::{Failure, Limits, Request, Response, open, send},
    sse::Parser,
};

use crate::worlds::AT;

const HEAD: Duration = Duration::from_secs(5);
const WHOLE: Duration = Duration::from_secs(20);
const LIMITS: Limits = Limits { head: HEAD, whole: WHOLE, body_bytes_max: 1024 * 1024 };

async fn serving(kind: Kind) -> (Net, Clock) {
    let (net, clock) = (Net::memory(), Clock::virtual_time());
    let listener = net.listen(AT).await.unwrap();
    tokio::spawn(serve(kind, listener, clock.clone(), std::future::pending()));
    // The server's task takes or gives up the address when it first runs.
    tokio::task::yield_now().await;
    (net, clock)
}

/// Requests of every shape: the answer never depends on them.
fn requests() -> [Request; 3] {
    [
        Request::new("GET", "/v1/harnesses"),
        Request::new("POST", "/v1/agents").header("authorization", "Bearer x").json(r#"{"a":1}"#),
        Request::new("DELETE", "/").json("no JSON"),
    ]
}

async fn answers(kind: Kind) -> Vec<(Request, Result<Response, Failure>)> {
    let (net, _) = serving(kind).await;
    let mut answers = Vec::new();
    for request in requests() {
        let answer = send(&net, AT, &request, LIMITS).await;
        answers.push((request, answer));
    }
    answers
}

fn content_type(answer: &Response) -> &str {
    answer.headers.iter().find(|(name, _)| name == "content-type").map_or("", |(_, value)| value)
}

#[tokio::test(start_paused = true)]
async fn whole_answers() {
    for (kind, status, media, body) in [
        (Kind::EmptyObject, 200, "application/json", "{}"),
        (Kind::Always400, 400, "application/json", "{}"),
        (Kind::Always501, 501, "application/json", "{}"),
        (Kind::Always500, 500, "application/json", "{}"),
        (Kind::EmptyStream, 200, "text/event-stream", ""),
    ] {
        for (_, answer) in answers(kind).await {
            let answer = answer.unwrap();
            assert_eq!((answer.status, content_type(&answer)), (status, media), "{kind:?}");
            assert_eq!(answer.body, body, "{kind:?}");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn the_echo_says_what_it_is_told() {
    for (request, answer) in answers(Kind::Echo).await {
        let answer = answer.unwrap();
        assert_eq!((answer.status, content_type(&answer)), (200, "application/json"));
        assert_eq!(answer.body, request.body.unwrap_or_default());
    }
}

#[tokio::test(start_paused = true)]
async fn the_web_page_is_one() {
    for (_, answer) in answers(Kind::HtmlPage).await {
        let answer = answer.unwrap();
        assert_eq!((answer.status, content_type(&answer)), (200, "text/html"));
        assert!(answer.body.starts_with(b"<!doctype html>"), "{answer:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn where_nobody_listens_connections_are_refused() {
    for (_, answer) in answers(Kind::Refused).await {
        assert!(matches!(answer, Err(Failure::Connect { .. })), "{answer:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn the_one_that_hangs_takes_connections_and_says_nothing() {
    let (net, clock) = serving(Kind::Hangs).await;
    for (number, request) in (1..).zip(requests()) {
        assert_eq!(send(&net, AT, &request, LIMITS).await, Err(Failure::NoHead(HEAD)));
        assert_eq!(clock.elapsed(), number * HEAD);
    }
}

#[tokio::test(start_paused = true)]
async fn the_stream_without_end_goes_on_and_on() {
    let (net, clock) = serving(Kind::EndlessStream).await;
    let request = Request::new("GET", "/v1/sessions/s/events");
    let mut stream = open(&net, AT, &request, HEAD).await.unwrap();
    assert_eq!(stream.status, 200);
    assert!(stream.headers.contains(&("content-type".to_owned(), "text/event-stream".to_owned())));
    let mut parser = Parser::default();
    let mut frames = Vec::new();
    while frames.len() < 500 {
        frames.extend(parser.push(&stream.next().await.unwrap().unwrap()));
    }
    // 500 beats of 20 ms.
    assert_eq!(clock.elapsed(), Duration::from_secs(10));
    for (number, frame) in frames.iter().enumerate() {
        assert_eq!(frame.id, Some(number.to_string()));
        assert_eq!(frame.event.as_deref(), Some("tick"));
        assert_eq!(frame.data, Some(format!(r#"{{"id":"{number}","type":"tick"}}"#)));
    }
    drop(stream);
    assert_eq!(send(&net, AT, &request, LIMITS).await, Err(Failure::NoEnd(WHOLE)));
}

#[tokio::test(start_paused = true)]
async fn every_kind_ends_when_it_is_told_to() {
    for (name, kind) in KINDS {
        let (net, clock) = (Net::memory(), Clock::virtual_time());
        let listener = net.listen(AT).await.unwrap();
        let server = tokio::spawn(serve(kind, listener, clock.clone(), clock.pause(HEAD)));
        clock.within(WHOLE, server).await.unwrap().unwrap();
        assert_eq!(clock.elapsed(), HEAD, "{name}");
        assert!(net.listen(AT).await.is_ok(), "{name} still listens");
    }
}

#[test]
fn kinds_have_names_and_a_wrong_name_is_told_which() {
    for (name, expected) in KINDS {
        assert_eq!(kind(name), Ok(expected));
        assert_eq!(KINDS.iter().filter(|(other, _)| *other == name).count(), 1, "{name} twice");
    }
    let error = kind("hangs").unwrap_err().to_string();
    assert!(error.contains("`hangs`"), "{error}");
    assert!(KINDS.iter().all(|(name, _)| error.contains(name)), "{error}");
}
