//! What the service knows, for whoever controls it from outside.

use crate::Service;

impl Service {
    /// Whether there is an agent of this id, archived or not.
    pub fn has_agent(&self, id: &str) -> bool {
        !self.state().versions.of_agent(id).is_empty()
    }

    /// Whether there is a run of this id.
    pub fn has_run(&self, id: &str) -> bool {
        self.state().runs.by_id(id).is_some()
    }

    /// Whether there is a session of this id, child sessions included.
    pub fn has_session(&self, id: &str) -> bool {
        self.state().sessions.by_id(id).is_some()
    }
}
