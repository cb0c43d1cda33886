//! Durability: what is on record, where the worker may die, and how it goes on.
//!
//! A run is driven by a worker. What it records survives it; everything else is gone when it dies. Once its
//! lease is over the run that it left is taken up again: recorded steps are reused, others are done again in
//! a new scratch conversation.

mod ends;
mod journal;
mod point;
mod worker;

use std::{fmt, sync::Arc, time::Duration};

use agent::habits::Settled;
pub(crate) use ends::Ends;
pub use journal::RunJournal;
pub use point::{Point, UnknownPoint};
pub use worker::{Here, Order, Orders, Worker};

use crate::runs::RunContext;

/// Looks up what is on record for a call.
pub type Recorded = fn(&[Settled]) -> Option<Settled>;
/// Puts the end of a call on record.
pub type Record = fn(&mut Vec<Settled>, Settled);
/// Stands where a run is taken up again.
pub type Resumed = Arc<dyn Fn(&RunContext) + Send + Sync>;

/// How runs survive their worker. The default is the contract's.
#[derive(Clone)]
pub struct DurabilityParts {
    /// How long the run of a dead worker is left alone.
    pub lease: Duration,
    /// Whether it is taken up again at all.
    pub takes_over: bool,
    /// The recorded end of a call: the first one.
    pub recorded: Recorded,
    /// Records the end of a call: once.
    pub record: Record,
    /// What else happens when a run is taken up again: nothing.
    pub resumed: Resumed,
}

impl Default for DurabilityParts {
    fn default() -> Self {
        Self {
            lease: Duration::from_secs(1),
            takes_over: true,
            recorded: |ends| ends.first().cloned(),
            record: |ends, end| {
                if ends.is_empty() {
                    ends.push(end);
                }
            },
            resumed: Arc::new(|_| {}),
        }
    }
}

impl fmt::Debug for DurabilityParts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DurabilityParts").field("lease", &self.lease).finish_non_exhaustive()
    }
}
