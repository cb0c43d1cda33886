//! The room from outside: in memory and in virtual time, and over TCP where TCP is what is asked about.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on says so by panicking")]

mod clock;
mod http;
mod identifiers;
mod net;
mod raw;
mod serve;
