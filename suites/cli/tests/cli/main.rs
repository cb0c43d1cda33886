//! The real binary.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on says so by panicking")]

mod bad_input;
mod catalogues;
mod clients;
mod formats;
mod model_verb;
mod openapi;
mod process;
mod schemas;
mod snapshots;
mod strangers;
mod target_files;
mod two_processes;
mod verbs;
