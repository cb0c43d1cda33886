//! Runs and their messages, as they are kept.

use std::{collections::BTreeMap, time::Duration};

use agent::{Budget, Cancel};
use serde_json::{Value, json};

use super::{Attached, RunState, Waits};
use crate::{
    Service,
    durability::Ends,
    http::{Call, paging::Position},
    service::State,
};

/// One run.
#[derive(Clone, Debug)]
pub(crate) struct Run {
    pub(crate) id: String,
    pub(crate) organization_id: String,
    pub(crate) project_id: String,
    pub(crate) session_id: String,
    pub(crate) thread_id: String,
    pub(crate) agent_id: String,
    pub(crate) version_id: String,
    pub(crate) created_by: String,
    pub(crate) state: RunState,
    pub(crate) cancellation_requested_at: Option<String>,
    pub(crate) admitted_at: Option<String>,
    pub(crate) settled_at: Option<String>,
    pub(crate) created_at: String,
    pub(crate) updated_at: String,
    pub(crate) position: Position,
    /// Whether its admission has begun, so that it can no longer be cancelled without a trace.
    pub(crate) reserved: bool,
    pub(crate) submission_id: String,
    pub(crate) message: String,
    pub(crate) files: Vec<Attached>,
    pub(crate) cancel: Cancel,
    /// What it began with; `None` before its first model turn is prepared.
    pub(crate) begun: Option<Begun>,
    /// How its calls ended.
    pub(crate) ends: Ends,
    /// What its calls wait for.
    pub(crate) waits: Waits,
    /// Messages on the wire, oldest first.
    pub(crate) messages: Vec<(Position, Value)>,
    /// Entries of the timeline, oldest first.
    pub(crate) timeline: Vec<Value>,
    /// Model turns, for the details of the session.
    pub(crate) model_invocations: Vec<Value>,
    /// Commands of the sandbox, for the details of the session.
    pub(crate) sandbox_commands: Vec<Value>,
}

impl Run {
    /// The run on the wire.
    pub(crate) fn to_json(&self) -> Value {
        json!({
            "id": self.id,
            "organizationId": self.organization_id,
            "projectId": self.project_id,
            "threadId": self.thread_id,
            "sessionId": self.session_id,
            "agentVersionId": self.version_id,
            "createdByPrincipalId": self.created_by,
            "state": self.state.name(),
            "cancellationRequestedAt": self.cancellation_requested_at,
            "admittedAt": self.admitted_at,
            "settledAt": self.settled_at,
            "createdAt": self.created_at,
            "updatedAt": self.updated_at,
        })
    }
}

/// What counts from the beginning of a run, whatever happens to its worker.
#[derive(Clone, Debug)]
pub(crate) struct Begun {
    /// When it began, on the service's clock.
    pub(crate) at: Duration,
    /// Its model turns.
    pub(crate) budget: Budget,
}

/// All runs.
#[derive(Debug, Default)]
pub(crate) struct Runs(BTreeMap<String, Run>);

impl Runs {
    pub(crate) fn get(&self, project: &str, id: &str) -> Option<&Run> {
        self.0.get(id).filter(|run| run.project_id == project)
    }

    pub(crate) fn by_id(&self, id: &str) -> Option<&Run> {
        self.0.get(id)
    }

    pub(crate) fn get_mut(&mut self, id: &str) -> Option<&mut Run> {
        self.0.get_mut(id)
    }

    pub(crate) fn all(&self, project: &str) -> impl Iterator<Item = &Run> {
        self.0.values().filter(move |run| run.project_id == project)
    }
}

/// What a new run needs to know.
pub(crate) struct NewRun {
    pub(crate) session_id: String,
    pub(crate) thread_id: String,
    pub(crate) agent_id: String,
    pub(crate) version_id: String,
    pub(crate) message: String,
    pub(crate) files: Vec<Attached>,
}

/// On whose behalf a run is created.
#[derive(Clone, Copy)]
pub(crate) struct Actor<'a> {
    pub(crate) organization_id: &'a str,
    pub(crate) project_id: &'a str,
    pub(crate) principal_id: &'a str,
}

/// Puts a run into the queue for whoever calls.
pub(crate) fn create(service: &Service, call: &Call, state: &mut State, new: NewRun) -> Run {
    let actor = Actor {
        organization_id: call.organization_id(),
        project_id: call.project(),
        principal_id: call.principal_id(),
    };
    create_as(service, actor, state, new)
}

/// Puts a run into the queue, with the message of the user and the events that say so.
pub(crate) fn create_as(service: &Service, actor: Actor<'_>, state: &mut State, new: NewRun) -> Run {
    let now = service.clock().rfc3339();
    let mut run = Run {
        id: service.ids().uuid(),
        organization_id: actor.organization_id.to_owned(),
        project_id: actor.project_id.to_owned(),
        session_id: new.session_id,
        thread_id: new.thread_id,
        agent_id: new.agent_id,
        version_id: new.version_id,
        created_by: actor.principal_id.to_owned(),
        state: RunState::Queued,
        cancellation_requested_at: None,
        admitted_at: None,
        settled_at: None,
        created_at: now.clone(),
        updated_at: now,
        position: state.next_position(service.clock()),
        reserved: false,
        submission_id: service.ids().prefixed("sub_"),
        message: new.message,
        files: new.files,
        cancel: Cancel::default(),
        begun: None,
        ends: Ends::default(),
        waits: Waits::default(),
        messages: Vec::new(),
        timeline: Vec::new(),
        model_invocations: Vec::new(),
        sandbox_commands: Vec::new(),
    };
    let events = super::RunEvents::of(service, &run);
    events.emit("run.created", json!({"state": run.state.name(), "sessionId": run.session_id}));
    let files = run.files.iter().map(Attached::to_json).collect();
    let message = run.message.clone();
    let id = add_message(service, state, &mut run, "user", &message, files);
    events.emit_on_thread(
        "message.created",
        json!({
            "messageId": id, "runId": run.id, "role": "user", "fileCount": run.files.len(),
        }),
    );
    state.runs.0.insert(run.id.clone(), run.clone());
    run
}

/// Adds a message to a run and gives its id.
pub(super) fn add_message(
    service: &Service,
    state: &mut State,
    run: &mut Run,
    role: &str,
    content: &str,
    files: Vec<Value>,
) -> String {
    let id = service.ids().uuid();
    let message = json!({
        "id": id,
        "organizationId": run.organization_id,
        "projectId": run.project_id,
        "threadId": run.thread_id,
        "runId": run.id,
        "role": role,
        "redactedContent": content,
        "files": files,
        "createdAt": service.clock().rfc3339(),
    });
    run.messages.push((state.next_position(service.clock()), message));
    id
}

/// The run in the answer that creates it, which also repeats what was sent.
pub(crate) fn run_input(run: &Run, call: &Call) -> Value {
    let mut body = run.to_json();
    body["inputPublic"] = json!({"message": run.message});
    body["idempotencyKey"] = json!(call.header("idempotency-key"));
    body
}
