//! `POST /v1/sessions/{id}/tool_confirmations`.

use std::sync::Arc;

use serde_json::json;

use super::sessions::missing;
use crate::{
    Call, Caller, Refusal, Reply,
    approvals::{self, Answered, Verdict},
    http::Outcome,
    service::Core,
    sessions::Confirmation,
    store::Scope,
};

pub(crate) fn confirm(core: &Arc<Core>, call: &Call, caller: &Caller) -> Result<Outcome, Refusal> {
    let body = call.object()?;
    let mut store = core.store();
    let sessions = &mut store.shelf(&Scope::of(caller)).sessions;
    let session = sessions.get_mut(call.param("id")).ok_or_else(|| missing(call))?;
    let Confirmation { tool_call_id, decision, message } =
        Confirmation::read(&core.parts.sessions.rules, body)?;
    let answered = approvals::confirm(core, session, &tool_call_id, Verdict { decision, message })?;
    let applied = answered == Answered::Applied;
    let receipt = json!({"tool_call_id": tool_call_id, "decision": decision, "applied": applied});
    Ok(Outcome::reply(Reply::json(202, receipt)))
}
