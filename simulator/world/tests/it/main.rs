//! Worlds from outside, in memory and in virtual time.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on says so by panicking")]

mod control;
mod control_features;
mod defects;
mod degenerate;
mod environments;
mod presets;
mod worlds;
