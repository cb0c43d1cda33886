//! Events: one log per session, listed in pages or followed as a stream.

mod event;
mod feed;
mod log;
mod policy;

pub use event::Event;
pub use log::{Entry, EventLog, Scribe};
pub use policy::{Delivery, Events, resume};

pub(crate) use feed::feed;
