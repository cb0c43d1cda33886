//! Runs that stay queued because somebody keeps them there.

use std::{collections::BTreeSet, sync::Arc};

use tokio::sync::watch;

use super::Run;

/// The agents whose runs are not admitted for now. Nobody is on it unless a test puts it there.
#[derive(Clone, Debug)]
pub struct Queue(Arc<watch::Sender<BTreeSet<String>>>);

impl Default for Queue {
    fn default() -> Self {
        Self(Arc::new(watch::Sender::new(BTreeSet::new())))
    }
}

impl Queue {
    /// Keeps the runs of an agent in the queue, or lets them go on.
    pub fn hold(&self, agent_id: &str, held: bool) {
        self.0.send_modify(|agents| {
            if held {
                agents.insert(agent_id.to_owned());
            } else {
                agents.remove(agent_id);
            }
        });
    }

    /// Waits until nobody keeps the runs of this run's agent.
    pub(super) async fn until_free(&self, run: &Run) {
        let mut agents = self.0.subscribe();
        while agents.borrow_and_update().contains(&run.agent_id) {
            if agents.changed().await.is_err() {
                return;
            }
        }
    }
}
