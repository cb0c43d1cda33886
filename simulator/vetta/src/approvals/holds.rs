//! The calls of a session that are or were held.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use agent::ToolOutcome;
use futures_util::future::BoxFuture;
use serde::{Deserialize, Serialize};
use tokio::sync::watch;
use wire::Clock;

use crate::environment::Row;

/// What somebody decides about a held call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Decision {
    /// It may run.
    Allow,
    /// It may not.
    Deny,
}

/// A decision, and what was said with it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verdict {
    /// The decision.
    pub decision: Decision,
    /// What the model is told of a denial.
    pub message: Option<String>,
}

/// The calls of a session that are or were held, by their ids. Clones share it.
#[derive(Clone, Debug, Default)]
pub struct Holds(Arc<Mutex<BTreeMap<String, watch::Sender<Option<Verdict>>>>>);

impl Holds {
    /// Holds the call `id`. What is given back hears of the decision.
    pub fn open(&self, id: &str) -> watch::Receiver<Option<Verdict>> {
        let decided = watch::Sender::new(None);
        let hears = decided.subscribe();
        self.lock().insert(id.to_owned(), decided);
        hears
    }

    /// How the call `id` stands: `None` when it was never held, `Some(None)` while nobody has decided.
    pub fn standing(&self, id: &str) -> Option<Option<Verdict>> {
        self.lock().get(id).map(|decided| decided.borrow().clone())
    }

    /// Decides about the call `id`.
    pub fn decide(&self, id: &str, verdict: Verdict) {
        if let Some(decided) = self.lock().get(id) {
            decided.send_replace(Some(verdict));
        }
    }

    /// The calls about which nobody has decided, in the order of their ids.
    pub fn pending(&self) -> Vec<String> {
        let holds = self.lock();
        holds.iter().filter(|(_, decided)| decided.borrow().is_none()).map(|(id, _)| id.clone()).collect()
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<String, watch::Sender<Option<Verdict>>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A call that is held, in the hands of the loop.
#[derive(Clone)]
pub struct Held {
    /// Measures how long it is held.
    pub clock: Clock,
    /// The loop that holds it.
    pub row: Row,
    /// Hears of the decision.
    pub(crate) decided: watch::Receiver<Option<Verdict>>,
    /// Does the work of the call, each time that it is called.
    pub(crate) work: Arc<dyn Fn() -> BoxFuture<'static, ToolOutcome> + Send + Sync>,
}

impl Held {
    /// Waits for the next decision that it has not heard of, for ever if need be (open point U18).
    pub async fn decision(&mut self) -> Verdict {
        loop {
            let verdict = self.decided.borrow_and_update().clone();
            if let Some(verdict) = verdict {
                return verdict;
            }
            self.news().await;
        }
    }

    /// Waits until something is decided after what was heard last.
    pub async fn news(&mut self) {
        if self.decided.changed().await.is_err() {
            // The session is gone, and nobody is left to decide.
            std::future::pending::<()>().await;
        }
    }

    /// Forgets what it has heard, so that [`Held::decision`] gives it again.
    pub fn replay(&mut self) {
        self.decided.mark_changed();
    }

    /// Does the work of the call.
    pub fn run(&self) -> BoxFuture<'static, ToolOutcome> {
        (self.work)()
    }
}
