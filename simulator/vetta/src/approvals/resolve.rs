//! Deciding about held calls.

use serde_json::json;

use super::{Answered, Decision, Verdict};
use crate::{
    Refusal,
    service::Core,
    sessions::{Session, SessionStatus},
};

/// Takes an answer to the held call `id`.
pub(crate) fn confirm(
    core: &Core,
    session: &mut Session,
    id: &str,
    verdict: Verdict,
) -> Result<Answered, Refusal> {
    let standing = session.holds.standing(id);
    let standing = standing.map(|verdict| verdict.map(|verdict| verdict.decision));
    let answered = (core.parts.approvals.answer)(standing, verdict.decision)?;
    if answered == Answered::Applied {
        decide(session, id, verdict);
    }
    Ok(answered)
}

/// Denies whatever is held, because the turn ends: `why`.
pub(crate) fn deny_all(session: &mut Session, why: &str) {
    for id in session.holds.pending() {
        decide(session, &id, Verdict { decision: Decision::Deny, message: Some(why.to_owned()) });
    }
}

/// The story of a decision is told here and now, so that it stands in the log before whatever follows.
fn decide(session: &mut Session, id: &str, verdict: Verdict) {
    let turn_id = session.last_turn.as_ref().map(|turn| turn.id.clone());
    let push = |kind, members| session.log.push(kind, turn_id.as_deref(), members);
    push("tool.confirmation_resolved", json!({"tool_call_id": id, "decision": verdict.decision}));
    if verdict.decision == Decision::Deny {
        let message = verdict.message.clone().unwrap_or_else(|| "the call was denied".to_owned());
        push("tool.denied", json!({"tool_call_id": id, "message": message}));
    }
    session.holds.decide(id, verdict);
    if session.holds.pending().is_empty() && session.status == SessionStatus::RequiresAction {
        session.status = SessionStatus::Running;
        push("session.status", json!({ "status": session.status }));
    }
}
