//! The suite as the subject (VET-10-b, 38-a, 65-a, 67-b).
//!
//! The suite's own checks are run on catalogues that it should have no quarrel with, and their verdicts are what
//! is judged. A defect of these checks is a defect of the suite: it edits the `Suite` that is run.

mod axes;
pub mod defects;
mod growth;
mod needs;
mod roads;
mod stand;
mod suite;
mod verdicts;

pub(crate) use suite::Suite;

use engine::Check;

/// The checks of this topic.
pub(crate) fn checks() -> Vec<Check> {
    [axes::CHECKS, growth::CHECKS, needs::CHECKS, roads::CHECKS].concat()
}
