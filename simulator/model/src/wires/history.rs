//! Tool calls and their results, as a history must pair them.

/// Follows a conversation and tells which calls wait for their results.
#[derive(Debug, Default)]
pub(super) struct Calls {
    seen: Vec<String>,
    unanswered: Vec<String>,
}

impl Calls {
    /// The model makes these calls.
    pub(super) fn made(&mut self, ids: impl Iterator<Item = String>) {
        for id in ids {
            self.unanswered.push(id.clone());
            self.seen.push(id);
        }
    }

    /// A result comes. Says whether its call was made before.
    pub(super) fn answered(&mut self, id: &str) -> bool {
        self.unanswered.retain(|unanswered| unanswered != id);
        self.seen.iter().any(|seen| seen == id)
    }

    /// The calls that have no result, which are not asked about again.
    pub(super) fn left(&mut self) -> Vec<String> {
        std::mem::take(&mut self.unanswered)
    }
}
