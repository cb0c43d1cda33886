//! A client under test: somebody's program that reads a catalogue and offers what is in it.

use std::time::Duration;

use futures_util::future::LocalBoxFuture;
use serde_json::{Value, json};
use wire::{Clock, Net};

/// Where a client is sent, and what somebody picks there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Visit {
    /// The base URL of the catalogue.
    pub url: String,
    /// The bearer key.
    pub key: String,
    /// The base that is picked; a client without a choice to make is only asked what it offers.
    pub pick: Option<String>,
}

/// How a client ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ended {
    /// By itself, with this exit code; `None` where a signal ended it.
    Exited(Option<i32>),
    /// It was still running at the limit, and was ended.
    Late,
    /// It never ran.
    NotStarted(String),
}

/// What a client printed, and how it ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Visited {
    /// The lines of its standard output.
    pub lines: Vec<String>,
    /// Its end.
    pub ended: Ended,
}

impl Visited {
    /// The fact that a recording holds.
    pub(crate) fn fact(&self, pick: Option<&str>) -> Value {
        let (how, more) = match &self.ended {
            Ended::Exited(code) => ("exited", json!(code)),
            Ended::Late => ("late", Value::Null),
            Ended::NotStarted(reason) => ("not_started", json!(reason)),
        };
        json!({"pick": pick, "lines": self.lines, "ended": how, "with": more})
    }
}

/// A way to run the client under test.
pub trait ClientPort {
    /// How long one visit may take.
    fn limit(&self) -> Duration;

    /// Runs it once. It is over, or has been ended, when this resolves or is dropped.
    fn visit<'a>(&'a self, net: &'a Net, clock: &'a Clock, visit: Visit) -> LocalBoxFuture<'a, Visited>;
}
