//! A session's log as a stream of server-sent events.

use std::convert::Infallible;

use axum::body::{Body, Bytes};
use futures_util::stream;
use tokio::sync::watch;
use wire::{Clock, sse::Frame};

use super::{Delivery, Event, EventLog, Events};

/// Follows `log` from the event at `at` until the log is closed and read to its end.
pub(crate) fn feed(policy: Events, clock: Clock, log: EventLog, at: usize) -> Body {
    let news = log.news();
    let reader = Reader { policy, clock, log, news, at };
    Body::from_stream(stream::unfold(reader, |mut reader| async move {
        let bytes = reader.next().await?;
        Some((Ok::<_, Infallible>(bytes), reader))
    }))
}

struct Reader {
    policy: Events,
    clock: Clock,
    log: EventLog,
    news: watch::Receiver<()>,
    at: usize,
}

impl Reader {
    async fn next(&mut self) -> Option<Bytes> {
        loop {
            self.news.mark_unchanged();
            match self.log.at(self.at) {
                (Some(event), _) => {
                    self.at += 1;
                    if let Some(bytes) = self.frame(&event) {
                        return Some(bytes);
                    }
                }
                (None, true) => return None,
                (None, false) => {
                    tokio::select! {
                        biased;
                        changed = self.news.changed() => changed.ok()?,
                        () = self.clock.pause(self.policy.keep_alive) => return Some(keep_alive()),
                    }
                }
            }
        }
    }

    fn frame(&self, event: &Event) -> Option<Bytes> {
        let shown = (self.policy.render)(event, Delivery::Streamed)?;
        let word = |name: &str| shown[name].as_str().map(str::to_owned);
        let frame =
            Frame { id: word("id"), event: word("type"), data: Some(shown.to_string()), ..Frame::default() };
        Some(frame.encode().into())
    }
}

fn keep_alive() -> Bytes {
    Frame { comments: vec![" keep-alive".to_owned()], ..Frame::default() }.encode().into()
}
