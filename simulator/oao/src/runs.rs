//! Runs: one message, worked through by the parent loop.

mod cancel;
mod context;
mod drive;
mod emitter;
mod files;
mod handlers;
mod parent;
mod states;
mod store;

use std::{fmt, sync::Arc, time::Duration};

use agent::{Habits, Reason};
pub use context::RunContext;
pub(crate) use drive::launch;
pub use emitter::RunEvents;
pub use files::FileRules;
pub(crate) use files::{Attached, read_files};
pub(crate) use handlers::{routes, with_files};
use serde_json::{Map, Value};
pub use states::{RunState, States};
pub(crate) use store::{NewRun, Run, Runs, create, run_input};

/// How long a run may take, from its configuration.
pub type Deadline = Arc<dyn Fn(&Map<String, Value>) -> Duration + Send + Sync>;

/// How runs go. The default is the contract's.
#[derive(Clone)]
pub struct RunParts {
    /// Which state may follow which.
    pub states: States,
    /// How long a run stays queued before it is admitted.
    pub queued_for: Duration,
    /// How long a run may take.
    pub deadline: Deadline,
    /// The state of a run that was called off.
    pub ending: fn(Reason) -> RunState,
    /// The seams of the parent loop.
    pub habits: Habits,
    /// What a file of a message has to be, and where it is put.
    pub files: FileRules,
    /// What model events say of the provider, on the wires that many speak.
    pub provider: &'static str,
}

impl Default for RunParts {
    fn default() -> Self {
        Self {
            states: States::default(),
            queued_for: Duration::ZERO,
            deadline: Arc::new(|config| {
                Duration::from_millis(
                    config.get("limits").and_then(|limits| limits["timeoutMs"].as_u64()).unwrap_or(0),
                )
            }),
            ending: |reason| match reason {
                Reason::Requested => RunState::Cancelled,
                Reason::Deadline => RunState::TimedOut,
            },
            habits: Habits::default(),
            files: FileRules::default(),
            provider: "openai",
        }
    }
}

impl fmt::Debug for RunParts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RunParts").field("queued_for", &self.queued_for).finish_non_exhaustive()
    }
}
