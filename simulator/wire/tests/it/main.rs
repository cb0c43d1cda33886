//! The room from outside: in memory and in virtual time, and over TCP where TCP is what is asked about.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on says so by panicking")]

mod clock;
mod descriptors;
mod hangup;
mod http;
mod identifiers;
mod net;
mod origin;
mod raw;
mod serve;
mod sse;
mod tls;
