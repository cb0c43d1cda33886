//! The desk of a run: who may be given work, and how many may work at once.

use std::{
    collections::BTreeMap,
    sync::{Arc, Weak},
};

use agent::ToolOutcome;
use serde_json::json;
use tokio::sync::Semaphore;

use super::{Delegate, DelegateParts, child::Answered};
use crate::{
    runs::{RunContext, RunState},
    sessions::Session,
};

/// The delegates of a run. All loops of the run share one desk, and with it the limits.
pub(crate) struct Desk {
    pub(super) roster: Vec<Delegate>,
    run: Weak<RunContext>,
    places: BTreeMap<String, Arc<Semaphore>>,
}

impl Desk {
    pub(crate) fn of(parts: &DelegateParts, roster: Vec<Delegate>, run: &Weak<RunContext>) -> Self {
        let places = roster
            .iter()
            .map(|delegate| (delegate.key.clone(), Arc::new(Semaphore::new((parts.parallel)(delegate)))))
            .collect();
        Self { roster, run: run.clone(), places }
    }

    /// Opens a child of the delegate called `key` and waits for what it says to `task`.
    pub(super) async fn delegate(&self, key: &str, task: &str) -> ToolOutcome {
        let Some(run) = self.run.upgrade() else { return ToolOutcome::aborted() };
        let Some(delegate) = self.roster.iter().find(|delegate| delegate.key == key) else {
            let keys: Vec<&str> = self.roster.iter().map(|delegate| delegate.key.as_str()).collect();
            let why = format!("there is no delegate `{key}`; there are: {}", keys.join(", "));
            return ToolOutcome::failed("UnknownDelegate", why);
        };
        let _place = self.place(key).await;
        let Some(child) = run.open_child(delegate) else {
            return ToolOutcome::failed("DelegateFailed", format!("the version of `{key}` does not exist"));
        };
        self.ask(&run, delegate, &child, task).await
    }

    /// Sends a further message to a child of this session: the one with the id, or the latest of the key.
    pub(super) async fn message(&self, id: Option<&str>, key: Option<&str>, message: &str) -> ToolOutcome {
        let Some(run) = self.run.upgrade() else { return ToolOutcome::aborted() };
        let Some((child, key)) = find(&run, id, key) else {
            return ToolOutcome::failed("UnknownChild", "this session has no such child");
        };
        let Some(delegate) = self.roster.iter().find(|delegate| delegate.key == key) else {
            return ToolOutcome::failed("UnknownDelegate", format!("`{key}` is no delegate of this version"));
        };
        let _place = self.place(&key).await;
        self.ask(&run, delegate, &child, message).await
    }

    /// Waits for a free place; it is given back when the guard is dropped.
    async fn place(&self, key: &str) -> Option<tokio::sync::OwnedSemaphorePermit> {
        let places = self.places.get(key)?.clone();
        places.acquire_owned().await.ok()
    }

    async fn ask(&self, run: &RunContext, delegate: &Delegate, child: &str, message: &str) -> ToolOutcome {
        let answered = run.ask_child(child, message).await;
        if !(run.parts().delegates.retain)(delegate) {
            run.service.state().sessions.remove(child);
        }
        match answered {
            Ok(Answered { state: RunState::Completed, text }) => {
                let answer = json!({"sessionId": child, "key": delegate.key, "answer": text});
                ToolOutcome::Done(answer.to_string())
            }
            Ok(Answered { state, .. }) => {
                let why = format!("the run of the child session {child} ended as {}", state.name());
                ToolOutcome::failed("DelegateFailed", why)
            }
            Err(why) => ToolOutcome::failed("DelegateFailed", why),
        }
    }
}

/// The id of the child and the key of its delegate.
fn find(run: &RunContext, id: Option<&str>, key: Option<&str>) -> Option<(String, String)> {
    let state = run.service.state();
    let mine = |session: &&Session| {
        session.parent.as_ref().is_some_and(|of| {
            of.session_id == run.session_id
                && id.is_none_or(|id| session.id == id)
                && key.is_none_or(|key| of.key == key)
        })
    };
    let latest =
        state.sessions.all(&run.version.project_id).filter(mine).max_by_key(|session| session.created)?;
    Some((latest.id.clone(), latest.parent.as_ref()?.key.clone()))
}
