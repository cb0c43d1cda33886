//! The fake model as its users meet it: script files, and a router over an in-memory network.

#![expect(
    clippy::unwrap_used,
    reason = "a test may stop where it likes; clippy only knows functions with a test attribute"
)]

// The name that other rooms know it by.
extern crate proofhouse_model as model;

mod broken;
mod chat;
mod chooser;
mod client;
mod export;
mod faults;
mod field;
mod gates;
mod http;
mod import;
mod isolation;
mod journal;
mod messages;
mod record;
mod responses;
mod retries;
mod schema;
mod scripts;
mod sessions;
mod socket;
mod strangers;
mod templates;
mod verdict;
