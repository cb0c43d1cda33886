//! How a team works together.

use std::sync::Arc;

use crate::{environment::Row, sessions::Session};

/// The policy of teams.
#[derive(Clone)]
pub struct Teams {
    /// Whether `wait_for_agents` holds the turn of a coordinator on this loop. A loop that cannot hold a
    /// call cannot wait within one either.
    pub waits: Arc<dyn Fn(&Row) -> bool + Send + Sync>,
    /// Whether a delegation of a coordinator on this loop opens its thread at once.
    pub opens: Arc<dyn Fn(&Row) -> bool + Send + Sync>,
    /// Whether a coordinator that rests is woken by what its threads have to report (open point U48).
    pub wakes: Arc<dyn Fn(&Session) -> bool + Send + Sync>,
}

impl Default for Teams {
    fn default() -> Self {
        Self {
            waits: Arc::new(|row| row.harness.capabilities.approvals),
            opens: Arc::new(|_| true),
            wakes: Arc::new(|_| true),
        }
    }
}
