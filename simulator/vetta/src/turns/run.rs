//! Running a turn: from the message to the events.

use std::sync::Arc;

use serde_json::json;

use super::{Answer, Deltas, Settled, TurnError, TurnRequest};
use crate::{
    service::Core,
    sessions::{Line, Session, SessionStatus, Turn, TurnStatus},
    store::Scope,
};

/// Begins a turn on `session` and leaves it running as a task. The answer is the turn's id.
pub(crate) fn begin(core: &Arc<Core>, scope: &Scope, session: &mut Session, content: String) -> String {
    let turn_id = core.ids.prefixed("turn_");
    session.transcript.push(Line { role: "user", text: content });
    session.status = SessionStatus::Running;
    session.last_turn = Some(Turn { id: turn_id.clone(), status: TurnStatus::Running, error: None });
    session.structured_output = None;
    session.log.push("turn.started", Some(&turn_id), json!({}));
    let running = Running {
        core: core.clone(),
        scope: scope.clone(),
        session_id: session.id.clone(),
        turn_id: turn_id.clone(),
        message_id: core.ids.prefixed("msg_"),
    };
    let streaming = (core.parts.turns.streams)(session);
    let request = TurnRequest {
        session_id: session.id.clone(),
        turn_id: turn_id.clone(),
        harness: session.row.harness.base.clone(),
        agent: session.agent.config.clone(),
        transcript: session.transcript.clone(),
        streaming,
        submit: (core.parts.turns.submit)(session),
    };
    let deltas = running.deltas(session, streaming);
    session.task = Some(tokio::spawn(running.run(request, deltas)).abort_handle());
    turn_id
}

/// Ends the running turn of `session`, if there is one, from outside.
pub(crate) fn cancel(session: &mut Session) {
    if let Some(task) = session.task.take() {
        task.abort();
    }
    if let Some(turn) = session.last_turn.as_mut().filter(|turn| turn.status == TurnStatus::Running) {
        turn.status = TurnStatus::Cancelled;
        session.log.push("turn.cancelled", Some(&turn.id), json!({}));
    }
}

struct Running {
    core: Arc<Core>,
    scope: Scope,
    session_id: String,
    turn_id: String,
    message_id: String,
}

impl Running {
    fn deltas(&self, session: &Session, streaming: bool) -> Deltas {
        let (log, turn_id, message_id) = (session.log.clone(), self.turn_id.clone(), self.message_id.clone());
        Deltas::new(move |piece| {
            if streaming && !piece.is_empty() {
                let members = json!({"message_id": message_id, "delta": {"text": piece}});
                log.push("message.delta", Some(&turn_id), members);
            }
        })
    }

    async fn run(self, request: TurnRequest, deltas: Deltas) {
        let outcome = self.core.turns.answer(request, deltas).await;
        self.finish(outcome);
    }

    fn finish(&self, outcome: Result<Answer, TurnError>) {
        let mut store = self.core.store();
        let Some(session) = store.shelf(&self.scope).sessions.get_mut(&self.session_id) else { return };
        // A turn that was ended from outside has told its story already.
        let ours = |turn: &Turn| turn.id == self.turn_id && turn.status == TurnStatus::Running;
        if !session.last_turn.as_ref().is_some_and(ours) {
            return;
        }
        let settled = (self.core.parts.turns.settle)(session, outcome);
        self.record(session, settled);
    }

    fn record(&self, session: &mut Session, settled: Settled) {
        let push = |kind, members| session.log.push(kind, Some(&self.turn_id), members);
        if let Some(value) = &settled.structured {
            push("structured_output.submitted", json!({ "value": value }));
        }
        if let Some(text) = settled.text {
            let message = json!({"role": "assistant", "text": text});
            push("message.completed", json!({"message_id": self.message_id, "message": message}));
            session.transcript.push(Line { role: "assistant", text });
        }
        match &settled.failure {
            Some(error) => push("turn.failed", json!({ "error": error.to_value() })),
            None => push("turn.completed", json!({})),
        }
        let status = if settled.failure.is_some() { TurnStatus::Failed } else { TurnStatus::Completed };
        session.last_turn = Some(Turn { id: self.turn_id.clone(), status, error: settled.failure });
        session.structured_output = settled.structured;
        session.status = SessionStatus::Idle;
        session.task = None;
        session.log.push("session.status", Some(&self.turn_id), json!({ "status": session.status }));
    }
}
