//! Events of one run.

use serde_json::Value;

use super::Run;
use crate::{Service, events::Draft};

/// Emits events of one run, its session and its thread.
#[derive(Clone, Debug)]
pub struct RunEvents {
    service: Service,
    organization_id: String,
    project_id: String,
    run_id: String,
    session_id: String,
    thread_id: String,
}

impl RunEvents {
    pub(crate) fn of(service: &Service, run: &Run) -> Self {
        Self {
            service: service.clone(),
            organization_id: run.organization_id.clone(),
            project_id: run.project_id.clone(),
            run_id: run.id.clone(),
            session_id: run.session_id.clone(),
            thread_id: run.thread_id.clone(),
        }
    }

    /// The project of the run.
    pub fn project_id(&self) -> &str {
        &self.project_id
    }

    pub(crate) fn service(&self) -> &Service {
        &self.service
    }

    pub(crate) fn run_id(&self) -> &str {
        &self.run_id
    }

    /// An event of the run.
    pub fn emit(&self, kind: &str, payload: Value) {
        self.keep(None, "run", &self.run_id, kind, payload);
    }

    /// An event of the run that is kept once, however often it is emitted. `key` names it within the run.
    pub fn emit_stable(&self, kind: &str, key: &str, payload: Value) {
        let id = (self.service.parts().events.stable_id)(&self.run_id, key);
        self.keep(Some(id), "run", &self.run_id, kind, payload);
    }

    /// An event of the thread.
    pub fn emit_on_thread(&self, kind: &str, payload: Value) {
        self.keep(None, "thread", &self.thread_id, kind, payload);
    }

    /// An event of the session.
    pub fn emit_on_session(&self, kind: &str, payload: Value) {
        self.keep(None, "session", &self.session_id, kind, payload);
    }

    fn keep(&self, id: Option<String>, aggregate_type: &str, aggregate_id: &str, kind: &str, payload: Value) {
        let draft = Draft {
            id,
            organization_id: self.organization_id.clone(),
            project_id: self.project_id.clone(),
            aggregate_type: aggregate_type.to_owned(),
            aggregate_id: aggregate_id.to_owned(),
            kind: kind.to_owned(),
            payload,
            occurred_at: self.service.clock().rfc3339(),
        };
        self.service.events().emit(self.service.ids(), draft);
    }
}
