//! What the endpoint of a session serves: what is contributed to it, under its agent's policy.

use std::{
    collections::BTreeSet,
    sync::{Arc, Weak},
};

use agent::{CallContext, Cancel, Tool, Workspace};
use futures_util::{FutureExt, future::BoxFuture};
use serde_json::{Map, Value};

use super::{Called, Listed, ToolSource};
use crate::{
    Service,
    agents::Permission,
    service::Core,
    sessions::Session,
    store::Scope,
    tools::{Candidate, Contributing, Desk, Gate, Standing},
    turns::TurnError,
};

/// The contributed tools of one session. They are asked for anew each time.
#[derive(Clone)]
pub(crate) struct SessionTools {
    /// Weak, because the service keeps its endpoints.
    pub(crate) core: Weak<Core>,
    pub(crate) scope: Scope,
    /// The session when it was started, with the agent and the loop that it keeps.
    pub(crate) seen: Session,
}

/// The service and the session, as they are now.
struct Present {
    core: Arc<Core>,
    contributing: Contributing,
    cancel: Option<Cancel>,
    files: Workspace,
}

impl SessionTools {
    fn present(&self) -> Option<Present> {
        let core = self.core.upgrade()?;
        let (turn_id, cancel, files) = {
            let mut store = core.store();
            let session = store.shelf(&self.scope).session_mut(&self.seen.id);
            session.map_or((None, None, None), |session| {
                let turn_id = session.last_turn.as_ref().map(|turn| turn.id.clone());
                let files = session.sandbox.as_ref().map(|sandbox| sandbox.files.clone());
                (turn_id, session.cancel.clone(), files)
            })
        };
        let contributing = Contributing {
            service: Service::of(&core),
            session: self.seen.clone(),
            scope: self.scope.clone(),
            turn_id: turn_id.unwrap_or_default(),
        };
        Some(Present { core, contributing, cancel, files: files.unwrap_or_default() })
    }
}

impl Present {
    async fn candidates(&self) -> Result<Vec<Candidate>, TurnError> {
        let (rules, to) = (&self.core.parts.tools, &self.contributing);
        let mut candidates = (rules.built_ins)(&to.session.row, &self.files);
        for contributor in &rules.contributors {
            candidates.extend(contributor.candidates(to.clone()).await?);
        }
        let mut names = BTreeSet::new();
        candidates.retain(|candidate| names.insert(candidate.name.clone()));
        for candidate in &mut candidates {
            candidate.name = (self.core.parts.endpoint.name)(&to.session.agent.config, candidate);
        }
        Ok(candidates)
    }

    /// The permission with which `asks` lets a tool through; one that is denied is as good as not there.
    fn permission(&self, asks: &super::policy::Asks, candidate: &Candidate) -> Option<Permission> {
        let session = &self.contributing.session;
        let asked = Standing { config: &session.agent.config, row: &session.row, candidate };
        asks(&self.core.parts.tools, &asked).filter(|permission| *permission != Permission::Deny)
    }
}

impl ToolSource for SessionTools {
    fn list(&self) -> BoxFuture<'static, Result<Vec<Listed>, String>> {
        let present = self.present();
        async move {
            let Some(present) = present else { return Ok(Vec::new()) };
            let candidates = present.candidates().await.map_err(|error| error.message)?;
            let lists = &present.core.parts.endpoint.lists;
            let listed = candidates.into_iter().filter(|tool| present.permission(lists, tool).is_some());
            Ok(listed.map(Candidate::into_listed).collect())
        }
        .boxed()
    }

    fn call(
        &self,
        name: &str,
        arguments: Map<String, Value>,
    ) -> BoxFuture<'static, Result<Option<Called>, String>> {
        let (present, name) = (self.present(), name.to_owned());
        async move {
            let Some(present) = present else { return Ok(None) };
            let candidates = present.candidates().await.map_err(|error| error.message)?;
            let Some(candidate) = candidates.into_iter().find(|candidate| candidate.name == name) else {
                return Ok(None);
            };
            let calls = &present.core.parts.endpoint.calls;
            let Some(permission) = present.permission(calls, &candidate) else { return Ok(None) };
            Ok(Some(present.run(candidate, permission, arguments).await))
        }
        .boxed()
    }
}

impl Present {
    async fn run(
        &self,
        candidate: Candidate,
        permission: Permission,
        arguments: Map<String, Value>,
    ) -> Called {
        let to = &self.contributing;
        let desk = Desk {
            core: self.core.clone(),
            scope: to.scope.clone(),
            session_id: to.session.id.clone(),
            turn_id: to.turn_id.clone(),
            log: to.session.log.clone(),
            holds: to.session.holds.clone(),
            files: self.files.clone(),
        };
        let context = CallContext {
            tool_call_id: self.core.ids.prefixed("rpc_"),
            turn_id: to.turn_id.clone(),
            cancel: self.cancel.clone().unwrap_or_default(),
        };
        let remote = candidate.remote.clone();
        let gate = Gate { desk, candidate, permission, row: to.session.row.clone() };
        let outcome = gate.call(context, Value::Object(arguments)).await;
        match remote.and_then(|remote| remote.take()) {
            Some(whole) => whole,
            None if outcome.is_error() => Called::failed(outcome.content()),
            None => Called::text(outcome.content()),
        }
    }
}
