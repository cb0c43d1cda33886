//! The fake model as the engine steers it.

use engine::ModelPort;
use futures_util::{FutureExt, future::LocalBoxFuture};
use model::{Host, JournalEntry};
use recording::ModelTurn;
use serde_json::Value;

/// A model that lives in the suite's process.
#[derive(Clone, Debug)]
pub struct HostedModel(Host);

impl HostedModel {
    /// Steers `host`.
    pub fn new(host: Host) -> Self {
        Self(host)
    }
}

impl ModelPort for HostedModel {
    fn load(&self, session: &str, script: &Value) -> Result<(), String> {
        self.0.load_json(session, script).map_err(|error| error.to_string())
    }

    fn release(&self, session: &str, gate: &str) {
        // A gate that no turn of the script names holds nothing.
        let _ = self.0.release(session, gate);
    }

    fn held(&self, session: &str, gate: &str) -> usize {
        self.0.held(session, gate)
    }

    fn wait_for_held<'a>(&'a self, session: &'a str, gate: &'a str, count: usize) -> LocalBoxFuture<'a, ()> {
        async move {
            if self.0.wait_for_held(session, gate, count).await.is_err() {
                // Nothing will ever be held there; whoever waits has a deadline.
                std::future::pending::<()>().await;
            }
        }
        .boxed_local()
    }

    fn wait_until_idle<'a>(&'a self, session: &'a str) -> LocalBoxFuture<'a, ()> {
        self.0.wait_until_idle(session).boxed_local()
    }

    fn journal(&self, session: &str) -> Vec<ModelTurn> {
        self.0.journal(session).into_iter().enumerate().map(|(at, entry)| turn(at, entry)).collect()
    }

    fn forget(&self, session: &str) {
        self.0.drop_session(session);
    }
}

fn turn(at: usize, mut entry: JournalEntry) -> ModelTurn {
    // Numbers on a host depend on what other checks do; within a check they do not.
    entry.sequence = at as u64;
    ModelTurn {
        sequence: entry.sequence,
        arrived_ms: entry.arrived_ms,
        answered_ms: entry.ended_ms,
        turn: entry.turn.clone(),
        request: serde_json::to_value(&entry.request).unwrap_or_default(),
        journal: serde_json::to_value(&entry).unwrap_or_default(),
    }
}
