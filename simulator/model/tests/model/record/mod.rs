//! Recording: a proxy in front of an upstream, the script that it writes, and what that script answers.

mod failures;
mod files;
mod passing;
mod replay;
mod retries;
mod secrets;
mod studio;
pub(crate) mod talk;
