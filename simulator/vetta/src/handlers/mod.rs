//! The operations: thin, each of them from a call to an outcome.

pub(crate) mod agents;
pub(crate) mod balance;
pub(crate) mod catalogue;
pub(crate) mod confirmations;
pub(crate) mod events;
pub(crate) mod interrupt;
pub(crate) mod messages;
pub(crate) mod sessions;
pub(crate) mod threads;
