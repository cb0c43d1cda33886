//! The fake model as its users meet it: script files, and a router over an in-memory network.

#![expect(
    clippy::unwrap_used,
    reason = "a test may stop where it likes; clippy only knows functions with a test attribute"
)]

// The name that other rooms know it by.
extern crate proofhouse_model as model;

mod chat;
mod client;
mod gates;
mod http;
mod retries;
mod scripts;
mod sessions;
