//! Child sessions.

use agent::{Cancel, Reason};

use super::Delegate;
use crate::{
    runs::{Actor, NewRun, Run, RunContext, RunState, create_as, drive},
    sandbox::Sandbox,
    sessions::Session,
};

/// What a session is the child of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChildOf {
    /// The session that called.
    pub session_id: String,
    /// The run that opened the child.
    pub run_id: String,
    /// The key of the delegate.
    pub key: String,
    /// Whether the child works on the files of the root session.
    pub shared: bool,
}

/// What a child answered.
pub(super) struct Answered {
    pub(super) state: RunState,
    pub(super) text: Option<String>,
}

/// Calls a run off when whoever waits for it goes away. A run that has ended does not mind.
struct CallOff(Cancel);

impl Drop for CallOff {
    fn drop(&mut self) {
        self.0.trigger(Reason::Requested);
    }
}

impl RunContext {
    /// Opens a session below that of this run, on the delegate's version. Gives its id; `None` when the version
    /// does not exist.
    pub fn open_child(&self, delegate: &Delegate) -> Option<String> {
        self.open_child_as(self.service.ids().uuid(), delegate)
    }

    /// As [`RunContext::open_child`], under an id that exists already.
    pub fn open_child_as(&self, id: String, delegate: &Delegate) -> Option<String> {
        let (parts, service) = (self.parts(), &self.service);
        let opening = (parts.delegates.opening)(self);
        let mut state = service.state();
        let version = state.versions.get(&delegate.version_id)?;
        let project = &version.project_id;
        let root = state.sessions.root(project, &self.session_id)?.clone();
        let sandbox = |version_id: &str| {
            let version = state.versions.get(version_id);
            version.and_then(|version| version.config.get("sandbox").cloned()).unwrap_or_default()
        };
        let shared = (parts.delegates.shares)(&sandbox(&root.version_id), &sandbox(&version.id));
        let now = service.clock().rfc3339();
        let created = state.next_position(service.clock());
        let child = Session {
            id: id.clone(),
            thread_id: service.ids().uuid(),
            organization_id: version.organization_id.clone(),
            project_id: project.clone(),
            agent_id: version.agent_id.clone(),
            version_id: version.id.clone(),
            title: Some(delegate.key.clone()),
            created_at: now.clone(),
            last_activity_at: now,
            active: created,
            created,
            runs: Vec::new(),
            conversation: opening,
            live: if shared { root.sandbox().clone() } else { Sandbox::open(service, &version.config) },
            others: Vec::new(),
            parent: Some(ChildOf {
                session_id: self.session_id.clone(),
                run_id: self.run_id.clone(),
                key: delegate.key.clone(),
                shared,
            }),
        };
        state.sessions.insert(child);
        Some(id)
    }

    /// Sends `message` to a child and waits for its answer.
    pub(super) async fn ask_child(&self, child: &str, message: &str) -> Result<Answered, String> {
        let run = self.message_child(child, message)?;
        let guard = CallOff(run.cancel.clone());
        // A run that broke off is seen by its state.
        let _ = drive(&self.service, &run).await;
        drop(guard);
        let state = self.service.state();
        let run = state.runs.get(&run.project_id, &run.id).ok_or("the child's run is gone")?;
        let last = run.messages.iter().rev().map(|(_, message)| message);
        let text = last.into_iter().find(|message| message["role"] == "assistant");
        let text = text.and_then(|message| message["redactedContent"].as_str()).map(str::to_owned);
        Ok(Answered { state: run.state, text })
    }

    fn message_child(&self, child: &str, message: &str) -> Result<Run, String> {
        let mut state = self.service.state();
        let own = state.runs.get_mut(&self.run_id).map(|run| run.clone()).ok_or("the run is gone")?;
        let session = state.sessions.get(&own.project_id, child).cloned().ok_or("the child is gone")?;
        if session.latest_run(&state).is_some_and(|run| !run.state.is_terminal()) {
            return Err("the child is still at work".to_owned());
        }
        let actor = Actor {
            organization_id: &own.organization_id,
            project_id: &own.project_id,
            principal_id: &own.created_by,
        };
        let new = NewRun {
            agent_id: session.agent_id.clone(),
            session_id: session.id.clone(),
            thread_id: session.thread_id.clone(),
            version_id: session.version_id.clone(),
            message: message.to_owned(),
            files: Vec::new(),
        };
        let run = create_as(&self.service, actor, &mut state, new);
        state.sessions.add_run(&session.id, &run.id);
        state.sessions.touch(&session.id, run.position, &run.created_at);
        Ok(run)
    }
}
