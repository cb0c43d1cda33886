//! Sessions, as they are kept.

use std::collections::BTreeMap;

use agent::Message;
use serde_json::{Value, json};

use crate::{delegates::ChildOf, http::paging::Position, runs::Run, sandbox::Sandbox, service::State};

/// One session, and the thread that goes with it.
#[derive(Clone, Debug)]
pub(crate) struct Session {
    pub(crate) id: String,
    pub(crate) thread_id: String,
    pub(crate) organization_id: String,
    pub(crate) project_id: String,
    pub(crate) agent_id: String,
    pub(crate) version_id: String,
    pub(crate) title: Option<String>,
    pub(crate) created_at: String,
    pub(crate) last_activity_at: String,
    /// When it was last active, for lists.
    pub(crate) active: Position,
    /// When it was made, for lists of threads.
    pub(crate) created: Position,
    /// Its runs, oldest first.
    pub(crate) runs: Vec<String>,
    /// What its model has been told and has said so far.
    pub(crate) conversation: Vec<Message>,
    /// What it is the child of.
    pub(crate) parent: Option<ChildOf>,
    /// The sandbox that its loops work in.
    pub(crate) live: Sandbox,
    /// Further sandboxes that were opened for it, oldest first.
    pub(crate) others: Vec<Sandbox>,
}

impl Session {
    /// The sandbox that its loops work in.
    pub(crate) fn sandbox(&self) -> &Sandbox {
        &self.live
    }

    /// Every sandbox that was opened for it, oldest first.
    pub(crate) fn sandboxes(&self) -> impl Iterator<Item = &Sandbox> {
        std::iter::once(&self.live).chain(&self.others)
    }

    /// Its latest run.
    pub(crate) fn latest_run<'a>(&self, state: &'a State) -> Option<&'a Run> {
        state.runs.get(&self.project_id, self.runs.last()?)
    }

    /// The session on the wire.
    pub(crate) fn to_json(&self, latest: Option<&Run>) -> Value {
        let mut body = json!({
            "id": self.id,
            "organizationId": self.organization_id,
            "projectId": self.project_id,
            "threadId": self.thread_id,
            "agentId": self.agent_id,
            "agentVersionId": self.version_id,
            "title": self.title,
            "status": latest.map(|run| run.state.name()),
            "latestRunId": latest.map(|run| run.id.as_str()),
            "createdAt": self.created_at,
            "lastActivityAt": self.last_activity_at,
        });
        if let Some(parent) = &self.parent {
            body["parentSessionId"] = json!(parent.session_id);
        }
        body
    }

    /// Its thread on the wire.
    pub(crate) fn thread_json(&self) -> Value {
        json!({
            "id": self.thread_id,
            "organizationId": self.organization_id,
            "projectId": self.project_id,
            "title": self.title,
            "createdAt": self.created_at,
        })
    }
}

/// All sessions.
#[derive(Debug, Default)]
pub(crate) struct Sessions(BTreeMap<String, Session>);

impl Sessions {
    pub(crate) fn insert(&mut self, session: Session) {
        self.0.insert(session.id.clone(), session);
    }

    pub(crate) fn get(&self, project: &str, id: &str) -> Option<&Session> {
        self.0.get(id).filter(|session| session.project_id == project)
    }

    pub(crate) fn by_id(&self, id: &str) -> Option<&Session> {
        self.0.get(id)
    }

    pub(crate) fn all(&self, project: &str) -> impl Iterator<Item = &Session> {
        self.0.values().filter(move |session| session.project_id == project)
    }

    /// The session at the top of the line of parents.
    pub(crate) fn root(&self, project: &str, id: &str) -> Option<&Session> {
        let session = self.get(project, id)?;
        match &session.parent {
            Some(parent) => self.root(project, &parent.session_id),
            None => Some(session),
        }
    }

    /// Takes a session away.
    pub(crate) fn remove(&mut self, id: &str) {
        self.0.remove(id);
    }

    /// Adds a run.
    pub(crate) fn add_run(&mut self, id: &str, run_id: &str) {
        if let Some(session) = self.0.get_mut(id) {
            session.runs.push(run_id.to_owned());
        }
    }

    /// Adds a sandbox.
    pub(crate) fn add_sandbox(&mut self, id: &str, sandbox: Sandbox) {
        if let Some(session) = self.0.get_mut(id) {
            session.others.push(sandbox);
        }
    }

    /// Notes that something happened.
    pub(crate) fn touch(&mut self, id: &str, at: Position, now: &str) {
        if let Some(session) = self.0.get_mut(id) {
            session.active = at;
            session.last_activity_at = now.to_owned();
        }
    }

    /// Adds to the conversation of its model.
    pub(crate) fn append(&mut self, id: &str, messages: &[Message]) {
        if let Some(session) = self.0.get_mut(id) {
            session.conversation.extend_from_slice(messages);
        }
    }
}
