//! A session that has been admitted and is not on the shelf yet.

use std::{collections::BTreeSet, sync::Arc};

use serde_json::json;

use super::{AgentSnapshot, Session, SessionStatus};
use crate::{
    Refusal,
    admission::{Applicant, published},
    approvals::Holds,
    events::EventLog,
    service::Core,
};

/// A session whose id begins with `prefix`: `sess_`, or `thr_` for a thread.
pub(crate) fn draft(core: &Arc<Core>, applicant: &Applicant<'_>, prefix: &str) -> Result<Session, Refusal> {
    let Some(row) = (core.parts.sessions.serving)(applicant) else {
        published(applicant)?;
        return Err(Refusal::internal("no loop serves the session"));
    };
    let id = core.ids.prefixed(prefix);
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
        coordinator: None,
        open_threads: BTreeSet::new(),
        reports: Vec::new(),
        log,
        created_at: core.clock.rfc3339(),
        cancel: None,
        task: None,
    })
}
