//! Target, launch, drive, judge frame, front-ends and the defect matrix, as a library.
//!
//! The engine knows no check and no contract beyond its name: checks are values that it is given.

mod applicable;
mod call;
mod check;
mod client;
mod driver;
mod elsewhere;
mod frame;
mod launch;
mod listening;
pub mod matrix;
mod model_port;
mod perform;
mod property;
mod receiver;
mod recorder;
mod run;
mod select;
mod stand_in;
pub mod target;
mod trials;

pub use call::{Call, Key};
pub use check::{Case, Check, DriveFuture, Kind, Property, Registry};
pub use client::{ClientPort, Ended, Visit, Visited};
pub use driver::{Driver, Drove, Halt, Reply};
pub use elsewhere::Place;
pub use frame::judge;
pub use launch::{Launch, LaunchError, Opened};
pub use listening::{Listening, Received};
pub use model_port::ModelPort;
pub use perform::{Budget, Performed, Sampling, perform};
pub use receiver::{Receiver, Respond, Response};
pub use run::{Plan, Progress, Ran, RunError, preflight, run, settle};
pub use select::{Selection, SelectionError};
pub use stand_in::{Answering, Asked, StandIn, Told};
pub use trials::{TrialPlan, trials};
