//! The machine of a session, and what is left of it between turns.

use std::sync::Arc;

use agent::Workspace;
use serde_json::{Value, json};
use wire::Ids;

use crate::{environment::Row, harness::Execution};

/// A machine that a session holds.
#[derive(Clone, Debug)]
pub struct Sandbox {
    /// `sbx_…`
    pub id: String,
    /// Its files.
    pub files: Workspace,
    /// Whether a turn uses it now.
    pub in_use: bool,
}

impl Sandbox {
    /// A machine over `files`, in use.
    pub fn over(files: Workspace, ids: &Ids) -> Self {
        Self { id: ids.prefixed("sbx_"), files, in_use: true }
    }

    /// The wire object (open point U40).
    pub fn to_value(&self) -> Value {
        json!({"id": self.id, "state": if self.in_use { "in_use" } else { "held" }})
    }
}

/// The policy of sandboxes.
#[derive(Clone)]
pub struct Sandboxes {
    /// What is left of a machine when a turn is over; `None` gives it back.
    pub between: Arc<dyn Fn(&Row, Sandbox, &Ids) -> Option<Sandbox> + Send + Sync>,
}

impl Default for Sandboxes {
    fn default() -> Self {
        Self { between: Arc::new(|row, sandbox, _| between(row, sandbox)) }
    }
}

/// A loop that runs on a machine keeps it, with its files; any other gives back what it took for the turn.
fn between(row: &Row, sandbox: Sandbox) -> Option<Sandbox> {
    (row.harness.execution == Execution::Sandbox).then_some(Sandbox { in_use: false, ..sandbox })
}
