//! The service over an in-memory network, under virtual time.

#![expect(clippy::unwrap_used, reason = "a test that meets something else has failed")]

// The name under which the other rooms know this one.
extern crate proofhouse_vetta as vetta;

mod agents;
mod auth;
mod catalogue;
mod desk;
mod endpoint;
mod endpoint_protocol;
mod events;
mod holds;
mod loops;
mod mcp_client;
mod messages;
mod replay;
mod schemas;
mod seams;
mod seams_of_turns;
mod second_road;
mod sessions;
mod table;
mod team;
