//! The gates of our own CI, as tests.
//!
//! `tests/conformance.rs` runs the suite as one trial per check; `tests/gates` holds what must be true of
//! the suite itself.
