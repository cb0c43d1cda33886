//! Making sessions and further runs.

use super::Session;
use crate::{
    Service, Version,
    errors::Refusal,
    http::{Act, Call, Reply},
    publication::reader::{Reader, is_uuid},
    runs::{Attached, NewRun, Run, create as create_run, launch, read_files, run_input, with_files},
    sandbox::{self, Sandbox},
    service::State,
};

/// A message, as it was sent.
pub(crate) struct Sent {
    pub(crate) message: String,
    pub(crate) files: Vec<Attached>,
}

/// `POST /sessions`
pub(super) fn create(service: &Service, call: &Call) -> Result<Act, Refusal> {
    let parts = service.parts();
    let reader = Reader::new(&call.body, "");
    let id = |name: &str| match reader.get(name) {
        None => Ok(None),
        Some(value) => {
            let id = value.as_str().filter(|id| is_uuid(id)).map(str::to_owned);
            id.map(Some).ok_or_else(|| reader.refuse(name, "a UUID is needed"))
        }
    };
    let (agent_id, version_id) = (id("agentId")?, id("agentVersionId")?);
    if agent_id.is_none() && version_id.is_none() {
        return Err(Refusal::bad_request("`agentId` or `agentVersionId` is needed"));
    }
    let title = reader.optional_text("title", parts.session_limits.title_units)?.map(str::to_owned);
    let files = read_files(&reader, parts)?;
    let range = with_files(parts.session_limits.message_units, !files.is_empty());
    let sent = Sent { message: reader.text("initialMessage", range)?.to_owned(), files };
    Ok(Box::new(move |service, call| {
        let mut state = service.state();
        let version = choose(&state, call, agent_id.as_deref(), version_id.as_deref())?;
        check_sandbox(&version, &sent)?;
        let now = service.clock().rfc3339();
        let created = state.next_position(service.clock());
        let session = Session {
            id: service.ids().uuid(),
            thread_id: service.ids().uuid(),
            organization_id: call.organization_id().to_owned(),
            project_id: call.project().to_owned(),
            agent_id: version.agent_id.clone(),
            version_id: version.id.clone(),
            title,
            created_at: now.clone(),
            last_activity_at: now,
            active: created,
            created,
            runs: Vec::new(),
            conversation: Vec::new(),
            parent: None,
            live: Sandbox::open(service, &version.config),
            others: Vec::new(),
        };
        state.sessions.insert(session.clone());
        let run = start(service, call, &mut state, &session, sent);
        drop(state);
        launch(service, &run);
        let mut body = session.to_json(Some(&run));
        body["run"] = run_input(&run, call);
        Ok(Reply::json(201, body))
    }))
}

/// The version of a new session: the latest one of its agent.
fn choose(
    state: &State,
    call: &Call,
    agent_id: Option<&str>,
    version_id: Option<&str>,
) -> Result<Version, Refusal> {
    let named = match version_id {
        None => None,
        Some(id) => {
            let version = state.versions.get(id).filter(|version| version.project_id == call.project());
            Some(version.ok_or_else(|| Refusal::not_found("agent version"))?)
        }
    };
    let agent_id =
        agent_id.map(str::to_owned).or_else(|| named.as_ref().map(|version| version.agent_id.clone()));
    let agent = agent_id.and_then(|id| state.agents.live(call.project(), &id));
    let agent = agent.ok_or_else(|| Refusal::not_found("agent"))?;
    let latest = state.versions.of_agent(&agent.id).pop();
    let latest = latest.ok_or_else(|| Refusal::conflict("the agent has no published version"))?;
    match named {
        Some(version) if version.id != latest.id => {
            Err(Refusal::bad_request("agentVersionId: this is not the latest version of the agent"))
        }
        _ => Ok(latest),
    }
}

/// Files need a sandbox to be put into.
fn check_sandbox(version: &Version, sent: &Sent) -> Result<(), Refusal> {
    if sent.files.is_empty() || sandbox::is_enabled(&version.config) {
        return Ok(());
    }
    Err(Refusal::bad_request("files: the version has no sandbox to put them into"))
}

/// A further run of a session, which has to be idle.
pub(crate) fn next_run(service: &Service, call: &Call, session_id: &str, sent: Sent) -> Result<Run, Refusal> {
    let mut state = service.state();
    let session = state
        .sessions
        .get(call.project(), session_id)
        .cloned()
        .ok_or_else(|| Refusal::not_found("session"))?;
    if session.latest_run(&state).is_some_and(|run| (service.parts().runs.busy)(run.state)) {
        return Err(Refusal::conflict("the latest run of the session is not settled"));
    }
    if let Some(version) = state.versions.get(&session.version_id) {
        check_sandbox(&version, &sent)?;
    }
    let run = start(service, call, &mut state, &session, sent);
    drop(state);
    launch(service, &run);
    Ok(run)
}

pub(super) fn start(service: &Service, call: &Call, state: &mut State, session: &Session, sent: Sent) -> Run {
    let new = NewRun {
        session_id: session.id.clone(),
        thread_id: session.thread_id.clone(),
        agent_id: session.agent_id.clone(),
        version_id: session.version_id.clone(),
        message: sent.message,
        files: sent.files,
    };
    let run = create_run(service, call, state, new);
    state.sessions.add_run(&session.id, &run.id);
    state.sessions.touch(&session.id, run.position, &run.created_at);
    run
}
