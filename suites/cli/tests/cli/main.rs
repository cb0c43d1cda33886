//! The real binary.

mod bad_input;
mod formats;
mod process;
mod strangers;
mod two_processes;
mod verbs;
