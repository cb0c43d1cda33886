//! How events are listed and streamed.

use std::{sync::Arc, time::Duration};

use serde_json::Value;

use super::{Event, Scribe};
use crate::{Refusal, sessions::Session};

/// How an event goes out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Delivery {
    /// In a page of the listing.
    Listed,
    /// On an event stream.
    Streamed,
}

/// The policy of events.
#[derive(Clone)]
pub struct Events {
    /// The longest silence of a stream; a comment breaks it.
    pub keep_alive: Duration,
    /// What a log says of what happened: that, and nothing else.
    pub scribe: Scribe,
    /// Whether a stream may be opened on a session. Lack of deltas is no reason against it.
    pub open: Arc<dyn Fn(&Session) -> Result<(), Refusal> + Send + Sync>,
    /// One event as a wire object; `None` leaves it out.
    pub render: Arc<dyn Fn(&Event, Delivery) -> Option<Value> + Send + Sync>,
    /// Where a stream begins, as an index into the log, for a `Last-Event-ID` (open point U24).
    pub resume: Arc<dyn Fn(&[Event], Option<&str>) -> usize + Send + Sync>,
}

impl Default for Events {
    fn default() -> Self {
        Self {
            keep_alive: Duration::from_secs(15),
            scribe: Arc::new(|_, entry| vec![entry]),
            open: Arc::new(|_| Ok(())),
            render: Arc::new(|event, _| Some(event.to_value())),
            resume: Arc::new(resume),
        }
    }
}

/// After the event of that id; at the first event of the session without a header, and for an id that the
/// session does not know, so that nobody loses an event.
pub fn resume(events: &[Event], last_event_id: Option<&str>) -> usize {
    last_event_id.and_then(|id| events.iter().position(|event| event.id == id)).map_or(0, |at| at + 1)
}
