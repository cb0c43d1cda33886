//! `/v1/sessions` and `/v1/sessions/{id}`.

use std::sync::Arc;

use serde_json::json;

use crate::{
    Call, Caller, Refusal, Reply,
    admission::Applicant,
    endpoint,
    http::Outcome,
    service::Core,
    sessions::{Opening, SessionStatus, Start, draft},
    store::{Scope, Shelf},
    team, turns,
};

pub(crate) fn list(core: &Arc<Core>, call: &Call, caller: &Caller) -> Result<Outcome, Refusal> {
    let mut store = core.store();
    let sessions = store.shelf(&Scope::of(caller)).sessions.values();
    let agent = call.query.get("agent");
    let wanted = sessions.filter(|session| agent.is_none_or(|agent| *agent == session.agent.id));
    let entries = wanted.map(|session| (session.id.clone(), (core.parts.sessions.render)(session))).collect();
    Ok(Outcome::reply(Reply::json(200, core.parts.paging.page(&call.query, entries)?)))
}

pub(crate) fn start(core: &Arc<Core>, call: &Call, caller: &Caller) -> Result<Outcome, Refusal> {
    let parts = &core.parts;
    let start = Start::read(&parts.sessions.rules, call.object()?)?;
    let mut store = core.store();
    let Shelf { agents, sessions, .. } = store.shelf(&Scope::of(caller));
    let Some(agent) = agents.get(&start.agent) else {
        let message = format!("there is no agent `{}`", start.agent);
        return Err(Refusal::not_found("agent_not_found", Some("agent"), message));
    };
    let row = (parts.agents.resolve)(&caller.environment, &agent.config.harness);
    let demands = (parts.admission.demands)(&agent.config, &start);
    let native_tools = &parts.admission.native_tools;
    let applicant =
        Applicant { caller, agent, row: row.as_ref(), start: &start, demands: &demands, native_tools };
    let session = (parts.sessions.open)(&mut Opening {
        applicant,
        admit: &|| (parts.admission.decide)(&parts.admission.steps, &applicant),
        draft: &|| draft(core, &applicant, "sess_"),
        keep: &mut |session| {
            sessions.insert(session.id.clone(), session);
        },
    })?;
    endpoint::open(core, &Scope::of(caller), &session);
    Ok(Outcome::reply(Reply::json(201, (parts.sessions.render)(&session))))
}

pub(crate) fn read(core: &Arc<Core>, call: &Call, caller: &Caller) -> Result<Outcome, Refusal> {
    let mut store = core.store();
    let session =
        store.shelf(&Scope::of(caller)).sessions.get(call.param("id")).ok_or_else(|| missing(call))?;
    Ok(Outcome::reply(Reply::json(200, (core.parts.sessions.render)(session))))
}

/// Ends the session: its turn is cancelled and its streams are told.
pub(crate) fn delete(core: &Arc<Core>, call: &Call, caller: &Caller) -> Result<Outcome, Refusal> {
    let mut store = core.store();
    let shelf = store.shelf(&Scope::of(caller));
    let mut session = shelf.sessions.remove(call.param("id")).ok_or_else(|| missing(call))?;
    team::end_threads(core, shelf, &session.id);
    (core.parts.endpoint.end)(&mut core.mounts.lock(), &session.id);
    turns::end(&mut session);
    session.log.push("session.status", None, json!({ "status": SessionStatus::Ended }));
    session.log.close();
    Ok(Outcome::reply(Reply::no_content()))
}

/// There is no such session, for this caller.
pub(super) fn missing(call: &Call) -> Refusal {
    Refusal::not_found("session_not_found", Some("id"), format!("there is no session `{}`", call.param("id")))
}
