//! The service over HTTP, in memory and in virtual time.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on panics")]

mod callers;
mod console;
mod conventions;
mod delegates;
mod durability;
mod feed;
mod model;
mod operations;
mod publication;
mod sandbox;
mod schemas;
mod seams;
mod sessions;
mod skills;
mod sockets;
mod value_semantics;
mod world;
