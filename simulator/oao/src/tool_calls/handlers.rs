//! The routes of tool calls and of pending work.

use std::sync::Arc;

use serde_json::json;

use super::{Work, lease, submit, work::rows};
use crate::{
    Service,
    errors::Refusal,
    http::{Act, Call, Reply, Route},
    publication::reader::is_uuid,
};

/// The routes.
pub(crate) fn routes() -> Vec<Route> {
    let read = |_: &Call| vec!["run:read"];
    let claim = |_: &Call| vec!["tool_call:claim"];
    let submit = |_: &Call| vec!["tool_call:submit"];
    vec![
        Route::read("/v1/projects/{p}/tool-calls", read, Arc::new(list)),
        Route::read("/v1/projects/{p}/pending-work", read, Arc::new(pending)),
        Route::post("/v1/projects/{p}/tool-calls/{t}/claim", claim, Arc::new(lease::claim)),
        Route::post("/v1/projects/{p}/tool-calls/{t}/renew", claim, Arc::new(lease::renew)),
        Route::post("/v1/projects/{p}/tool-calls/{t}/release", claim, Arc::new(lease::release)),
        Route::post("/v1/projects/{p}/tool-calls/{t}/result", submit, Arc::new(submit::result)),
    ]
}

/// `?runId=`: a UUID where it is named. An empty one is malformed, and does not stand for all runs.
pub(crate) fn of_run(call: &Call) -> Result<Option<String>, Refusal> {
    match call.query("runId") {
        Some(run) if !is_uuid(run) => Err(Refusal::bad_request("runId: a UUID is needed")),
        run => Ok(run.map(str::to_owned)),
    }
}

fn list(service: &Service, call: &Call) -> Result<Act, Refusal> {
    let (page, run) = (service.parts().paging.read(call)?, of_run(call)?);
    Ok(Box::new(move |service, call| {
        let rows = rows(service, &service.state(), call.project(), run.as_deref());
        Ok(Reply::json(200, service.parts().paging.page(page, rows)))
    }))
}

fn pending(_: &Service, _: &Call) -> Result<Act, Refusal> {
    Ok(Box::new(|service, call| {
        let work = Work::of(service, &service.state(), call.project(), |_| true);
        Ok(Reply::json(200, json!({"data": work.pending})))
    }))
}
