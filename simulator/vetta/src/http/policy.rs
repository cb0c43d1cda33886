//! The policy of the HTTP seam.

use std::sync::Arc;

use serde_json::Value;
use wire::serve::HeadFilter;

use super::{Call, Replay, Reply};
use crate::Refusal;

/// A change of an outgoing answer.
pub type Rewrite = Arc<dyn Fn(&Call, &mut Reply) + Send + Sync>;

/// What happens to answers on their way out.
#[derive(Clone, Default)]
pub struct Outgoing {
    /// Applied in order to every answer, refusals and the heads of event streams included. A rewrite that
    /// gives the head of a stream a body or another status than 200 puts an ordinary answer in its place.
    pub rewrites: Vec<Rewrite>,
}

impl Outgoing {
    /// Adds a rewrite at the end.
    pub fn push(&mut self, rewrite: impl Fn(&Call, &mut Reply) + Send + Sync + 'static) {
        self.rewrites.push(Arc::new(rewrite));
    }

    /// Applies the rewrites.
    pub fn apply(&self, call: &Call, reply: &mut Reply) {
        for rewrite in &self.rewrites {
            rewrite(call, reply);
        }
    }
}

/// The policy of the HTTP seam.
#[derive(Clone)]
pub struct Http {
    /// The longest body that is read.
    pub body_bytes_max: usize,
    /// What a refusal looks like, given the id of the request (open point U01).
    pub error: Arc<dyn Fn(&Refusal, &str) -> Value + Send + Sync>,
    /// `Idempotency-Key` (open point U54).
    pub replay: Replay,
    /// Rewrites of outgoing answers.
    pub outgoing: Outgoing,
    /// A change of request heads before they are parsed, as a proxy might do.
    pub head_filter: Option<HeadFilter>,
}

impl Default for Http {
    fn default() -> Self {
        Self {
            body_bytes_max: 1024 * 1024,
            error: Arc::new(Refusal::envelope),
            replay: Replay::default(),
            outgoing: Outgoing::default(),
            head_filter: None,
        }
    }
}
