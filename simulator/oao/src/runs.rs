//! Runs: one message, worked through by the parent loop.

mod cancel;
mod change;
mod context;
mod drive;
mod emitter;
mod files;
mod handlers;
mod mounted;
mod parent;
mod queue;
mod states;
mod store;
mod waits;

use std::{fmt, sync::Arc, time::Duration};

use agent::{Habits, Reason};
pub(crate) use change::change;
pub use context::RunContext;
pub(crate) use drive::{drive, launch};
pub use emitter::RunEvents;
pub use files::FileRules;
pub(crate) use files::{Attached, read_files};
pub(crate) use handlers::{routes, with_files};
pub use queue::Queue;
use serde_json::{Map, Value};
pub use states::{RunState, States};
pub(crate) use store::{Actor, NewRun, Run, Runs, create, create_as, run_input};
pub use waits::{Open, WaitKind, Waits};

/// How long a run may take, from its configuration.
pub type Deadline = Arc<dyn Fn(&Map<String, Value>) -> Duration + Send + Sync>;

/// The agent version to which a model turn is booked; the flag says whether it is one of a scratch loop.
pub type BooksTo = Arc<dyn Fn(&RunContext, bool) -> String + Send + Sync>;

/// How runs go. The default is the contract's.
#[derive(Clone)]
pub struct RunParts {
    /// Which state may follow which.
    pub states: States,
    /// How long a run stays queued before it is admitted.
    pub queued_for: Duration,
    /// How long a run may take.
    pub deadline: Deadline,
    /// Whether the deadline stands still while this is waited for: it does for an approval.
    pub deadline_stands: fn(&Open) -> bool,
    /// The state of a run that waits for this: an approval shows before a tool.
    pub waiting: fn(&Open) -> RunState,
    /// Whether a run in this state keeps its session from taking another message.
    pub busy: fn(RunState) -> bool,
    /// The state of a run that was called off.
    pub ending: fn(Reason) -> RunState,
    /// The seams of the parent loop.
    pub habits: Habits,
    /// What a file of a message has to be, and where it is put.
    pub files: FileRules,
    /// What model events say of the provider, on the wires that many speak.
    pub provider: &'static str,
    /// Every model turn of a run is booked to the version of the run.
    pub books_to: BooksTo,
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
            deadline_stands: waits_for_approval,
            waiting: |open| match open.is_empty() {
                true => RunState::Running,
                false if waits_for_approval(open) => RunState::WaitingForApproval,
                false => RunState::WaitingForTool,
            },
            busy: |state| !state.is_terminal(),
            ending: |reason| match reason {
                Reason::Requested => RunState::Cancelled,
                Reason::Deadline => RunState::TimedOut,
            },
            habits: Habits::default(),
            files: FileRules::default(),
            provider: "openai",
            books_to: Arc::new(|run, _| run.version.id.clone()),
        }
    }
}

impl fmt::Debug for RunParts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RunParts").field("queued_for", &self.queued_for).finish_non_exhaustive()
    }
}

fn waits_for_approval(open: &Open) -> bool {
    open.values().any(|kind| *kind == WaitKind::Approval)
}
