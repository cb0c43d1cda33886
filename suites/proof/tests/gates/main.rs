//! What must be true of the suite itself.

mod arrows;
mod deterministic;
mod leaks;
mod matrix;
mod offline;
mod reference;
mod traceability;
