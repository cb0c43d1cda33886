//! Calls, replies, and the seam between the core and HTTP.

mod answer;
mod call;
mod policy;
mod replay;
mod reply;
mod routes;

pub use call::{Call, Payload, Query};
pub use policy::{Http, Outgoing, Rewrite};
pub use replay::Replay;
pub use reply::Reply;
pub use routes::served;

pub(crate) use answer::read_head;
pub(crate) use replay::Replays;
pub(crate) use routes::{Handler, Outcome, Route, router};
