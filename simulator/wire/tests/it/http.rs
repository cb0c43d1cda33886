//! The client: what it sends, and when it gives up.

use std::{convert::Infallible, time::Duration};

use axum::{Router, body::Body};
use futures_util::stream;
use proofhouse_wire::{
    Clock, Net,
    http::{Failure, Limits, Request, Response, open, send},
    serve::serve,
};

use crate::raw::{AT, Then, answer};

const HEAD: Duration = Duration::from_secs(5);
const WHOLE: Duration = Duration::from_secs(20);
const LIMITS: Limits = Limits { head: HEAD, whole: WHOLE, body_bytes_max: 64 };

fn get() -> Request {
    Request::new("GET", "/")
}

async fn ask(net: &Net, request: &Request) -> Result<Response, Failure> {
    send(net, AT, request, LIMITS).await
}

/// Serves `body` as the answer to everything.
async fn serving(net: &Net, body: impl Fn() -> Body + Clone + Send + Sync + 'static) {
    let listener = net.listen(AT).await.unwrap();
    let router = Router::new().fallback(move || {
        let body = body();
        async move { body }
    });
    tokio::spawn(serve(listener, router, None, std::future::pending()));
}

#[tokio::test(start_paused = true)]
async fn where_nobody_listens_there_is_no_connection() {
    let Err(Failure::Connect { authority, reason }) = ask(&Net::memory(), &get()).await else {
        panic!("somebody took the connection");
    };
    assert_eq!(authority, AT);
    assert!(!reason.is_empty());
}

