//! The OAO contract, served: agents with immutable versions, sessions, runs and Harness Operations.
//!
//! [`Service`] is a correct implementation. It is made of [`Parts`], one small policy per concern, so that
//! somebody else can make a wrong one without a line in here knowing.

mod agents;
pub mod approvals;
mod catalogue;
pub mod delegates;
pub mod durability;
pub mod errors;
pub mod events;
pub mod http;
pub mod keys;
mod known;
pub mod limits;
pub mod mcp;
pub mod mounting;
pub mod observer;
pub mod operations;
mod parts;
pub mod publication;
pub mod results;
pub mod runs;
pub mod sandbox;
mod sequence;
mod service;
mod sessions;
pub mod skills;
pub mod tool_calls;
pub mod webhooks;

pub use agents::{Decorate, MemoryVersions, Version, VersionStore, Versions};
pub use catalogue::Catalogue;
pub use mounting::Mounting;
pub use parts::Parts;
pub use sandbox::{Grant, Sandbox};
pub use sequence::Sequence;
pub use service::{Service, Wiring};
pub use sessions::{Planted, PlantedEvent};
