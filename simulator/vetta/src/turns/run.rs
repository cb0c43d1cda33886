//! Running a turn: from the message to the events.

use std::sync::Arc;

use agent::{Cancel, Message, Reason, Workspace};
use serde_json::json;

use super::{Answer, Going, Settled, Stage, TurnError, TurnRequest};
use crate::{
    Service, approvals,
    environment::Environment,
    harness::Execution,
    service::Core,
    sessions::{Session, SessionStatus, Turn, TurnStatus},
    store::{self, Scope, Shelf},
    team,
    tools::{self, Contributing, Desk},
};

/// Begins a turn on the session `session_id` of `shelf` and leaves it running as a task. The answer is the
/// turn's id; `None` when there is no such session.
pub(crate) fn begin(
    core: &Arc<Core>,
    (scope, environment): (&Scope, &Environment),
    shelf: &mut Shelf,
    session_id: &str,
    content: String,
) -> Option<String> {
    let Shelf { agents, sessions, threads } = shelf;
    let session = store::find(sessions, threads, session_id)?;
    let stored = agents.get(&session.agent.id);
    let going = Going { session, stored, environment };
    let (config, row) = (core.parts.turns.goes_by)(&going);
    let turn_id = core.ids.prefixed("turn_");
    session.conversation.push(Message::User(content));
    session.status = SessionStatus::Running;
    session.last_turn = Some(Turn { id: turn_id.clone(), status: TurnStatus::Running, error: None });
    session.structured_output = None;
    session.log.push("turn.started", Some(&turn_id), json!({}));
    let desk = Desk {
        core: core.clone(),
        scope: scope.clone(),
        session_id: session.id.clone(),
        turn_id: turn_id.clone(),
        log: session.log.clone(),
        holds: session.holds.clone(),
        files: session.sandbox.as_ref().map_or_else(Workspace::default, |sandbox| sandbox.files.clone()),
    };
    let cancel = Cancel::default();
    session.cancel = Some(cancel.clone());
    if let Some(sandbox) = &mut session.sandbox {
        sandbox.in_use = true;
    }
    let mut seen = session.clone();
    (seen.agent.config, seen.row) = (config, row);
    let running = Running { desk, cancel, seen };
    session.task = Some(tokio::spawn(running.run()).abort_handle());
    Some(turn_id)
}

/// Calls the running turn of `session` off: what is held is denied, and the turn ends as cancelled once its
/// loop has let go. `false` when no turn is on.
pub(crate) fn interrupt(session: &mut Session) -> bool {
    let running = session.last_turn.as_ref().is_some_and(|turn| turn.status == TurnStatus::Running);
    if running {
        approvals::deny_all(session, "the turn was interrupted");
        if let Some(cancel) = &session.cancel {
            cancel.trigger(Reason::Requested);
        }
    }
    running
}

/// Ends the running turn of `session`, if there is one, here and now.
pub(crate) fn end(session: &mut Session) {
    approvals::deny_all(session, "the session was deleted");
    if let Some(task) = session.task.take() {
        task.abort();
    }
    if let Some(turn) = session.last_turn.as_mut().filter(|turn| turn.status == TurnStatus::Running) {
        turn.status = TurnStatus::Cancelled;
        session.log.push("turn.cancelled", Some(&turn.id), json!({}));
    }
}

struct Running {
    desk: Desk,
    cancel: Cancel,
    /// The session as it was when the turn began, with the agent and the loop that the turn goes by.
    seen: Session,
}

impl Running {
    async fn run(self) {
        if self.seen.row.harness.execution == Execution::Sandbox {
            self.desk.take_sandbox();
        }
        let rules = &self.desk.core.parts.turns;
        let stage = Stage::new(self.desk.clone(), self.seen.row.clone(), (rules.streams)(&self.seen));
        let outcome = match self.request().await {
            Ok(request) => self.desk.core.turns.answer(request, stage.clone()).await,
            Err(error) => Err(error),
        };
        self.finish(&stage, outcome);
    }

    async fn request(&self) -> Result<TurnRequest, TurnError> {
        let contributing = Contributing {
            service: Service::of(&self.desk.core),
            session: self.seen.clone(),
            scope: self.desk.scope.clone(),
            turn_id: self.desk.turn_id.clone(),
        };
        let tools = tokio::select! {
            biased;
            _ = self.cancel.cancelled() => return Err(TurnError::new("turn_cancelled", "the turn was called off")),
            tools = tools::mount(&self.desk, contributing) => tools?,
        };
        Ok(TurnRequest {
            session_id: self.seen.id.clone(),
            turn_id: self.desk.turn_id.clone(),
            harness: self.seen.row.harness.base.clone(),
            agent: self.seen.agent.config.clone(),
            conversation: self.seen.conversation.clone(),
            tools,
            cancel: self.cancel.clone(),
            submit: (self.desk.core.parts.turns.submit)(&self.seen),
            typed_answer_required: self.seen.start.structured_output_required,
            conforms: self.desk.core.parts.turns.conforms.clone(),
        })
    }

    fn finish(&self, stage: &Stage, outcome: Result<Answer, TurnError>) {
        let settled = (self.desk.core.parts.turns.settle)(&self.seen, outcome);
        if let Some(text) = &settled.text {
            stage.complete(text);
            let (text, calls) = (text.clone(), Vec::new());
            stage.keep(&[Message::Assistant { text, calls, verbatim: None }]);
        }
        let core = &self.desk.core;
        self.desk.session(|session| {
            // A turn that was ended from outside has told its story already.
            let ours = |turn: &Turn| turn.id == self.desk.turn_id && turn.status == TurnStatus::Running;
            if session.last_turn.as_ref().is_some_and(ours) {
                self.record(session, settled);
                let between = |sandbox| (core.parts.sandboxes.between)(&session.row, sandbox, &core.ids);
                session.sandbox = session.sandbox.take().and_then(between);
                session.status = (core.parts.turns.resting)(session);
                (session.task, session.cancel) = (None, None);
                self.desk.push("session.status", json!({ "status": session.status }));
            }
        });
        team::turn_over(core, &self.desk.scope, &self.desk.session_id);
    }

    fn record(&self, session: &mut Session, settled: Settled) {
        let turn = |status, error| Some(Turn { id: self.desk.turn_id.clone(), status, error });
        if self.cancel.reason().is_some() {
            session.last_turn = turn(TurnStatus::Cancelled, None);
            self.desk.push("turn.cancelled", json!({}));
            return;
        }
        if let Some(value) = &settled.structured {
            self.desk.push("structured_output.submitted", json!({ "value": value }));
        }
        session.structured_output = settled.structured;
        match settled.failure {
            Some(error) => {
                self.desk.push("turn.failed", json!({ "error": error.to_value() }));
                session.last_turn = turn(TurnStatus::Failed, Some(error));
            }
            None => {
                self.desk.push("turn.completed", json!({}));
                session.last_turn = turn(TurnStatus::Completed, None);
            }
        }
    }
}
