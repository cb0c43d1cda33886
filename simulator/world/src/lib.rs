//! A contract's server and a model put together, defects, degenerate targets and the control port.

mod control;
mod control_request;
pub mod defects;
pub mod degenerate;
mod describe;
mod model_address;
mod oao_control;
mod oao_server;
mod running;
mod vetta_control;
mod vetta_server;

pub use describe::describe;
pub use model_address::ModelAddress;
pub use running::{Plan, Running, StartError, start};
