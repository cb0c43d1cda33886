//! The server: heads before they are parsed, the peer, and the end.

use std::{net::SocketAddr, sync::Arc, time::Duration};

use axum::{Extension, Router, body::Bytes, http::HeaderMap};
use proofhouse_wire::{
    Clock, Net,
    http::{Failure, Limits, Request, open, send},
    net::Peer,
    serve::{HeadFilter, serve},
};
use tokio::sync::oneshot;

use crate::raw::AT;

const LIMITS: Limits =
    Limits { head: Duration::from_secs(5), whole: Duration::from_secs(20), body_bytes_max: 8 * 1024 * 1024 };

/// Answers with the `authorization` that came, a line feed, and the body.
fn echo() -> Router {
    Router::new().fallback(|headers: HeaderMap, body: Bytes| async move {
        let key = headers.get("authorization").and_then(|value| value.to_str().ok()).unwrap_or("nothing");
        let mut answer = format!("{key}\n").into_bytes();
        answer.extend_from_slice(&body);
        answer
    })
}

/// Forgets the name of every line that spells it `Authorization`.
fn forgetful() -> HeadFilter {
    Arc::new(|head| String::from_utf8(head).unwrap().replace("Authorization:", "x-forgotten:").into_bytes())
}

#[tokio::test(start_paused = true)]
async fn a_head_filter_changes_the_head_and_never_the_body() {
    let net = Net::memory();
    let listener = net.listen(AT).await.unwrap();
    tokio::spawn(serve(listener, echo(), Some(forgetful()), std::future::pending()));
    // Short enough to arrive in one piece with the head, and long enough to fill the pipe.
    for repeats in [1, 10_000] {
        let body = "Authorization: none\r\n\r\n".repeat(repeats);
        for (title_case, key) in [(false, "Bearer a"), (true, "nothing")] {
            let mut request =
                Request::new("POST", "/").header("authorization", "Bearer a").json(body.clone());
            request.title_case = title_case;
            let answer = send(&net, AT, &request, LIMITS).await.unwrap();
            assert!(answer.body == format!("{key}\n{body}"), "title case {title_case}, {repeats} lines");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_filtered_head_without_end_is_dropped() {
    let net = Net::memory();
    let listener = net.listen(AT).await.unwrap();
    tokio::spawn(serve(listener, echo(), Some(forgetful()), std::future::pending()));
    let request = Request::new("GET", "/").header("x", "y".repeat(200_000));
    assert!(matches!(send(&net, AT, &request, LIMITS).await, Err(Failure::Broken(_))));
    // Others are served on.
    assert_eq!(send(&net, AT, &Request::new("GET", "/"), LIMITS).await.unwrap().body, "nothing\n");
}

#[tokio::test]
async fn a_handler_learns_who_asks() {
    let who = || {
        Router::new().fallback(|Extension(peer): Extension<Peer>| async move {
            match peer {
                Peer::Memory => "memory".to_owned(),
                Peer::Tcp(address) => format!("{} {}", address.ip(), peer.is_local()),
            }
        })
    };
    for (net, at, expected) in [(Net::memory(), AT, "memory"), (Net::Tcp, "127.0.0.1:0", "127.0.0.1 true")] {
        let listener = net.listen(at).await.unwrap();
        let authority = listener.authority().to_owned();
        let server = tokio::spawn(serve(listener, who(), None, std::future::pending()));
        let answer = send(&net, &authority, &Request::new("GET", "/"), LIMITS).await.unwrap();
        assert_eq!(answer.body, expected);
        server.abort();
    }
}

#[test]
fn only_this_machine_is_local() {
    for (address, local) in [
        ("127.0.0.1:1", true),
        ("127.9.9.9:1", true),
        ("[::1]:1", true),
        ("[::ffff:127.0.0.1]:1", true),
        ("192.0.2.7:1", false),
        ("10.0.0.1:1", false),
        ("0.0.0.0:1", false),
        ("[2001:db8::1]:1", false),
        ("[::ffff:192.0.2.7]:1", false),
    ] {
        assert_eq!(Peer::Tcp(address.parse::<SocketAddr>().unwrap()).is_local(), local, "{address}");
    }
    assert!(Peer::Memory.is_local());
}

#[tokio::test(start_paused = true)]
async fn the_end_cuts_open_connections_and_frees_the_address() {
    let (net, clock) = (Net::memory(), Clock::virtual_time());
    let listener = net.listen(AT).await.unwrap();
    let (stop, stopped) = oneshot::channel::<()>();
    let silent = Router::new().fallback(|| async {
        axum::body::Body::from_stream(futures_util::stream::pending::<Result<Bytes, std::io::Error>>())
    });
    let server = tokio::spawn(serve(listener, silent, None, async {
        let _ = stopped.await;
    }));
    let mut stream = open(&net, AT, &Request::new("GET", "/"), LIMITS.head).await.unwrap();
    stop.send(()).unwrap();
    server.await.unwrap();
    let cut = clock.within(LIMITS.head, stream.next()).await.unwrap();
    assert!(matches!(cut, Some(Err(Failure::Broken(_)))), "{cut:?}");
    let refused = send(&net, AT, &Request::new("GET", "/"), LIMITS).await;
    assert!(matches!(refused, Err(Failure::Connect { .. })), "{refused:?}");
    net.listen(AT).await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_head_may_be_long_but_not_endless() {
    let net = Net::memory();
    let listener = net.listen(AT).await.unwrap();
    tokio::spawn(serve(listener, echo(), None, std::future::pending()));
    for (length, status) in [(30_000, 200), (200_000, 431)] {
        let request = Request::new("GET", "/").header("x", "y".repeat(length));
        assert_eq!(send(&net, AT, &request, LIMITS).await.unwrap().status, status, "{length}");
    }
}
