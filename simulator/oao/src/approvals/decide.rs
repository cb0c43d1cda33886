//! Asking for an approval, and waiting for it.

use std::sync::Arc;

use serde_json::json;

use super::{Decision, store::Approval};
use crate::{Service, service::State, tool_calls::ToolDesk};

/// Asks for an approval of a call, and gives its id.
pub(crate) fn request(desk: &ToolDesk, tool_call_id: &str, tool: &str) -> String {
    let service = &desk.service;
    let id = service.ids().uuid();
    let (clock, lasts) = (service.clock(), service.parts().approvals.lasts);
    let now = clock.now();
    {
        let mut state = service.state();
        let approval = Approval {
            id: id.clone(),
            organization_id: desk.organization_id.clone(),
            project_id: desk.project_id.clone(),
            run_id: desk.run_id.clone(),
            tool_call_id: tool_call_id.to_owned(),
            status: Decision::Pending,
            summary: format!("Call {tool}"),
            expires: clock.elapsed() + lasts,
            expires_at: format!("{:.3}", now.checked_add(lasts).unwrap_or(now)),
            resolved_by: None,
            resolved_at: None,
            created_at: clock.rfc3339(),
            position: state.next_position(clock),
            bell: Arc::default(),
        };
        state.approvals.insert(approval);
    }
    let payload = json!({"approvalId": id, "toolCallId": tool_call_id, "toolName": tool});
    desk.events.emit("approval.requested", payload);
    id
}

/// Waits until an approval is decided, or is not decided in time.
pub(crate) async fn decided(service: &Service, id: &str) -> Decision {
    let found = {
        let mut state = service.state();
        state.approvals.get_mut(id).map(|approval| (approval.bell.subscribe(), approval.expires))
    };
    let Some((mut bell, expires)) = found else { return Decision::Expired };
    loop {
        bell.mark_unchanged();
        let status =
            service.state().approvals.get_mut(id).map_or(Decision::Expired, |approval| approval.status);
        if status != Decision::Pending {
            return status;
        }
        let in_time = tokio::select! {
            biased;
            changed = bell.changed() => changed.is_ok(),
            () = service.clock().pause_until(expires) => false,
        };
        if !in_time {
            let now = service.clock().rfc3339();
            if let Some(approval) = service.state().approvals.get_mut(id).filter(|one| one.is_pending()) {
                approval.resolve(Decision::Expired, None, &now);
            }
        }
    }
}

/// Nobody waits any more for the approval of a call.
pub(crate) fn give_up(state: &mut State, tool_call_id: &str, now: &str) {
    if let Some(approval) = state.approvals.of_call_mut(tool_call_id).filter(|one| one.is_pending()) {
        approval.resolve(Decision::Expired, None, now);
    }
}
