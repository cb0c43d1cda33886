//! The routes of sessions and threads.

use std::sync::Arc;

use super::{Session, create::create, detail::detail};
use crate::{
    Service,
    errors::Refusal,
    http::{Act, Call, Reply, Route},
};

/// The routes.
pub(crate) fn routes() -> Vec<Route> {
    let read = |_: &Call| vec!["session:read"];
    vec![
        Route::post("/v1/projects/{p}/sessions", |_| vec!["session:write", "run:create"], Arc::new(create)),
        Route::read("/v1/projects/{p}/sessions", read, Arc::new(list)),
        Route::read("/v1/projects/{p}/sessions/{s}", read, Arc::new(get)),
        Route::read("/v1/projects/{p}/threads", read, Arc::new(list_threads)),
        Route::read("/v1/projects/{p}/threads/{t}", read, Arc::new(get_thread)),
    ]
}

fn list(service: &Service, call: &Call) -> Result<Act, Refusal> {
    let page = service.parts().paging.read(call)?;
    Ok(Box::new(move |service, call| {
        let state = service.state();
        let show = |session: &Session| (session.active, session.to_json(session.latest_run(&state)));
        let items = state.sessions.all(call.project()).map(show).collect();
        Ok(Reply::json(200, service.parts().paging.page(page, items)))
    }))
}

fn get(_: &Service, _: &Call) -> Result<Act, Refusal> {
    Ok(Box::new(|service, call| {
        let id = call.uuid("s")?;
        let state = service.state();
        let session = state.sessions.get(call.project(), id).ok_or_else(|| Refusal::not_found("session"))?;
        Ok(Reply::json(200, detail(service, &state, session)))
    }))
}

fn list_threads(service: &Service, call: &Call) -> Result<Act, Refusal> {
    let page = service.parts().paging.read(call)?;
    Ok(Box::new(move |service, call| {
        let state = service.state();
        let items = state
            .sessions
            .all(call.project())
            .map(|session| (session.created, session.thread_json()))
            .collect();
        Ok(Reply::json(200, service.parts().paging.page(page, items)))
    }))
}

fn get_thread(_: &Service, _: &Call) -> Result<Act, Refusal> {
    Ok(Box::new(|service, call| {
        let id = call.uuid("t")?;
        let state = service.state();
        let found = state.sessions.all(call.project()).find(|session| session.thread_id == id);
        let session = found.ok_or_else(|| Refusal::not_found("thread"))?;
        Ok(Reply::json(200, session.thread_json()))
    }))
}
