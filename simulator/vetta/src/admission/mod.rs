//! Admission: what a session start demands, and what refuses it.

mod demand;
mod policy;
mod steps;

pub use demand::{Demand, Source, demands};
pub use policy::{Admission, Applicant, Judge, decide};
pub use steps::{approvals, injected_tools, location, published, runnable, structured_output};

#[cfg(test)]
mod tests;
