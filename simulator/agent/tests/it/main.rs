//! The loop against a canned model, in virtual time.

mod canned;
mod turns;
