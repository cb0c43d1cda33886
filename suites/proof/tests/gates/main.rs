//! What must be true of the suite itself.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on says so by panicking")]

mod arrows;
mod claims;
mod deterministic;
mod documents;
mod leak_places;
mod leaks;
mod liars;
mod matrix;
mod missing;
mod offline;
mod openapi;
mod redaction;
mod reference;
mod traceability;
mod vendors;
