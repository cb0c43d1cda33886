//! Cancelling a run.

use agent::Reason;
use serde_json::json;

use super::{RunEvents, RunState};
use crate::{
    Service,
    errors::Refusal,
    http::{Call, Reply},
};

/// Accepts the request. A queued run is cancelled at once; a running one is called off and ends by itself; a
/// settled one stays as it is.
pub(super) fn cancel(service: &Service, call: &Call) -> Result<Reply, Refusal> {
    let id = call.uuid("r")?;
    let mut state = service.state();
    let now = service.clock().rfc3339();
    let position = state.next_position(service.clock());
    let found = state.runs.get(call.project(), id).is_some();
    let run = state.runs.get_mut(id).filter(|_| found).ok_or_else(|| Refusal::not_found("run"))?;
    let outcome = if run.state.is_terminal() {
        "already_settled"
    } else if run.reserved {
        "reconcile_and_abort"
    } else {
        "cancelled_pre_admission"
    };
    if !run.state.is_terminal() {
        run.cancellation_requested_at.get_or_insert_with(|| now.clone());
        run.updated_at = now.clone();
    }
    if outcome == "cancelled_pre_admission" {
        run.state = RunState::Cancelled;
        run.settled_at = Some(now.clone());
    }
    let run = run.clone();
    state.sessions.touch(&run.session_id, position, &now);
    drop(state);
    let events = RunEvents::of(service, &run);
    events.emit("run.cancellation_requested", json!({"outcome": outcome}));
    if outcome == "reconcile_and_abort" {
        events.emit("runtime.cancellation_draining", json!({"submissionId": run.submission_id}));
        run.cancel.trigger(Reason::Requested);
    }
    let mut body = run.to_json();
    if let Some(members) = body.as_object_mut() {
        members.remove("settledAt");
    }
    Ok(Reply::json(202, body))
}
