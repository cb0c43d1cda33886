//! Where the tools of one turn are called.

use std::sync::Arc;

use agent::Workspace;
use serde_json::{Value, json};
use tokio::sync::watch;

use super::Effect;
use crate::{
    agents::Permission,
    approvals::{Holds, Verdict},
    events::EventLog,
    sandbox::Sandbox,
    service::Core,
    sessions::{Session, SessionStatus},
    store::Scope,
};

/// One turn, as its tools see it.
#[derive(Clone)]
pub(crate) struct Desk {
    pub(crate) core: Arc<Core>,
    pub(crate) scope: Scope,
    pub(crate) session_id: String,
    pub(crate) turn_id: String,
    pub(crate) log: EventLog,
    pub(crate) holds: Holds,
    pub(crate) files: Workspace,
}

impl Desk {
    /// Adds an event of the turn.
    pub(crate) fn push(&self, kind: &'static str, members: Value) {
        // A tool may be called through the endpoint of a session that has had no turn yet.
        let turn_id = (!self.turn_id.is_empty()).then_some(self.turn_id.as_str());
        self.log.push(kind, turn_id, members);
    }

    /// Does something with the session, unless it is gone.
    pub(crate) fn session<T>(&self, act: impl FnOnce(&mut Session) -> T) -> Option<T> {
        self.core.store().shelf(&self.scope).session_mut(&self.session_id).map(act)
    }

    /// Tells that a call is wanted, and names it.
    pub(crate) fn requested(&self, name: &str, arguments: &Value, permission: Permission) -> String {
        let id = self.core.ids.prefixed("call_");
        self.push(
            "tool.requested",
            json!({"tool_call_id": id, "name": name, "arguments": arguments, "permission": permission}),
        );
        id
    }

    /// Holds a call. `None` when the session is gone.
    pub(crate) fn hold(
        &self,
        id: &str,
        name: &str,
        arguments: &Value,
    ) -> Option<watch::Receiver<Option<Verdict>>> {
        self.session(|session| {
            let decided = session.holds.open(id);
            self.push(
                "tool.confirmation_required",
                json!({"tool_call_id": id, "name": name, "arguments": arguments}),
            );
            if session.status != SessionStatus::RequiresAction {
                session.status = SessionStatus::RequiresAction;
                self.push("session.status", json!({ "status": session.status }));
            }
            decided
        })
    }

    /// The tool `name` does its work.
    pub(crate) fn effect(&self, id: &str, name: &str, arguments: &Value) {
        self.core.effects.add(Effect {
            session_id: self.session_id.clone(),
            name: name.to_owned(),
            tool_call_id: id.to_owned(),
            arguments: arguments.clone(),
            at: self.core.clock.rfc3339(),
        });
    }

    /// Takes a machine for the session, unless it has one.
    pub(crate) fn take_sandbox(&self) {
        self.session(|session| {
            if session.sandbox.is_none() {
                session.sandbox = Some(Sandbox::over(self.files.clone(), &self.core.ids));
            }
        });
    }
}
