//! A stream and a body that know the [`Line`] they belong to.

use std::{
    io,
    pin::Pin,
    task::{Context, Poll},
};

use axum::body::Body;
use bytes::Bytes;
use hyper::body::{Frame, SizeHint};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

use super::line::Line;
use crate::Stream;

/// The stream of a connection. Its first bytes may have been read already, and are read again.
pub(super) struct Wire {
    pub(super) start: Bytes,
    pub(super) stream: Stream,
    pub(super) line: Line,
}

impl AsyncRead for Wire {
    fn poll_read(self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        if this.start.is_empty() {
            return Pin::new(&mut this.stream).poll_read(cx, buf);
        }
        let count = this.start.len().min(buf.remaining());
        buf.put_slice(&this.start.split_to(count));
        Poll::Ready(Ok(()))
    }
}

impl AsyncWrite for Wire {
    fn poll_write(self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.get_mut().stream).poll_write(cx, bytes)
    }

    /// hyper calls this only when it has nothing left to write.
    fn poll_flush(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        let flushed = Pin::new(&mut this.stream).poll_flush(cx);
        if flushed.is_ready() {
            this.line.flushed(cx);
        }
        flushed
    }

    fn poll_shutdown(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        if this.line.is_reset() {
            // A reset that follows a FIN would come too late to be seen.
            return Poll::Ready(Ok(()));
        }
        Pin::new(&mut this.stream).poll_shutdown(cx)
    }
}

/// The body of an answer. An error in it is held back until what came before it has been flushed, since
/// hyper drops a connection on an error together with all that it has not written yet.
pub(super) struct Answer {
    pub(super) body: Body,
    pub(super) line: Line,
    pub(super) error: Option<axum::Error>,
}

impl hyper::body::Body for Answer {
    type Data = Bytes;
    type Error = axum::Error;

    #[inline]
    fn poll_frame(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        let this = self.get_mut();
        if this.error.is_none() {
            match Pin::new(&mut this.body).poll_frame(cx) {
                Poll::Ready(Some(Err(error))) => this.error = Some(error),
                other => return other,
            }
        }
        this.line.poll_flushed(cx).map(|()| this.error.take().map(Err))
    }

    #[inline]
    fn is_end_stream(&self) -> bool {
        self.error.is_none() && self.body.is_end_stream()
    }

    #[inline]
    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
