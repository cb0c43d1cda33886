//! `GET /v1/sessions/{id}/events`: a page, or a stream with `Accept: text/event-stream`.

use std::sync::Arc;

use super::sessions::missing;
use crate::{
    Call, Caller, Refusal, Reply,
    events::{Delivery, feed},
    http::Outcome,
    service::Core,
    store::Scope,
};

pub(crate) fn show(core: &Arc<Core>, call: &Call, caller: &Caller) -> Result<Outcome, Refusal> {
    let mut store = core.store();
    let session =
        store.shelf(&Scope::of(caller)).sessions.get(call.param("id")).ok_or_else(|| missing(call))?;
    let policy = &core.parts.events;
    if call.accepts("text/event-stream") {
        (policy.open)(session)?;
        let at = (policy.resume)(&session.log.events(), call.header("last-event-id"));
        let head = Reply { status: 200, headers: Vec::new(), body: None }
            .header("content-type", "text/event-stream")
            .header("cache-control", "no-store");
        let stream = feed(policy.clone(), core.clock.clone(), session.log.clone(), at);
        return Ok(Outcome { reply: head, stream: Some(stream) });
    }
    let events = session.log.events();
    let shown =
        events.iter().filter_map(|event| Some((event.id.clone(), (policy.render)(event, Delivery::Listed)?)));
    Ok(Outcome::reply(Reply::json(200, core.parts.paging.page(&call.query, shown.collect())?)))
}
