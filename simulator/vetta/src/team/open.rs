//! Opening a thread.

use std::sync::Arc;

use serde_json::json;

use crate::{
    Caller, Refusal,
    admission::Applicant,
    endpoint,
    service::Core,
    sessions::{Start, draft},
    store::{Scope, Shelf},
    turns,
};

/// Opens a thread of the session `coordinator` for an agent and hands it `message`. The answer is the thread's
/// id. A thread is admitted like a session: what would be refused there is refused here. Of an agent one
/// version is kept, so the one that the roster stays on may be gone.
pub(crate) fn open(
    core: &Arc<Core>,
    scope: &Scope,
    coordinator: &str,
    (agent_id, version): (&str, Option<u64>),
    message: &str,
) -> Result<String, Refusal> {
    let Some(environment) = core.environment(scope) else {
        return Err(Refusal::internal("the environment of the session is gone"));
    };
    let caller = Caller { account: scope.account().to_owned(), environment: environment.clone() };
    let mut store = core.store();
    let shelf = store.shelf(scope);
    let agent = shelf.agents.get(agent_id).cloned().ok_or_else(|| {
        Refusal::not_found("agent_not_found", Some("agent"), format!("there is no agent `{agent_id}`"))
    })?;
    if let Some(version) = version.filter(|version| *version != agent.version) {
        let message = format!("version {version} of `{agent_id}` is gone; it is at {}", agent.version);
        return Err(Refusal::not_found("agent_version_not_found", Some("agent"), message));
    }
    let start = Start {
        agent: agent_id.to_owned(),
        title: None,
        structured_output_schema: None,
        structured_output_required: false,
    };
    let row = (core.parts.agents.resolve)(&environment, &agent.config.harness);
    let demands = (core.parts.admission.demands)(&agent.config, &start);
    let native_tools = &core.parts.admission.native_tools;
    let applicant = Applicant {
        caller: &caller,
        agent: &agent,
        row: row.as_ref(),
        start: &start,
        demands: &demands,
        native_tools,
    };
    (core.parts.admission.decide)(&core.parts.admission.steps, &applicant)?;
    let mut thread = draft(core, &applicant, "thr_")?;
    let id = thread.id.clone();
    let Some(session) = shelf.sessions.get_mut(coordinator) else {
        return Err(Refusal::not_found("session_not_found", None, "the session of the coordinator is over"));
    };
    thread.coordinator = Some(coordinator.to_owned());
    // Whoever decides about the calls of the session decides about those of its threads.
    thread.holds = session.holds.clone();
    thread.log.rise_to(&session.log, &id);
    session.open_threads.insert(id.clone());
    let turn_id = session.last_turn.as_ref().map(|turn| turn.id.clone());
    let opened = json!({"thread_id": id, "agent_id": agent_id});
    session.log.push("thread.opened", turn_id.as_deref(), opened);
    endpoint::open(core, scope, &thread);
    let Shelf { threads, .. } = shelf;
    threads.insert(id.clone(), thread);
    turns::begin(core, (scope, environment.as_ref()), shelf, &id, message.to_owned());
    Ok(id)
}
