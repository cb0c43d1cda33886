//! Tools over the workspace.

mod read;

pub use read::Read;
