//! Taking connections.

use std::{future::Future, io::ErrorKind, time::Duration};

use axum::{Router, extract::Request, response::Response};
use tokio::task::JoinSet;
use tower::Service;

use super::{connection::connection, head::HeadFilter};
use crate::{Listener, Stream, net::Peer};

/// How long a listener rests that can take no connection now. Too few file descriptors are the usual
/// reason, and asking again at once would only keep a processor busy.
const REST: Duration = Duration::from_millis(20);

/// Serves `router` until `stop` resolves. Open connections are dropped then.
///
/// Handlers find the [`Peer`] and the [`Line`](super::Line) of the connection among the request's
/// extensions.
pub async fn serve(
    listener: Listener,
    router: Router,
    filter: Option<HeadFilter>,
    stop: impl Future<Output = ()>,
) {
    let service = move |request: Request| {
        // A router is always ready, and a clone of it is a pointer.
        let answer = router.clone().call(request);
        async move { answer.await.unwrap_or_else(|never| match never {}) }
    };
    serve_with(listener, service, filter, stop).await;
}

/// Serves `service` until `stop` resolves. Open connections are dropped then.
///
/// This is [`serve`] without a router, for those who count every microsecond. A clone of `service` answers
/// each request. A response that carries a [`Hangup`](super::Hangup) is not written.
pub async fn serve_with<S, F>(
    mut listener: Listener,
    service: S,
    filter: Option<HeadFilter>,
    stop: impl Future<Output = ()>,
) where
    S: Fn(Request) -> F + Clone + Send + Sync + 'static,
    F: Future<Output = Response> + Send + 'static,
{
    let mut connections = JoinSet::new();
    tokio::pin!(stop);
    loop {
        tokio::select! {
            biased;
            () = &mut stop => break,
            Some(_) = connections.join_next(), if !connections.is_empty() => {}
            accepted = next(&mut listener) => match accepted {
                Some((stream, peer)) => {
                    connections.spawn(connection(stream, peer, service.clone(), filter.clone()));
                }
                None => break,
            }
        }
    }
}

/// The next connection; `None` when the listener is gone.
async fn next(listener: &mut Listener) -> Option<(Stream, Peer)> {
    loop {
        match listener.accept().await {
            Ok(accepted) => return Some(accepted),
            Err(error) => match error.kind() {
                ErrorKind::BrokenPipe => return None,
                // A peer that went away before it was accepted is its own affair.
                ErrorKind::ConnectionAborted
                | ErrorKind::ConnectionReset
                | ErrorKind::ConnectionRefused
                | ErrorKind::Interrupted => {}
                _ => rest().await,
            },
        }
    }
}

#[expect(clippy::disallowed_methods, reason = "a listener has no clock, and this wait decides nothing")]
async fn rest() {
    tokio::time::sleep(REST).await;
}
