//! The Vetta contract, served: the harness catalogue, agents and their early guards, admission at
//! session start, sessions, messages and events.
//!
//! The room is correct by default. [`Parts`] is a plain struct of small policies, one per topic; whoever
//! wants a server that is wrong edits the parts before [`Service::new`] takes them.

#![expect(clippy::type_complexity, reason = "a seam shows its whole signature where a reader looks for it")]

pub mod admission;
pub mod agents;
pub mod approvals;
pub mod auth;
pub mod billing;
pub mod catalogue;
pub mod contributions;
pub mod endpoint;
pub mod environment;
pub mod events;
pub mod guards;
mod handlers;
pub mod harness;
pub mod http;
pub mod keyring;
pub mod mcp;
pub mod models;
pub mod paging;
mod parts;
pub mod refusal;
pub mod rules;
pub mod sandbox;
mod service;
pub mod sessions;
mod store;
pub mod team;
pub mod tools;
pub mod turns;

pub use environment::{Environment, FixtureError};
pub use http::{Call, Reply};
pub use keyring::{Caller, Keyring};
pub use parts::Parts;
pub use refusal::{Fault, Refusal};
pub use service::Service;
pub use turns::{Answer, Turns};
