//! `/v1/agents` and `/v1/agents/{id}`.

use std::sync::Arc;

use crate::{
    Call, Caller, Refusal, Reply,
    agents::{Agent, Verb, Writing, judge},
    http::Outcome,
    service::Core,
    store::Scope,
};

pub(crate) fn list(core: &Arc<Core>, call: &Call, caller: &Caller) -> Result<Outcome, Refusal> {
    let mut store = core.store();
    let agents = &store.shelf(&Scope::of(caller)).agents;
    let entries = agents.iter().map(|(id, agent)| (id.clone(), (core.parts.agents.render)(agent))).collect();
    Ok(Outcome::reply(Reply::json(200, core.parts.paging.page(&call.query, entries)?)))
}

pub(crate) fn create(core: &Arc<Core>, call: &Call, caller: &Caller) -> Result<Outcome, Refusal> {
    let (body, now) = (call.object()?, core.clock.rfc3339());
    let config = judge(&writing(core, caller, Verb::Post, body, &now), body)?;
    let id = core.ids.prefixed("agent_");
    let agent = Agent { id: id.clone(), version: 1, config, created_at: now.clone(), updated_at: now };
    let shown = (core.parts.agents.render)(&agent);
    core.store().shelf(&Scope::of(caller)).agents.insert(id, agent);
    Ok(Outcome::reply(Reply::json(201, shown)))
}

pub(crate) fn read(core: &Arc<Core>, call: &Call, caller: &Caller) -> Result<Outcome, Refusal> {
    let mut store = core.store();
    let agent = store.shelf(&Scope::of(caller)).agents.get(call.param("id")).ok_or_else(|| missing(call))?;
    Ok(Outcome::reply(Reply::json(200, (core.parts.agents.render)(agent))))
}

pub(crate) fn patch(core: &Arc<Core>, call: &Call, caller: &Caller) -> Result<Outcome, Refusal> {
    let (body, now) = (call.object()?, core.clock.rfc3339());
    let mut store = core.store();
    let agent =
        store.shelf(&Scope::of(caller)).agents.get_mut(call.param("id")).ok_or_else(|| missing(call))?;
    (core.parts.agents.apply)(&writing(core, caller, Verb::Patch, body, &now), agent)?;
    Ok(Outcome::reply(Reply::json(200, (core.parts.agents.render)(agent))))
}

pub(crate) fn delete(core: &Arc<Core>, call: &Call, caller: &Caller) -> Result<Outcome, Refusal> {
    let removed = core.store().shelf(&Scope::of(caller)).agents.remove(call.param("id"));
    removed.map(|_| Outcome::reply(Reply::no_content())).ok_or_else(|| missing(call))
}

fn writing<'a>(
    core: &'a Arc<Core>,
    caller: &'a Caller,
    verb: Verb,
    body: &'a serde_json::Map<String, serde_json::Value>,
    now: &'a str,
) -> Writing<'a> {
    Writing { parts: &core.parts, environment: &caller.environment, verb, body, now }
}

fn missing(call: &Call) -> Refusal {
    Refusal::not_found("agent_not_found", Some("id"), format!("there is no agent `{}`", call.param("id")))
}
