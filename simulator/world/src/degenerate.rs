//! Targets that are no harness at all.

use std::{convert::Infallible, time::Duration};

use axum::{
    Router,
    body::{Body, Bytes},
    http::{StatusCode, header},
    response::{IntoResponse, Response},
};
use futures_util::stream;
use wire::{Clock, Listener, Stream};

/// A kind of target that is no harness.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Nobody listens.
    Refused,
    /// Connections are taken and nothing is ever answered.
    Hangs,
    /// Every answer is `200 {}`.
    EmptyObject,
    /// Every answer is 400.
    Always400,
    /// Every answer is 501.
    Always501,
    /// Every answer is 500.
    Always500,
    /// Every answer is 200 with the body of the request.
    Echo,
    /// Every answer is an event stream that ends at once.
    EmptyStream,
    /// Every answer is an event stream that never ends.
    EndlessStream,
    /// Every answer is a web page.
    HtmlPage,
}

/// All kinds, with their names.
pub const KINDS: [(&str, Kind); 10] = [
    ("refused", Kind::Refused),
    ("accepts-and-hangs", Kind::Hangs),
    ("always-200-empty", Kind::EmptyObject),
    ("always-400", Kind::Always400),
    ("always-501", Kind::Always501),
    ("always-500", Kind::Always500),
    ("echo", Kind::Echo),
    ("empty-stream", Kind::EmptyStream),
    ("endless-stream", Kind::EndlessStream),
    ("html-page", Kind::HtmlPage),
];

/// Between two events of the endless stream.
const BEAT: Duration = Duration::from_millis(20);

/// A name that is no kind of degenerate target.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown kind of degenerate target `{0}`: it is one of {known}", known = names().join(", "))]
pub struct UnknownKind(pub String);

fn names() -> Vec<&'static str> {
    KINDS.iter().map(|(name, _)| *name).collect()
}

/// The kind called `name`.
pub fn kind(name: &str) -> Result<Kind, UnknownKind> {
    KINDS
        .iter()
        .find(|(each, _)| *each == name)
        .map(|(_, kind)| *kind)
        .ok_or_else(|| UnknownKind(name.to_owned()))
}

/// Serves a degenerate target on `listener` until `stop` resolves. [`Kind::Refused`] gives the listener
/// up at once, so that its address refuses connections.
pub async fn serve(kind: Kind, mut listener: Listener, clock: Clock, stop: impl Future<Output = ()>) {
    match kind {
        Kind::Refused => {
            drop(listener);
            stop.await;
        }
        Kind::Hangs => {
            let mut held: Vec<Stream> = Vec::new();
            tokio::pin!(stop);
            loop {
                tokio::select! {
                    biased;
                    () = &mut stop => return,
                    accepted = listener.accept() => match accepted {
                        Ok((stream, _)) => held.push(stream),
                        Err(_) => return,
                    }
                }
            }
        }
        kind => {
            let answer = move |body: Bytes| {
                let clock = clock.clone();
                async move { answer(kind, body, clock) }
            };
            wire::serve::serve(listener, Router::new().fallback(answer), None, stop).await;
        }
    }
}

fn answer(kind: Kind, body: Bytes, clock: Clock) -> Response {
    let json = |status: StatusCode, body: Bytes| {
        (status, [(header::CONTENT_TYPE, "application/json")], body).into_response()
    };
    let object = Bytes::from_static(b"{}");
    match kind {
        Kind::Always400 => json(StatusCode::BAD_REQUEST, object),
        Kind::Always501 => json(StatusCode::NOT_IMPLEMENTED, object),
        Kind::Always500 => json(StatusCode::INTERNAL_SERVER_ERROR, object),
        Kind::Echo => json(StatusCode::OK, body),
        Kind::EmptyStream => events(Body::empty()),
        Kind::EndlessStream => events(endless(clock)),
        Kind::HtmlPage => {
            let page = "<!doctype html><title>Welcome</title><h1>It works</h1>\n";
            ([(header::CONTENT_TYPE, "text/html")], page).into_response()
        }
        Kind::EmptyObject | Kind::Refused | Kind::Hangs => json(StatusCode::OK, object),
    }
}

fn events(body: Body) -> Response {
    ([(header::CONTENT_TYPE, "text/event-stream")], body).into_response()
}

fn endless(clock: Clock) -> Body {
    Body::from_stream(stream::unfold((clock, 0_u64), |(clock, number)| async move {
        clock.pause(BEAT).await;
        let frame = format!("id: {number}\nevent: tick\ndata: {{\"id\":\"{number}\",\"type\":\"tick\"}}\n\n");
        Some((Ok::<_, Infallible>(frame), (clock, number + 1)))
    }))
}
