//! The journal of a loop: what it has to know after a crash to go on.
//!
//! A step is recorded once and executed at least once: the work is done, then recorded, then used. What was
//! recorded is never done again; what was not is.

use futures_util::{FutureExt, future::BoxFuture};

use crate::{Message, ToolCall, habits::Settled};

/// Where a loop records what has happened.
///
/// A future that never ends stands for a process that died there; the loop then never goes on.
pub trait Journal: Send + Sync {
    /// Records messages, in order, before anything is made of them.
    fn append<'a>(&'a self, messages: &'a [Message]) -> BoxFuture<'a, ()>;

    /// How a call ended, if that is on record.
    fn recorded(&self, call: &ToolCall) -> Option<Settled>;

    /// Records how a call ended, before its result is used.
    fn record<'a>(&'a self, call: &'a ToolCall, settled: &'a Settled) -> BoxFuture<'a, ()>;
}

/// The journal of a loop that is not kept: after a crash all of its work is done again.
#[derive(Clone, Copy, Debug)]
pub struct Unkept;

impl Journal for Unkept {
    fn append<'a>(&'a self, _: &'a [Message]) -> BoxFuture<'a, ()> {
        std::future::ready(()).boxed()
    }

    fn recorded(&self, _: &ToolCall) -> Option<Settled> {
        None
    }

    fn record<'a>(&'a self, _: &'a ToolCall, _: &'a Settled) -> BoxFuture<'a, ()> {
        std::future::ready(()).boxed()
    }
}
