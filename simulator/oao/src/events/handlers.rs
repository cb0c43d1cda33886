//! The route of the event stream.

use std::sync::Arc;

use super::{cursor, feed};
use crate::{
    Service,
    errors::Refusal,
    http::{Act, Call, Reply, ReplyBody, Route},
};

/// The routes.
pub(crate) fn routes() -> Vec<Route> {
    vec![Route::read("/v1/projects/{p}/events", |_| vec!["run:read"], Arc::new(stream))]
}

/// The header wins over the query; without either the whole history is given.
pub fn start_of(call: &Call) -> Result<u64, Refusal> {
    match call.header("last-event-id").or_else(|| call.query("cursor")) {
        None => Ok(0),
        Some(text) => {
            cursor::decode(text).ok_or_else(|| Refusal::bad_request("this is no cursor of the event stream"))
        }
    }
}

fn stream(service: &Service, call: &Call) -> Result<Act, Refusal> {
    let position = (service.parts().events.start)(call)?;
    let once = call.query("once") == Some("true");
    Ok(Box::new(move |service, call| {
        let (service, project) = (service.clone(), call.project().to_owned());
        let open = Arc::new(move || feed::open(&service, &project, position, once));
        let reply = Reply { status: 200, headers: Vec::new(), body: ReplyBody::Stream(open) };
        Ok(reply.header("cache-control", "no-store, no-transform").header("x-accel-buffering", "no"))
    }))
}
