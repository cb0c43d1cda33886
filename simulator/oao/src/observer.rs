//! What an observer sees of a session: rows, a timeline, and a modal for each invocation of an operation.
//!
//! All of it is computed from the details of the session, by functions that know nothing else. Where an event
//! does not say whose it is, nothing is guessed: it stays with the parent.

mod attribution;
mod event;
mod groups;
mod handlers;
mod invocation;
mod label;
mod steps;
#[cfg(test)]
mod tests;
mod timeline;
mod versions;
mod view;

use std::{fmt, sync::Arc};

pub use event::Event;
pub use groups::{Group, groups};
pub(crate) use handlers::routes;
pub use invocation::Window;
use serde_json::Value;
pub use view::{Modal, Row, View, project};

use crate::agents::Version;

/// Changes what is shown, given the events that it was made of.
pub type Dress = Arc<dyn Fn(&[Event], &mut Value) + Send + Sync>;

/// Chooses, for an event of that time, one of several invocations, given by their places with their windows.
pub type Choose = fn(i64, &[(usize, Window)]) -> Option<usize>;

/// How sessions and versions are shown. The default is the contract's.
#[derive(Clone)]
pub struct ObserverParts {
    /// Whether a window that starts at the first time belongs to the group that lasts until the second one.
    /// Windows that only touch do not.
    pub meets: fn(i64, i64) -> bool,
    /// Whether an event of that time, which names no owner, may belong to a window. Both ends count.
    pub holds: fn(Window, i64) -> bool,
    /// Which of several windows gets an event of that time that names no owner: none.
    pub among: Choose,
    /// Whether the owner that an event names is believed, whatever its window: always.
    pub believes: fn(&Event, Option<Window>) -> bool,
    /// The terminal event that counts, from those of one invocation in order of time: the last.
    pub terminal: for<'a, 'b> fn(&'a [&'b Event]) -> Option<&'b Event>,
    /// The length of a bar in per cent of its slot, from its duration and the longest one of the slot.
    pub bar_width: fn(f64, f64) -> f64,
    /// The version whose definitions are shown for the one that was asked for, among all of its agent.
    pub shown: fn(&Version, &[Version]) -> Version,
    /// Changes of what is shown of a session, in order; none in the contract.
    pub dress: Vec<Dress>,
    /// Changes of what is shown of a version, told whether it is the latest; none in the contract.
    pub dress_version: Vec<fn(bool, &mut Value)>,
}

impl Default for ObserverParts {
    fn default() -> Self {
        Self {
            meets: |start, furthest| start < furthest,
            holds: |window, at| window.start_ms <= at && window.end_ms.is_none_or(|end| at <= end),
            among: |_, _| None,
            believes: |_, _| true,
            terminal: |events| events.last().copied(),
            bar_width: timeline::bar_width,
            shown: |named, _| named.clone(),
            dress: Vec::new(),
            dress_version: Vec::new(),
        }
    }
}

impl fmt::Debug for ObserverParts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ObserverParts with {} dresses", self.dress.len())
    }
}
