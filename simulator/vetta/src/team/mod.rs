//! Teams: a coordinator delegates to agents of its roster, each of which works in a thread of its own.
//!
//! A thread is run like a session, with the loop, the tools and the policy of its own agent. It is kept
//! beside the sessions and is seen through its coordinator alone.

mod open;
mod over;
mod policy;
mod thread;

pub use policy::Teams;
pub use thread::Report;

pub(crate) use open::open;
pub(crate) use over::{end_threads, turn_over};
pub(crate) use thread::render;
