//! What an answer does, and what a hold comes to.

use std::sync::Arc;

use agent::ToolOutcome;
use futures_util::{FutureExt, future::BoxFuture};

use super::{Decision, Held, Verdict};
use crate::Refusal;

/// The type of the failure that a denied call ends with.
pub(crate) const DENIED: &str = "Denied";

/// What an answer to a held call comes to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answered {
    /// It decides.
    Applied,
    /// It says what had been decided already.
    Repeated,
}

/// From how a call stands and an answer to what the answer comes to.
pub type Answering =
    Arc<dyn Fn(Option<Option<Decision>>, Decision) -> Result<Answered, Refusal> + Send + Sync>;

/// The policy of approvals.
#[derive(Clone)]
pub struct Approvals {
    /// What an answer does, given how the call stands (open point U17).
    pub answer: Answering,
    /// From a held call to its end.
    pub hold: Arc<dyn Fn(Held) -> BoxFuture<'static, ToolOutcome> + Send + Sync>,
}

impl Default for Approvals {
    fn default() -> Self {
        Self { answer: Arc::new(answer), hold: Arc::new(|held| hold(held).boxed()) }
    }
}

/// The first answer decides. The same once more changes nothing, another one is a conflict.
pub fn answer(standing: Option<Option<Decision>>, decision: Decision) -> Result<Answered, Refusal> {
    match standing {
        None => Err(Refusal::not_found(
            "tool_call_not_found",
            Some("tool_call_id"),
            "no call of this session with that id was ever held",
        )),
        Some(None) => Ok(Answered::Applied),
        Some(Some(before)) if before == decision => Ok(Answered::Repeated),
        Some(Some(_)) => Err(Refusal::conflict(
            "confirmation_already_resolved",
            Some("tool_call_id"),
            "the call was decided about before, the other way",
        )),
    }
}

/// Nothing happens until somebody decides; then the call runs once, or not at all.
pub async fn hold(mut held: Held) -> ToolOutcome {
    let Verdict { decision, message } = held.decision().await;
    match decision {
        Decision::Allow => held.run().await,
        Decision::Deny => denied(message),
    }
}

/// The end of a call that was denied.
pub(crate) fn denied(message: Option<String>) -> ToolOutcome {
    ToolOutcome::failed(DENIED, message.unwrap_or_else(|| "the call was denied".to_owned()))
}
