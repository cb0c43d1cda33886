//! Approvals: a call that somebody has to allow first.

mod decide;
mod handlers;
mod store;

use std::{fmt, time::Duration};

pub(crate) use decide::{decided, give_up, request};
pub(crate) use handlers::routes;
pub(crate) use store::Approvals;
pub use store::Decision;

use crate::limits::{ApprovalLimits, Limits};

/// How calls are approved. The default is the contract's.
#[derive(Clone)]
pub struct ApprovalParts {
    /// Numbers.
    pub limits: ApprovalLimits,
    /// How long an approval can be given.
    pub lasts: Duration,
    /// Whether a tool that was published with this word asks for an approval.
    pub asked: fn(&str) -> bool,
    /// Whether an approval that stands so can still be decided.
    pub open: fn(Decision) -> bool,
    /// Whether a call runs after this decision.
    pub allows: fn(Decision) -> bool,
}

impl Default for ApprovalParts {
    fn default() -> Self {
        let limits = Limits::default().approvals;
        Self {
            limits,
            lasts: Duration::from_millis(limits.lasts_ms),
            asked: |approval| approval == "always",
            open: |decision| decision == Decision::Pending,
            allows: |decision| decision == Decision::Approved,
        }
    }
}

impl fmt::Debug for ApprovalParts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ApprovalParts").field("lasts", &self.lasts).finish_non_exhaustive()
    }
}
