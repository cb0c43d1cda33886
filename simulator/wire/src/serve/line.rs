//! The connection that a request came in on, as its handler sees it.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU8, Ordering},
    },
    task::{Context, Poll},
};

use crate::net::Peer;

/// An extension of a response that is never written: the connection ends instead, without a byte.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hangup {
    /// The connection is closed as usual (FIN over TCP).
    Close,
    /// The connection is reset (RST over TCP). In memory the pipe is dropped, as with [`Hangup::Close`].
    Reset,
}

/// The connection of a request. Every request carries it among its extensions; clones name the same
/// connection.
///
/// It lives as long as the connection, not the request: what is said here of one request holds for those
/// that follow on the same connection.
#[derive(Clone, Debug)]
pub struct Line(Arc<State>);

#[derive(Debug)]
struct State {
    peer: Peer,
    reset: AtomicBool,
    flush: AtomicU8,
}

/// Nobody waits for a flush.
const IDLE: u8 = 0;
/// Somebody waits for a flush that has not happened.
const WANTED: u8 = 1;
/// The flush that was waited for has happened.
const DONE: u8 = 2;

impl Line {
    pub(super) fn new(peer: Peer) -> Self {
        Self(Arc::new(State { peer, reset: AtomicBool::new(false), flush: AtomicU8::new(IDLE) }))
    }

    /// Who asks.
    pub fn peer(&self) -> Peer {
        self.0.peer
    }

    /// Has the connection reset (RST over TCP) when it ends, however it ends. It does not end it: let the
    /// body of the answer yield an error for that.
    ///
    /// Whatever the body yielded before has been handed to the network by then. What holds for the peer
    /// over TCP, on Linux: bytes in its receive buffer stay readable however late it reads, and it sees the
    /// reset after them. Bytes that are not there yet are lost. A buffer that nobody has tuned takes about
    /// 110 kB; when more comes at once, even a peer that reads promptly may miss the rest. Other systems
    /// may throw away what was not read yet.
    pub fn reset(&self) {
        self.0.reset.store(true, Ordering::Relaxed);
    }

    pub(super) fn is_reset(&self) -> bool {
        self.0.reset.load(Ordering::Relaxed)
    }

    /// Ready when everything that was written before the first call has been handed to the network. The
    /// task of the connection has to ask, since it is what flushes.
    ///
    /// Relaxed order is enough throughout: both sides are that one task.
    pub(super) fn poll_flushed(&self, cx: &mut Context<'_>) -> Poll<()> {
        match self.0.flush.load(Ordering::Relaxed) {
            DONE => {
                self.0.flush.store(IDLE, Ordering::Relaxed);
                Poll::Ready(())
            }
            IDLE => {
                self.0.flush.store(WANTED, Ordering::Relaxed);
                // hyper need not flush in this turn when it believes that there is nothing to flush.
                cx.waker().wake_by_ref();
                Poll::Pending
            }
            _ => Poll::Pending,
        }
    }

    /// Told by the stream whenever nothing is left to write.
    pub(super) fn flushed(&self, cx: &mut Context<'_>) {
        if self.0.flush.load(Ordering::Relaxed) == WANTED {
            self.0.flush.store(DONE, Ordering::Relaxed);
            cx.waker().wake_by_ref();
        }
    }
}
