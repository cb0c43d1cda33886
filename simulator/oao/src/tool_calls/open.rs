//! A call while a loop waits for it.

use std::sync::Arc;

use serde_json::{Value, json};

use super::{Stage, ToolDesk, store::ToolCall};

/// What is called.
pub(super) struct Opening<'a> {
    pub(super) name: &'a str,
    pub(super) owner: &'a str,
    /// The number of the attempt, 1 being the first of the run.
    pub(super) attempt: u64,
    /// Whether somebody has to approve it.
    pub(super) gated: bool,
    pub(super) arguments: Value,
    /// What a result is judged by; null where nothing is said of results.
    pub(super) output_schema: Value,
}

impl ToolDesk {
    /// Puts a call on record and says so.
    pub(super) fn open<'a>(&'a self, opening: Opening<'a>) -> OpenCall<'a> {
        let service = &self.service;
        let id = service.ids().uuid();
        let now = service.clock().rfc3339();
        let Opening { name, owner, attempt, gated, arguments, output_schema } = opening;
        {
            let mut state = service.state();
            let position = state.next_position(service.clock());
            state.tool_calls.insert(ToolCall {
                id: id.clone(),
                organization_id: self.organization_id.clone(),
                project_id: self.project_id.clone(),
                run_id: self.run_id.clone(),
                name: name.to_owned(),
                owner: owner.to_owned(),
                stage: if owner == "platform" { Stage::PlatformReady } else { Stage::CallerPending },
                gated,
                arguments,
                output_schema,
                fence: 0,
                lease: None,
                handed_in: None,
                result: None,
                created_at: now.clone(),
                updated_at: now,
                position,
                bell: Arc::default(),
            });
        }
        self.events.emit(
            "tool_call.requested",
            json!({
                "toolCallId": id, "toolName": name, "owner": owner, "attempt": attempt,
                "maximumAttempts": service.parts().tool_calls.limits.attempts_max,
            }),
        );
        OpenCall { desk: self, name, owner, id }
    }
}

/// A call that the loop waits for. When it is dropped before it is closed, nobody waits for it any more.
pub(super) struct OpenCall<'a> {
    desk: &'a ToolDesk,
    name: &'a str,
    owner: &'a str,
    pub(super) id: String,
}

impl OpenCall<'_> {
    /// The platform begins to work on it; with which arguments. `None` where the call is gone.
    pub(super) fn execute(&self) -> Option<Value> {
        let service = &self.desk.service;
        let mut state = service.state();
        let call = state.tool_calls.get_mut(&self.id)?;
        call.enter(Stage::PlatformExecuting, service.clock().rfc3339());
        Some(call.arguments.clone())
    }

    /// The call has its result, which the loop is about to get.
    pub(super) fn commit(&self, is_failure: bool) {
        self.close(Stage::ResultCommitted, if is_failure { FAILED } else { RESOLVED });
        let payload = json!({"toolCallId": self.id, "owner": self.owner});
        self.desk.events.emit("tool_call.result_committed", payload);
    }

    /// The call is over, and the run goes on.
    pub(super) fn close(&self, stage: Stage, reason: &str) {
        if let Some(call) = self.desk.service.state().tool_calls.get_mut(&self.id) {
            call.enter(stage, self.desk.service.clock().rfc3339());
        }
        self.desk.waits.end(&self.id);
        self.desk.follow(reason, self.name);
    }
}

impl Drop for OpenCall<'_> {
    fn drop(&mut self) {
        if !super::settle::abandon(&self.desk.service, &self.id) {
            return;
        }
        self.desk.waits.end(&self.id);
        // A run that is called off settles instead of going on.
        if self.desk.cancel.reason().is_none() {
            self.desk.follow(FAILED, self.name);
        }
    }
}

pub(super) const RESOLVED: &str = "tool_gate_resolved";
pub(super) const FAILED: &str = "tool_gate_failed";
