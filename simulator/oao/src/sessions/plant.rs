//! Sessions that did not happen here: their events are given.

use serde_json::Value;

use super::{Sent, Session, create::start};
use crate::{Service, errors::Refusal, events::Draft, http::Call, keys::Principal, runs::RunState};

/// An event of a session that is planted.
#[derive(Clone, Debug, PartialEq)]
pub struct PlantedEvent {
    /// Its kind.
    pub kind: String,
    /// When it happened, as RFC 3339.
    pub occurred_at: String,
    /// What it says.
    pub payload: Value,
}

/// A session that was planted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Planted {
    /// Its id.
    pub session: String,
    /// The id of its only run, which is completed.
    pub run: String,
    /// The ids of its events, in the order in which they were given.
    pub events: Vec<String>,
}

impl Service {
    /// Plants a session on the latest version of an agent, with one run that is over and these events of it.
    /// Refused where there is no such agent, or where an event has no time; nothing is planted then.
    pub fn plant(&self, agent_id: &str, events: Vec<PlantedEvent>) -> Result<Planted, Refusal> {
        let timeless = |event: &PlantedEvent| event.occurred_at.parse::<jiff::Timestamp>().is_err();
        if let Some(at) = events.iter().position(timeless) {
            return Err(Refusal::bad_request(format!(
                "events[{at}].occurredAt: a time as RFC 3339 is needed"
            )));
        }
        let mut state = self.state();
        let version = state.versions.of_agent(agent_id).pop().ok_or_else(|| Refusal::not_found("agent"))?;
        let owner = Principal {
            id: version.created_by.clone(),
            organization_id: version.organization_id.clone(),
            projects: [version.project_id.clone()].into(),
            scopes: [].into(),
        };
        let params = [("p".to_owned(), version.project_id.clone())].into();
        let call = Call { params, principal: Some(owner), ..Call::default() };
        let created = state.next_position(self.clock());
        let session = Session {
            id: self.ids().uuid(),
            thread_id: self.ids().uuid(),
            organization_id: version.organization_id.clone(),
            project_id: version.project_id.clone(),
            agent_id: version.agent_id.clone(),
            version_id: version.id.clone(),
            title: None,
            created_at: self.clock().rfc3339(),
            last_activity_at: self.clock().rfc3339(),
            active: created,
            created,
            runs: Vec::new(),
            conversation: Vec::new(),
            live: crate::sandbox::Sandbox::open(self, &version.config),
            others: Vec::new(),
            parent: None,
        };
        state.sessions.insert(session.clone());
        let sent = Sent { message: "Planted.".to_owned(), files: Vec::new() };
        let run = start(self, &call, &mut state, &session, sent);
        if let Some(run) = state.runs.get_mut(&run.id) {
            run.state = RunState::Completed;
            run.settled_at = Some(self.clock().rfc3339());
        }
        drop(state);
        let keep = |event: PlantedEvent| {
            let id = self.ids().uuid();
            let draft = Draft {
                id: Some(id.clone()),
                organization_id: session.organization_id.clone(),
                project_id: session.project_id.clone(),
                aggregate_type: "run".to_owned(),
                aggregate_id: run.id.clone(),
                kind: event.kind,
                payload: event.payload,
                occurred_at: event.occurred_at,
            };
            self.events().emit(self.ids(), draft);
            id
        };
        let events = events.into_iter().map(keep).collect();
        Ok(Planted { session: session.id, run: run.id, events })
    }
}
