//! Changing the state of a run.

use serde_json::{Value, json};

use super::{RunEvents, RunState};
use crate::Service;

/// Changes the state of the run `id`, if the new one may follow, and says so.
pub(crate) fn change(service: &Service, events: &RunEvents, id: &str, to: RunState, payload: Value) -> bool {
    {
        let mut state = service.state();
        let now = service.clock().rfc3339();
        let position = state.next_position(service.clock());
        let Some(run) = state.runs.get_mut(id) else { return false };
        if run.state == to || !service.parts().runs.states.allow(run.state, to) {
            return false;
        }
        run.state = to;
        run.updated_at = now.clone();
        run.settled_at = to.is_terminal().then(|| now.clone());
        let session = run.session_id.clone();
        state.sessions.touch(&session, position, &now);
    }
    events.emit("run.state_changed", payload);
    events.emit_on_session("session.summary_changed", json!({"runId": id, "state": to.name()}));
    true
}
