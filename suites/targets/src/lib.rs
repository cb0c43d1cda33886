//! What can be put under test: the built-in simulator, degenerate targets, or an address, each with the
//! model that the suite hosts for it.
//!
//! The suite always hosts the model that a target calls, so that no target testifies about itself.

mod address;
mod bench;
mod command_client;
mod hosted_model;
mod model_server;
mod reference_client;
mod simulator;
mod subjects;

pub use address::{Address, AddressError};
pub use bench::SimulatorBench;
pub use command_client::CommandClient;
pub use hosted_model::HostedModel;
pub use simulator::{Degenerate, Simulator};
pub use subjects::Subjects;
