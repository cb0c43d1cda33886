//! A contract's server and a model put together, defects, degenerate targets and the control port.

pub mod defects;
