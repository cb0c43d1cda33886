//! The loop against models that are not real, in virtual time.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on panics")]

mod canned;
mod tools;
mod turns;
mod wires;
