//! The routes of runs and of what belongs to them.

use std::sync::Arc;

use serde_json::{Value, json};

use super::{Run, cancel::cancel, read_files};
use crate::{
    Service,
    errors::Refusal,
    http::{Act, Call, Reply, Route},
    limits::Range,
    publication::reader::Reader,
    sessions::{Sent, next_run},
};

/// The routes.
pub(crate) fn routes() -> Vec<Route> {
    let read = |_: &Call| vec!["run:read"];
    let create = |_: &Call| vec!["run:create"];
    vec![
        Route::post("/v1/projects/{p}/sessions/{s}/runs", create, Arc::new(in_session)),
        Route::post("/v1/projects/{p}/runs/{r}/resume", create, Arc::new(resume)),
        Route::read("/v1/projects/{p}/runs", read, Arc::new(list)),
        Route::read("/v1/projects/{p}/runs/{r}", read, Arc::new(get)),
        Route::post(
            "/v1/projects/{p}/runs/{r}/cancel",
            |_| vec!["run:cancel"],
            Arc::new(|_, _| Ok(Box::new(cancel))),
        )
        .bodiless(),
        Route::read("/v1/projects/{p}/runs/{r}/messages", read, Arc::new(messages)),
        Route::read("/v1/projects/{p}/runs/{r}/timeline", read, Arc::new(timeline)),
    ]
}

/// The message of a further run: `message` or `redactedInput`, and files.
fn sent(service: &Service, call: &Call) -> Result<Sent, Refusal> {
    let parts = service.parts();
    let reader = Reader::new(&call.body, "");
    let name = if reader.get("message").is_some() { "message" } else { "redactedInput" };
    let files = read_files(&reader, parts)?;
    let range = with_files(parts.session_limits.message_units, !files.is_empty());
    Ok(Sent { message: reader.text(name, range)?.to_owned(), files })
}

/// A text may be empty when a file comes with it.
pub(crate) fn with_files(range: Range, files: bool) -> Range {
    Range { min: if files { 0 } else { range.min }, ..range }
}

fn in_session(service: &Service, call: &Call) -> Result<Act, Refusal> {
    let sent = sent(service, call)?;
    Ok(Box::new(move |service, call| {
        let run = next_run(service, call, call.uuid("s")?, sent)?;
        Ok(Reply::json(202, super::run_input(&run, call)))
    }))
}

fn resume(service: &Service, call: &Call) -> Result<Act, Refusal> {
    let sent = sent(service, call)?;
    Ok(Box::new(move |service, call| {
        let id = call.uuid("r")?;
        let session = {
            let state = service.state();
            let run = state.runs.get(call.project(), id).ok_or_else(|| Refusal::not_found("run"))?;
            if !run.state.is_terminal() {
                return Err(Refusal::conflict("the run is not settled"));
            }
            run.session_id.clone()
        };
        let run = next_run(service, call, &session, sent)?;
        Ok(Reply::json(202, super::run_input(&run, call)))
    }))
}

fn list(service: &Service, call: &Call) -> Result<Act, Refusal> {
    let page = service.parts().paging.read(call)?;
    Ok(Box::new(move |service, call| {
        let state = service.state();
        let items = state.runs.all(call.project()).map(|run| (run.position, run.to_json())).collect();
        Ok(Reply::json(200, service.parts().paging.page(page, items)))
    }))
}

fn get(_: &Service, _: &Call) -> Result<Act, Refusal> {
    Ok(Box::new(|service, call| with_run(service, call, |run| Reply::json(200, run.to_json()))))
}

fn messages(service: &Service, call: &Call) -> Result<Act, Refusal> {
    let page = service.parts().paging.read(call)?;
    Ok(Box::new(move |service, call| {
        with_run(service, call, |run| {
            Reply::json(200, service.parts().paging.page(page, run.messages.clone()))
        })
    }))
}

/// Entries in ascending order; the cursor is the sequence of the last one that was seen.
fn timeline(service: &Service, call: &Call) -> Result<Act, Refusal> {
    let after = match call.query("cursor") {
        None => 0,
        Some(text) => {
            text.parse::<u64>().map_err(|_| Refusal::bad_request("cursor: an entry sequence is needed"))?
        }
    };
    let no_cursor = Call {
        query: call.query.iter().filter(|(name, _)| name != "cursor").cloned().collect(),
        ..Call::default()
    };
    let limit = service.parts().paging.read(&no_cursor)?.limit();
    Ok(Box::new(move |service, call| {
        with_run(service, call, |run| {
            let skipped = usize::try_from(after).unwrap_or(usize::MAX).min(run.timeline.len());
            let rest = &run.timeline[skipped..];
            let data: Vec<&Value> = rest.iter().take(limit).collect();
            let more = rest.len() > data.len();
            let next = data.last().filter(|_| more).map(|entry| entry["entrySequence"].clone());
            Reply::json(200, json!({"data": data, "pageInfo": {"hasMore": more, "nextCursor": next}}))
        })
    }))
}

fn with_run(service: &Service, call: &Call, show: impl FnOnce(&Run) -> Reply) -> Result<Reply, Refusal> {
    let id = call.uuid("r")?;
    let state = service.state();
    state.runs.get(call.project(), id).map(show).ok_or_else(|| Refusal::not_found("run"))
}
