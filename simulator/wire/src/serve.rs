//! Serving HTTP/1.1 on a [`Listener`].

use std::{convert::Infallible, future::Future, io, pin::Pin, sync::Arc, task};

use axum::{Router, body::Body, extract::Request};
use hyper::{body::Incoming, service::service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, ReadBuf};
use tower::ServiceExt;

use crate::{Listener, Stream, net::Peer};

/// The longest request head that a head filter looks at.
const HEAD_BYTES_MAX: usize = 64 * 1024;
/// What ends a head.
const BLANK_LINE: &[u8] = b"\r\n\r\n";

/// Changes the bytes of a request head before the server parses them. The blank line that ends the head is
/// among them; the body is not.
///
/// This is how a proxy in front of a server can be imitated: by the time a parsed request reaches a
/// handler, the spelling of its header names is gone.
pub type HeadFilter = Arc<dyn Fn(Vec<u8>) -> Vec<u8> + Send + Sync>;

/// Serves `router` until `stop` resolves. Open connections are dropped then.
///
/// Handlers find the [`Peer`] of the connection among the request's extensions.
pub async fn serve(
    mut listener: Listener,
    router: Router,
    filter: Option<HeadFilter>,
    stop: impl Future<Output = ()>,
) {
    let mut connections = tokio::task::JoinSet::new();
    tokio::pin!(stop);
    loop {
        tokio::select! {
            biased;
            () = &mut stop => break,
            Some(_) = connections.join_next(), if !connections.is_empty() => {}
            accepted = listener.accept() => match accepted {
                Ok((stream, peer)) => {
                    connections.spawn(connection(stream, peer, router.clone(), filter.clone()));
                }
                // A peer that went away before it was accepted is its own affair; a listener that is
                // gone would make this loop spin.
                Err(error) if error.kind() == io::ErrorKind::BrokenPipe => break,
                Err(_) => {}
            }
        }
    }
}

async fn connection(mut stream: Stream, peer: Peer, router: Router, filter: Option<HeadFilter>) {
    match filter {
        None => http1(stream, peer, router, true).await,
        Some(filter) => {
            let Some((head, mut more)) = read_head(&mut stream).await else { return };
            let mut start = filter(head);
            start.append(&mut more);
            let stream = Rewound { start, at: 0, stream };
            http1(stream, peer, router, false).await;
        }
    }
}

async fn http1<S: AsyncRead + AsyncWrite + Unpin + Send>(
    stream: S,
    peer: Peer,
    router: Router,
    keep_alive: bool,
) {
    let service = service_fn(move |request: Request<Incoming>| {
        let router = router.clone();
        async move {
            let mut request = request.map(Body::new);
            request.extensions_mut().insert(peer);
            Ok::<_, Infallible>(router.oneshot(request).await.unwrap_or_else(|never| match never {}))
        }
    });
    // A connection that breaks is the peer's doing; whoever waits for its answer sees it.
    let _ = hyper::server::conn::http1::Builder::new()
        .timer(TokioTimer::new())
        .auto_date_header(false)
        .keep_alive(keep_alive)
        .serve_connection(TokioIo::new(stream), service)
        .await;
}

/// The head of a request, blank line included, and what was read beyond it.
async fn read_head(stream: &mut Stream) -> Option<(Vec<u8>, Vec<u8>)> {
    let mut head = Vec::new();
    let mut piece = [0; 4096];
    loop {
        if let Some(at) = head.windows(BLANK_LINE.len()).position(|bytes| bytes == BLANK_LINE) {
            let more = head.split_off(at + BLANK_LINE.len());
            return Some((head, more));
        }
        let count = stream.read(&mut piece).await.ok()?;
        if count == 0 || head.len() > HEAD_BYTES_MAX {
            return None;
        }
        head.extend_from_slice(&piece[..count]);
    }
}

/// A stream whose first bytes were read already and are read again.
struct Rewound {
    start: Vec<u8>,
    at: usize,
    stream: Stream,
}

impl AsyncRead for Rewound {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut task::Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> task::Poll<io::Result<()>> {
        let this = &mut *self;
        let rest = &this.start[this.at..];
        if rest.is_empty() {
            return Pin::new(&mut this.stream).poll_read(cx, buf);
        }
        let count = rest.len().min(buf.remaining());
        buf.put_slice(&rest[..count]);
        this.at += count;
        task::Poll::Ready(Ok(()))
    }
}

impl AsyncWrite for Rewound {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut task::Context<'_>,
        bytes: &[u8],
    ) -> task::Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write(cx, bytes)
    }
    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut task::Context<'_>) -> task::Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(cx)
    }
    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut task::Context<'_>) -> task::Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }
}
