//! Sessions: a conversation that is pinned to one version of an agent.

mod create;
mod detail;
mod handlers;
mod plant;
mod store;

pub(crate) use create::{Sent, next_run};
pub(crate) use detail::detail;
pub(crate) use handlers::routes;
pub use plant::{Planted, PlantedEvent};
pub(crate) use store::{Session, Sessions};
