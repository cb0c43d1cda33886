//! `POST /v1/sessions/{id}/interrupt`.

use std::sync::Arc;

use serde_json::json;

use super::sessions::missing;
use crate::{Call, Caller, Refusal, Reply, http::Outcome, service::Core, store::Scope, turns};

/// Ends the turn that is on, and with it every hold, by denying. Without one there is nothing to do, and
/// that is no mistake: the turn may have ended a moment ago.
pub(crate) fn interrupt(core: &Arc<Core>, call: &Call, caller: &Caller) -> Result<Outcome, Refusal> {
    let mut store = core.store();
    let sessions = &mut store.shelf(&Scope::of(caller)).sessions;
    let session = sessions.get_mut(call.param("id")).ok_or_else(|| missing(call))?;
    let applied = turns::interrupt(session);
    let turn_id = session.last_turn.as_ref().map(|turn| turn.id.clone()).filter(|_| applied);
    Ok(Outcome::reply(Reply::json(202, json!({"turn_id": turn_id, "applied": applied}))))
}
