//! Calls for which nobody waits any more.

use super::Stage;
use crate::{Service, approvals};

/// Gives up one call that is still open; says whether it was.
pub(super) fn abandon(service: &Service, id: &str) -> bool {
    let now = service.clock().rfc3339();
    let mut state = service.state();
    let Some(call) = state.tool_calls.get_mut(id).filter(|call| call.stage.is_open()) else { return false };
    call.enter((service.parts().tool_calls.abandoned)(call.stage), now.clone());
    approvals::give_up(&mut state, id, &now);
    true
}

/// Gives up whatever of a run is still open when it settles.
pub(crate) fn settle(service: &Service, run_id: &str) {
    let open: Vec<String> = {
        let mut state = service.state();
        let open = |stage: Stage| stage.is_open();
        state
            .tool_calls
            .of_run_mut(run_id)
            .filter(|call| open(call.stage))
            .map(|call| call.id.clone())
            .collect()
    };
    for id in open {
        abandon(service, &id);
    }
}