#[tokio::test(start_paused = true)]
async fn a_head_that_does_not_come_is_waited_for_to_the_limit() {
    let (net, clock) = (Net::memory(), Clock::virtual_time());
    // Connections are taken by the network itself; nobody looks at them.
    let listener = net.listen(AT).await.unwrap();
    assert_eq!(ask(&net, &get()).await, Err(Failure::NoHead(HEAD)));
    assert_eq!(clock.elapsed(), HEAD);
    assert_eq!(open(&net, AT, &get(), HEAD).await.unwrap_err(), Failure::NoHead(HEAD));
    drop(listener);
    // Half a head is none.
    let half = answer(&net, b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n", Then::Wait).await;
    assert_eq!(ask(&net, &get()).await, Err(Failure::NoHead(HEAD)));
    half.await.unwrap();
    assert_eq!(clock.elapsed(), 3 * HEAD);
}

#[tokio::test(start_paused = true)]
async fn a_body_that_does_not_end_is_read_to_the_limit() {
    let (net, clock) = (Net::memory(), Clock::virtual_time());
    let begun = b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n2\r\nhi\r\n";
    let server = answer(&net, begun, Then::Wait).await;
    assert_eq!(ask(&net, &get()).await, Err(Failure::NoEnd(WHOLE)));
    assert_eq!(clock.elapsed(), WHOLE);
    server.await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn the_shorter_limit_fires() {
    let (net, clock) = (Net::memory(), Clock::virtual_time());
    let _listener = net.listen(AT).await.unwrap();
    let limits = Limits { head: WHOLE, whole: HEAD, ..LIMITS };
    assert_eq!(send(&net, AT, &get(), limits).await, Err(Failure::NoEnd(HEAD)));
    assert_eq!(clock.elapsed(), HEAD);
}

#[tokio::test(start_paused = true)]
async fn a_body_is_read_up_to_its_limit_and_no_further() {
    for (bytes, fits) in [(0, true), (64, true), (65, false), (100_000, false)] {
        let net = Net::memory();
        serving(&net, move || Body::from("x".repeat(bytes))).await;
        let answer = ask(&net, &get()).await;
        if fits {
            assert_eq!(answer.unwrap().body.len(), bytes);
        } else {
            assert_eq!(answer, Err(Failure::TooLarge(64)), "{bytes}");
        }
    }
    let (net, clock) = (Net::memory(), Clock::virtual_time());
    serving(&net, || Body::from_stream(stream::repeat_with(|| Ok::<_, Infallible>("again ")))).await;
    assert_eq!(ask(&net, &get()).await, Err(Failure::TooLarge(64)), "a body without end");
    assert_eq!(clock.elapsed(), Duration::ZERO);
}

#[tokio::test(start_paused = true)]
async fn what_breaks_off_is_broken() {
    for bytes in [
        &b""[..],
        b"HTTP/1.1 200 OK\r\n",
        b"HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nhi",
        b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n2\r\nhi\r\n",
        b"SSH-2.0-OpenSSH_9.6\r\n",
        b"HTTP/1.1 20x\r\n\r\n",
    ] {
        let net = Net::memory();
        answer(&net, bytes, Then::Close).await;
        let outcome = ask(&net, &get()).await;
        let words = String::from_utf8_lossy(bytes).into_owned();
        let Err(Failure::Broken(reason)) = outcome else { panic!("{words:?}: {outcome:?}") };
        assert!(!reason.is_empty(), "{words:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn what_cannot_be_written_in_http_is_not_sent() {
    let (net, clock) = (Net::memory(), Clock::virtual_time());
    let mut listener = net.listen(AT).await.unwrap();
    for (request, what) in [
        (Request::new("GE T", "/"), "method"),
        (Request::new("", "/"), "method"),
        (Request::new("GET", "/a b"), "path"),
        (Request::new("GET", ""), "path"),
        (get().header("x y", "z"), "header name"),
        (get().header("", "z"), "header name"),
        (get().header("x", "one\r\ntwo: three"), "header value"),
    ] {
        let outcome = ask(&net, &request).await;
        let Err(Failure::Unsendable(reason)) = outcome else { panic!("{request:?}: {outcome:?}") };
        assert!(reason.starts_with(&format!("{what}: ")), "{reason}");
    }
    assert!(clock.within(HEAD, listener.accept()).await.is_none(), "somebody connected");
}

#[tokio::test(start_paused = true)]
async fn header_names_are_spelled_as_the_request_says() {
    for (title_case, lines) in [
        (false, ["host: server.test:80", "x-token: A", "x-token: b", "content-type: application/json"]),
        (true, ["Host: server.test:80", "X-Token: A", "X-Token: b", "Content-Type: application/json"]),
    ] {
        let net = Net::memory();
        let server = answer(&net, b"HTTP/1.1 204 No Content\r\n\r\n", Then::Close).await;
        let mut request =
            Request::new("POST", "/v1?a=b").header("X-ToKeN", "A").header("x-token", "b").json("{}");
        request.title_case = title_case;
        assert_eq!(ask(&net, &request).await.unwrap().status, 204);
        let head = server.await.unwrap();
        assert!(head.starts_with("POST /v1?a=b HTTP/1.1\r\n"), "{head}");
        let places: Vec<Option<usize>> =
            lines.iter().map(|line| head.find(&format!("\r\n{line}\r\n"))).collect();
        assert!(places.iter().all(Option::is_some) && places.is_sorted(), "{places:?} in {head}");
    }
}

#[tokio::test(start_paused = true)]
async fn an_answer_is_given_as_it_came() {
    let net = Net::memory();
    let bytes = b"HTTP/1.1 299 Odd\r\nSet-Cookie: a\r\nX-Odd: \xff\r\nset-cookie: b\r\ncontent-length: 2\r\n\r\n\x00\xff";
    answer(&net, bytes, Then::Close).await;
    let answer = ask(&net, &get()).await.unwrap();
    assert_eq!((answer.status, &answer.body[..]), (299, &b"\x00\xff"[..]));
    let cookies: Vec<&str> = answer
        .headers
        .iter()
        .filter(|(name, _)| name == "set-cookie")
        .map(|(_, value)| value.as_str())
        .collect();
    assert_eq!(cookies, ["a", "b"]);
    assert!(answer.headers.contains(&("x-odd".to_owned(), "\u{fffd}".to_owned())));
}

#[tokio::test(start_paused = true)]
async fn an_open_answer_is_read_piece_by_piece_and_closed_by_dropping_it() {
    let (net, clock) = (Net::memory(), Clock::virtual_time());
    let begun = b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n2\r\nhi\r\n";
    let server = answer(&net, begun, Then::Wait).await;
    let mut open = open(&net, AT, &get(), HEAD).await.unwrap();
    assert_eq!(open.next().await.unwrap().unwrap(), "hi");
    assert!(clock.within(WHOLE, open.next()).await.is_none(), "more than was sent");
    assert!(!server.is_finished());
    drop(open);
    clock.within(HEAD, server).await.unwrap().unwrap();
}
