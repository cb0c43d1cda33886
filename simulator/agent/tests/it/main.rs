//! The loop against a canned model, in virtual time.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on panics")]

mod canned;
mod turns;
