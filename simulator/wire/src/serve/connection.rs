//! One connection, from its first byte to its end.

use std::{future::Future, time::Duration};

use axum::{body::Body, extract::Request, response::Response};
use bytes::Bytes;
use hyper::{body::Incoming, server::conn::http1::Builder, service::service_fn};
use hyper_util::rt::TokioIo;

use super::{
    head::{HeadFilter, filtered},
    io::{Answer, Wire},
    line::{Hangup, Line},
};
use crate::{Stream, net::Peer};

/// How long a request head may be at least, and how much of a body is read or buffered at a time. hyper takes
/// somewhat longer heads when they arrive in large pieces.
///
/// hyper's own limit is 408 KiB. A connection that took a long prompt keeps a read buffer of up to this size
/// for as long as its answer streams: an open stream after a prompt of 200 kB takes 66 KB with this limit and
/// 115 KB with hyper's, and 17 KB after a short one.
pub(super) const HEAD_BYTES_MAX: usize = 32 * 1024;
/// How long a peer may go on sending to a connection that was closed before everything was read.
const LINGER: Duration = Duration::from_secs(1);

/// A response that must not be written.
#[derive(Debug, thiserror::Error)]
#[error("the handler hung up")]
struct HungUp;

pub(super) async fn connection<S, F>(mut stream: Stream, peer: Peer, service: S, filter: Option<HeadFilter>)
where
    S: Fn(Request) -> F + Clone,
    F: Future<Output = Response>,
{
    let keep_alive = filter.is_none();
    let start = match filter {
        None => Bytes::new(),
        Some(filter) => match filtered(&mut stream, &filter).await {
            Some(start) => start.into(),
            None => return,
        },
    };
    let line = Line::new(peer);
    let wire = Wire { start, stream, line: line.clone() };
    let of_requests = line.clone();
    let service = service_fn(move |request: Request<Incoming>| {
        answer(request.map(Body::new), of_requests.clone(), service.clone())
    });
    let mut http = Builder::new()
        // Without a timer: it would be armed anew for every request, and an idle connection that ends by
        // itself surprises the client that is about to use it.
        .header_read_timeout(None)
        .auto_date_header(false)
        .keep_alive(keep_alive)
        .max_buf_size(HEAD_BYTES_MAX)
        // Events are small: one buffer and one write cost less than a list of pieces.
        .writev(false)
        .serve_connection(TokioIo::new(wire), service);
    let ended = (&mut http).await;
    let stream = http.into_parts().io.into_inner().stream;
    match ended {
        _ if line.is_reset() => stream.reset(),
        // The handler or its body wants the connection to end now.
        Err(error) if error.is_user() => {
            let _ = tokio::time::timeout(LINGER, stream.close()).await;
        }
        // A connection that breaks is the peer's doing; whoever waits for its answer sees it.
        _ => {}
    }
}

async fn answer<S, F>(mut request: Request, line: Line, service: S) -> Result<hyper::Response<Answer>, HungUp>
where
    S: Fn(Request) -> F,
    F: Future<Output = Response>,
{
    let extensions = request.extensions_mut();
    extensions.insert(line.peer());
    extensions.insert(line.clone());
    let response = service(request).await;
    if let Some(hangup) = response.extensions().get::<Hangup>() {
        if *hangup == Hangup::Reset {
            line.reset();
        }
        // hyper reads a request only once the answer before it has been flushed, so nothing is lost.
        return Err(HungUp);
    }
    Ok(response.map(|body| Answer { body, line, error: None }))
}
