//! An answer under way: its pieces, when they go out, and how it ends.

use std::{
    io,
    pin::Pin,
    task::{Context, Poll},
};

use axum::body::{Body, Bytes};
use futures_util::{Stream, future::BoxFuture};
use wire::{clock::Pace, serve::Line};

use crate::{
    fault::{Frame, Frames},
    host::Host,
    journal::Outcome,
    state::{Due, Ending},
};

/// An answer under way. Whoever drops it before it has ended says that the client is gone.
#[derive(Debug)]
pub(crate) struct Delivery {
    host: Host,
    due: Due,
    waiting: Option<u64>,
    line: Option<Line>,
    spoiled: bool,
    over: bool,
    pieces_sent: u32,
}

impl Delivery {
    pub(crate) fn new(host: Host, due: Due, waiting: Option<u64>, line: Option<Line>) -> Self {
        let over = due.settled;
        Self { host, due, waiting, line, spoiled: false, over, pieces_sent: 0 }
    }

    pub(crate) fn host(&self) -> &Host {
        &self.host
    }

    pub(crate) fn sequence(&self) -> u64 {
        self.due.sequence
    }

    /// The gate has opened.
    pub(crate) fn let_in(&mut self) {
        self.waiting = None;
    }

    /// What goes wrong is about something beyond the end of the answer, so nothing does.
    pub(crate) fn fault_fell_short(&mut self) {
        let mut state = self.host.state();
        state.journal.change(self.due.sequence, |record| {
            if let Some(answered) = &mut record.answered {
                answered.wrong = None;
            }
        });
        let session = state.sessions.get_mut(&self.due.session);
        let session = session.filter(|session| session.generation == self.due.generation);
        if let (Some(session), Some(fault)) = (session, self.due.fault) {
            session.fell_short(fault);
        }
    }

    /// However it ends, it is no sound answer.
    pub(crate) fn spoiled(&mut self) {
        self.spoiled = true;
    }

    /// The answer goes out in one piece that nothing can break off any more.
    pub(crate) fn sent_whole(&mut self) {
        if !self.over {
            self.pieces_sent = 1;
            self.ended(Outcome::Answered);
        }
    }

    pub(crate) fn ended(&mut self, outcome: Outcome) {
        self.end(outcome, false);
    }

    fn end(&mut self, outcome: Outcome, client_left: bool) {
        self.over = true;
        let outcome = if self.spoiled { Outcome::Broken } else { outcome };
        let ending = Ending {
            outcome,
            client_left,
            pieces_sent: self.pieces_sent,
            now_ms: self.host.now_ms(),
            waiting: self.waiting,
        };
        self.host.state().end(&self.due, &ending);
    }
}

impl Drop for Delivery {
    fn drop(&mut self) {
        if !self.over {
            self.end(Outcome::Dropped, true);
        }
    }
}

/// A body of these frames, each a chunk of its own that waits for its time. `flush_each` hands each of them
/// to the network on its own, too.
pub(crate) fn pieces_of(
    delivery: Delivery,
    mut frames: Frames,
    pace: Option<Pace>,
    flush_each: bool,
) -> Body {
    let next = frames.next();
    let pace = pace.filter(|pace| !pace.is_unpaced());
    let wait = pace.map(|pace| Box::pin(pace.wait(0)) as BoxFuture<'static, ()>);
    Body::from_stream(Pieces { delivery, frames, next, pace, number: 0, wait, flush_each, flush: false })
}

/// See [`pieces_of`].
struct Pieces {
    delivery: Delivery,
    frames: Frames,
    next: Option<Frame>,
    pace: Option<Pace>,
    number: u32,
    wait: Option<BoxFuture<'static, ()>>,
    flush_each: bool,
    flush: bool,
}

impl Stream for Pieces {
    type Item = io::Result<Bytes>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<io::Result<Bytes>>> {
        let this = &mut *self;
        if let Some(wait) = &mut this.wait {
            match wait.as_mut().poll(cx) {
                Poll::Pending => return Poll::Pending,
                Poll::Ready(()) => this.wait = None,
            }
        } else if std::mem::take(&mut this.flush) {
            // A body that is not ready makes the connection flush; it also notices then that the client
            // has left.
            cx.waker().wake_by_ref();
            return Poll::Pending;
        }
        let Some(frame) = this.next.take() else {
            if !this.delivery.over {
                this.delivery.ended(Outcome::Answered);
            }
            return Poll::Ready(None);
        };
        match frame {
            Frame::Data(bytes) => {
                this.delivery.pieces_sent += 1;
                this.next = this.frames.next();
                if this.next.is_none() {
                    // Clients may close as soon as they have seen the last piece, so it counts as handed
                    // over from here on.
                    this.delivery.ended(Outcome::Answered);
                } else {
                    this.number += 1;
                    this.flush = this.flush_each;
                    this.wait =
                        this.pace.map(|pace| Box::pin(pace.wait(this.number)) as BoxFuture<'static, ()>);
                }
                Poll::Ready(Some(Ok(bytes)))
            }
            Frame::Stall => {
                this.next = Some(Frame::Stall);
                // Nothing will wake this; the connection still notices that the client leaves.
                Poll::Pending
            }
            Frame::Cut => this.broken_off(),
            Frame::Reset => {
                if let Some(line) = &this.delivery.line {
                    line.reset();
                }
                this.broken_off()
            }
        }
    }
}

impl Pieces {
    fn broken_off(&mut self) -> Poll<Option<io::Result<Bytes>>> {
        self.delivery.ended(Outcome::Broken);
        Poll::Ready(Some(Err(io::Error::other("the script breaks this answer off"))))
    }
}
