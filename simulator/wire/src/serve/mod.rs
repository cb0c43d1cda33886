//! Serving HTTP/1.1 on a [`Listener`](crate::Listener), and ending connections badly when that is wanted.

mod accept;
mod connection;
mod head;
mod io;
mod line;

pub use accept::{serve, serve_with};
pub use head::HeadFilter;
pub use line::{Hangup, Line};
