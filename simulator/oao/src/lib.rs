//! The OAO contract, served: agents with immutable versions, sessions, runs and Harness Operations.
//!
//! [`Service`] is a correct implementation. It is made of [`Parts`], one small policy per concern, so that
//! somebody else can make a wrong one without a line in here knowing.

mod agents;
mod catalogue;
pub mod errors;
pub mod events;
pub mod http;
pub mod keys;
pub mod limits;
pub mod mounting;
pub mod operations;
mod parts;
pub mod publication;
pub mod results;
pub mod runs;
pub mod sandbox;
mod sequence;
mod service;
mod sessions;

pub use agents::{Decorate, MemoryVersions, Version, VersionStore, Versions};
pub use catalogue::Catalogue;
pub use mounting::Mounting;
pub use parts::Parts;
pub use sandbox::{Grant, Sandbox};
pub use sequence::Sequence;
pub use service::{Service, Wiring};
