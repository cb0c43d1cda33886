//! `Idempotency-Key` (open point U54): the answer to a write is kept and given again.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, PoisonError},
};

use super::{Call, Outcome, Reply};
use crate::{Refusal, store::Scope};

/// What is kept under idempotency keys.
#[derive(Clone)]
pub struct Replay {
    /// The longest key.
    pub key_chars_max: usize,
    /// Whether an answer is kept. A refusal is not: it had no effect, so that the same call may succeed
    /// once its cause is gone.
    pub keeps: Arc<dyn Fn(&Reply) -> bool + Send + Sync>,
}

impl Default for Replay {
    fn default() -> Self {
        Self { key_chars_max: 255, keeps: Arc::new(|reply| reply.status < 400) }
    }
}

/// The answers kept so far, by caller and key.
#[derive(Default)]
pub(crate) struct Replays(Mutex<BTreeMap<(Scope, String), Kept>>);

struct Kept {
    /// Path and body of the first request.
    request: (String, Vec<u8>),
    reply: Reply,
}

impl Replays {
    /// Runs `work` unless the key of the call has an answer already. The lock is held meanwhile, so two
    /// equal calls at once have one effect.
    pub(crate) fn once(
        &self,
        policy: &Replay,
        (scope, call, body): (Scope, &Call, &[u8]),
        work: impl FnOnce() -> Result<Outcome, Refusal>,
    ) -> Result<Outcome, Refusal> {
        let Some(key) = call.header("idempotency-key").filter(|_| call.method == "POST") else {
            return work();
        };
        if key.is_empty() || key.chars().count() > policy.key_chars_max {
            let message = format!("the key does not have 1 to {} characters", policy.key_chars_max);
            return Err(Refusal::invalid("Idempotency-Key", message));
        }
        let request = (call.path.clone(), body.to_vec());
        let slot = (scope, key.to_owned());
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(kept) = kept.get(&slot) {
            if kept.request == request {
                return Ok(Outcome::reply(kept.reply.clone().header("idempotency-replayed", "true")));
            }
            let message = "the key was used for another request; take a fresh one";
            return Err(Refusal::conflict("idempotency_key_reused", Some("Idempotency-Key"), message));
        }
        let outcome = work()?;
        if outcome.stream.is_none() && (policy.keeps)(&outcome.reply) {
            kept.insert(slot, Kept { request, reply: outcome.reply.clone() });
        }
        Ok(outcome)
    }
}
