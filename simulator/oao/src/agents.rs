//! Agents and their immutable versions.

mod handlers;
mod store;
mod versions;

pub(crate) use handlers::routes;
pub(crate) use store::{Agent, Agents};
pub use versions::{Decorate, MemoryVersions, Version, VersionStore, Versions};
