//! `GET /v1/harnesses`, `GET /v1/harnesses/{id}`, `GET /v1/models`.

use std::sync::Arc;

use serde_json::Value;
use wire::Seed;

use crate::{Call, Caller, Refusal, Reply, catalogue::View, http::Outcome, service::Core};

pub(crate) fn list(core: &Arc<Core>, call: &Call, caller: &Caller) -> Result<Outcome, Refusal> {
    let catalogue = &core.parts.catalogue;
    let rows = (catalogue.list)(caller, &call.query);
    let data = rows.iter().map(|row| (catalogue.render)(row, View::Listed)).collect();
    Ok(cached(core, (core.parts.paging.envelope)(data, None)))
}

pub(crate) fn read(core: &Arc<Core>, call: &Call, caller: &Caller) -> Result<Outcome, Refusal> {
    let (catalogue, id) = (&core.parts.catalogue, call.param("id"));
    match (catalogue.find)(&caller.environment, id) {
        Some(row) => Ok(cached(core, (catalogue.render)(&row, View::Read))),
        None => Err((catalogue.missing)(&caller.environment, id)),
    }
}

pub(crate) fn models(core: &Arc<Core>, call: &Call, caller: &Caller) -> Result<Outcome, Refusal> {
    let models = &core.parts.models;
    let listed = (models.list)(&caller.environment);
    let entries = listed.iter().map(|model| (model.id.clone(), (models.render)(model))).collect();
    Ok(Outcome::reply(Reply::json(200, core.parts.paging.page(&call.query, entries)?)))
}

/// The table moves with a release only, so an answer may be kept for a while (open point U37).
fn cached(core: &Arc<Core>, body: Value) -> Outcome {
    let digest = Seed::of_run(0).child(&body.to_string()).token();
    let max_age_s = core.parts.catalogue.max_age_s;
    let reply = Reply::json(200, body)
        .header("etag", format!("\"{digest}\""))
        .header("cache-control", format!("private, max-age={max_age_s}"));
    Outcome::reply(reply)
}
