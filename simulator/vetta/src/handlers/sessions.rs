//! `/v1/sessions` and `/v1/sessions/{id}`.

use std::{collections::BTreeSet, sync::Arc};

use serde_json::json;

use crate::{
    Call, Caller, Refusal, Reply,
    admission::{Applicant, published},
    approvals::Holds,
    events::EventLog,
    http::Outcome,
    service::Core,
    sessions::{AgentSnapshot, Opening, Session, SessionStatus, Start},
    store::{Scope, Shelf},
    turns,
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
    let Shelf { agents, sessions } = store.shelf(&Scope::of(caller));
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
        draft: &|| draft(core, &applicant),
        keep: &mut |session| {
            sessions.insert(session.id.clone(), session);
        },
    })?;
    Ok(Outcome::reply(Reply::json(201, (parts.sessions.render)(&session))))
}

/// A session that has been admitted and is not on the shelf yet.
fn draft(core: &Arc<Core>, applicant: &Applicant<'_>) -> Result<Session, Refusal> {
    let Some(row) = (core.parts.sessions.serving)(applicant) else {
        published(applicant)?;
        return Err(Refusal::internal("no loop serves the session"));
    };
    let id = core.ids.prefixed("sess_");
    let log = EventLog::new(&id, (&row, &core.parts.events.scribe), &core.clock, &core.ids);
    let status = SessionStatus::Idle;
    log.push("session.created", None, json!({ "status": status }));
    let agent = applicant.agent;
    Ok(Session {
        id,
        agent: AgentSnapshot { id: agent.id.clone(), version: agent.version, config: agent.config.clone() },
        row,
        start: applicant.start.clone(),
        status,
        last_turn: None,
        structured_output: None,
        conversation: Vec::new(),
        holds: Holds::default(),
        sandbox: None,
        open_threads: BTreeSet::new(),
        log,
        created_at: core.clock.rfc3339(),
        cancel: None,
        task: None,
    })
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
    let removed = store.shelf(&Scope::of(caller)).sessions.remove(call.param("id"));
    let mut session = removed.ok_or_else(|| missing(call))?;
    turns::end(&mut session);
    session.log.push("session.status", None, json!({ "status": SessionStatus::Ended }));
    session.log.close();
    Ok(Outcome::reply(Reply::no_content()))
}

/// There is no such session, for this caller.
pub(super) fn missing(call: &Call) -> Refusal {
    Refusal::not_found("session_not_found", Some("id"), format!("there is no session `{}`", call.param("id")))
}
