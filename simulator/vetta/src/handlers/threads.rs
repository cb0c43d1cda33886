//! `GET /v1/sessions/{id}/threads`.

use std::sync::Arc;

use super::sessions::missing;
use crate::{
    Call, Caller, Refusal, Reply, http::Outcome, service::Core, sessions::Session, store::Scope, team,
};

pub(crate) fn list(core: &Arc<Core>, call: &Call, caller: &Caller) -> Result<Outcome, Refusal> {
    let mut store = core.store();
    let shelf = store.shelf(&Scope::of(caller));
    let id = call.param("id");
    if !shelf.sessions.contains_key(id) {
        return Err(missing(call));
    }
    let ours = |thread: &&Session| thread.coordinator.as_deref() == Some(id);
    let threads = shelf.threads.values().filter(ours);
    let entries = threads.map(|thread| (thread.id.clone(), team::render(thread))).collect();
    Ok(Outcome::reply(Reply::json(200, core.parts.paging.page(&call.query, entries)?)))
}
