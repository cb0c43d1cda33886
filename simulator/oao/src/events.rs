//! Product events: what is emitted, kept and streamed.

mod cursor;
mod feed;
mod handlers;
mod log;
mod payloads;
mod stable;
mod summary;

use std::{fmt, sync::Arc};

pub use cursor::{decode as position_of, encode as cursor_of};
pub(crate) use handlers::routes;
pub use handlers::start_of;
pub use log::{Draft, EventLog, Row};
pub(crate) use payloads::whole_ms;
pub use payloads::{
    CommandEvent, Correlation, Ending, Invocation, ModelStep, Payloads, Settled, Settlement, ToolStep,
};
pub use stable::event_id;
pub use summary::{OfModel, OfTool, Summaries};

use crate::{
    errors::Refusal,
    http::Call,
    limits::{FeedLimits, Limits},
    publication::sensitive::Sensitive,
};

/// Sees every event before it is kept, and gives what is kept in its place: nothing, the event, or more.
pub type Tap = Arc<dyn Fn(Draft) -> Vec<Draft> + Send + Sync>;

/// How events are made and shown. The default is the contract's.
#[derive(Clone)]
pub struct EventParts {
    /// What each event of an operation says.
    pub payloads: Payloads,
    /// What the summary of a step says.
    pub summaries: Summaries,
    /// Events pass through these in order; there are none in the contract.
    pub taps: Vec<Tap>,
    /// An event with a sensitive name at any depth is not kept.
    pub sensitive: Sensitive,
    /// The id of an event that has to be the same whenever it is emitted.
    pub stable_id: fn(&str, &str) -> String,
    /// An event in the stream.
    pub stream_row: fn(&Row) -> serde_json::Value,
    /// An event in the details of a session.
    pub detail_row: fn(&Row) -> serde_json::Value,
    /// After which position a stream starts, from the request.
    pub start: fn(&Call) -> Result<u64, Refusal>,
    /// Times of the stream.
    pub feed: FeedLimits,
}

impl Default for EventParts {
    fn default() -> Self {
        Self {
            payloads: Payloads::default(),
            summaries: Summaries::default(),
            taps: Vec::new(),
            sensitive: Sensitive::default(),
            stable_id: event_id,
            stream_row: Row::to_stream_json,
            detail_row: Row::to_detail_json,
            start: start_of,
            feed: Limits::default().events,
        }
    }
}

impl fmt::Debug for EventParts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("EventParts").field("feed", &self.feed).finish_non_exhaustive()
    }
}
