//! The states of a run.

use std::collections::BTreeMap;

use crate::limits::Limits;

/// A state of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[expect(missing_docs, reason = "the names are the states of the contract")]
pub enum RunState {
    Queued,
    RetryScheduled,
    Running,
    WaitingForTool,
    WaitingForApproval,
    Completed,
    Failed,
    Cancelled,
    TimedOut,
}

impl RunState {
    /// Every state.
    pub const ALL: [Self; 9] = [
        Self::Queued,
        Self::RetryScheduled,
        Self::Running,
        Self::WaitingForTool,
        Self::WaitingForApproval,
        Self::Completed,
        Self::Failed,
        Self::Cancelled,
        Self::TimedOut,
    ];

    /// The state on the wire.
    pub fn name(self) -> &'static str {
        match self {
            Self::Queued => "queued",
            Self::RetryScheduled => "retry_scheduled",
            Self::Running => "running",
            Self::WaitingForTool => "waiting_for_tool",
            Self::WaitingForApproval => "waiting_for_approval",
            Self::Completed => "completed",
            Self::Failed => "failed",
            Self::Cancelled => "cancelled",
            Self::TimedOut => "timed_out",
        }
    }

    /// Whether nothing follows.
    pub fn is_terminal(self) -> bool {
        matches!(self, Self::Completed | Self::Failed | Self::Cancelled | Self::TimedOut)
    }
}

/// Which state may follow which.
#[derive(Clone, Debug)]
pub struct States(pub BTreeMap<String, Vec<String>>);

impl Default for States {
    fn default() -> Self {
        Self(Limits::default().run_states)
    }
}

impl States {
    /// Whether `to` may follow `from`. The same state again is no change and always allowed.
    pub fn allow(&self, from: RunState, to: RunState) -> bool {
        from == to || self.0.get(from.name()).is_some_and(|next| next.iter().any(|name| name == to.name()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_may_follow_what() {
        use RunState::*;
        let next = |from: RunState| -> &[RunState] {
            match from {
                Queued => &[RetryScheduled, Running, Failed, Cancelled, TimedOut],
                RetryScheduled => &[Queued, Failed, Cancelled, TimedOut],
                Running => &[WaitingForTool, WaitingForApproval, Completed, Failed, Cancelled, TimedOut],
                WaitingForTool => &[Running, WaitingForApproval, Failed, Cancelled, TimedOut],
                WaitingForApproval => &[Running, WaitingForTool, Failed, Cancelled, TimedOut],
                Completed | Failed | Cancelled | TimedOut => &[],
            }
        };
        for from in RunState::ALL {
            for to in RunState::ALL {
                let allowed = from == to || next(from).contains(&to);
                assert_eq!(States::default().allow(from, to), allowed, "{from:?} to {to:?}");
            }
            assert_eq!(from.is_terminal(), next(from).is_empty());
        }
    }
}
