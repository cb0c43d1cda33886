//! `POST /v1/sessions/{id}/messages`.

use std::sync::Arc;

use serde_json::json;

use super::sessions::missing;
use crate::{
    Call, Caller, Refusal, Reply, http::Outcome, service::Core, sessions::Message, store::Scope, turns,
};

pub(crate) fn send(core: &Arc<Core>, call: &Call, caller: &Caller) -> Result<Outcome, Refusal> {
    let message = Message::read(&core.parts.sessions.rules, call.object()?)?;
    let (scope, mut store) = (Scope::of(caller), core.store());
    let shelf = store.shelf(&scope);
    let session = shelf.sessions.get(call.param("id")).ok_or_else(|| missing(call))?;
    (core.parts.sessions.takes_message)(session)?;
    let message_id = core.ids.prefixed("msg_");
    let whose = (&scope, caller.environment.as_ref());
    let turn_id = turns::begin(core, whose, shelf, call.param("id"), message.content);
    let turn_id = turn_id.ok_or_else(|| missing(call))?;
    Ok(Outcome::reply(Reply::json(202, json!({"message_id": message_id, "turn_id": turn_id}))))
}
