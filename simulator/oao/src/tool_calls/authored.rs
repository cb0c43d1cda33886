//! A tool of a version, as the model of a run calls it.

use agent::{CallContext, Cancel, Tool, ToolOutcome};
use futures_util::{FutureExt, future::BoxFuture};
use serde_json::{Map, Value, json};
use std::sync::Arc;

use super::{
    Envelope, Stage,
    open::{FAILED, OpenCall, Opening, RESOLVED},
};
use crate::{
    Service,
    approvals::{self, Decision},
    publication::config::items,
    runs::{Run, RunEvents, WaitKind, Waits, change},
};

/// Where the tools of one run are called.
#[derive(Clone)]
pub struct ToolDesk {
    pub(crate) service: Service,
    pub(crate) organization_id: String,
    pub(crate) project_id: String,
    pub(crate) run_id: String,
    pub(crate) cancel: Cancel,
    pub(crate) waits: Waits,
    pub(crate) events: RunEvents,
}

impl ToolDesk {
    pub(crate) fn of(service: &Service, run: &Run, events: &RunEvents) -> Self {
        Self {
            service: service.clone(),
            organization_id: run.organization_id.clone(),
            project_id: run.project_id.clone(),
            run_id: run.id.clone(),
            cancel: run.cancel.clone(),
            waits: run.waits.clone(),
            events: events.clone(),
        }
    }

    /// Brings the state of the run in line with what it waits for.
    pub(crate) fn follow(&self, reason: &str, tool: &str) {
        let state = (self.service.parts().runs.waiting)(&self.waits.open());
        let payload = json!({"state": state.name(), "reason": reason, "toolName": tool});
        change(&self.service, &self.events, &self.run_id, state, payload);
    }
}

/// The tools that a configuration lists.
pub(crate) fn authored(desk: &ToolDesk, config: &Map<String, Value>) -> Vec<Arc<dyn Tool>> {
    let tool = |published: &Value| {
        let text = |name: &str| published[name].as_str().unwrap_or_default().to_owned();
        Arc::new(Authored {
            desk: desk.clone(),
            name: text("name"),
            description: text("description"),
            owner: text("owner"),
            approval: text("approval"),
            input: published["inputSchema"].clone(),
            output: published["outputSchema"].clone(),
        }) as Arc<dyn Tool>
    };
    items(config, "tools").iter().map(tool).collect()
}

/// One tool of a version.
#[derive(Clone)]
struct Authored {
    desk: ToolDesk,
    name: String,
    description: String,
    owner: String,
    approval: String,
    input: Value,
    output: Value,
}

impl Tool for Authored {
    fn name(&self) -> &str {
        &self.name
    }

    fn description(&self) -> &str {
        &self.description
    }

    fn parameters(&self) -> Value {
        self.input.clone()
    }

    fn call(&self, _: CallContext, arguments: Value) -> BoxFuture<'static, ToolOutcome> {
        let own = self.clone();
        async move {
            let envelope = own.within_attempts(&arguments).await;
            let content = (own.desk.service.parts().tool_calls.hand_back)(&envelope);
            match envelope {
                Envelope::Success(_) => ToolOutcome::Done(content),
                Envelope::Failure { code, .. } => ToolOutcome::failed(&code, content),
            }
        }
        .boxed()
    }
}

impl Authored {
    /// A tool that failed so many times in a run is not called again there.
    async fn within_attempts(&self, arguments: &Value) -> Envelope {
        let limits = &self.desk.service.parts().tool_calls.limits;
        let failed = self.desk.service.state().tool_calls.failures(&self.desk.run_id, &self.name);
        if failed >= limits.attempts_max {
            let message = format!("`{}` failed {failed} times in this run", self.name);
            return Envelope::failure("tool_retry_exhausted", message);
        }
        let envelope = self.attempt(failed + 1, arguments).await;
        if let Envelope::Failure { code, .. } = &envelope
            && limits.retryable_codes.contains(code)
        {
            self.desk.service.state().tool_calls.count_failure(&self.desk.run_id, &self.name);
        }
        envelope
    }

    async fn attempt(&self, attempt: u64, arguments: &Value) -> Envelope {
        let parts = &self.desk.service.parts().tool_calls;
        let arguments = match (parts.input)(&self.input, arguments) {
            Ok(arguments) => arguments,
            Err(path) => {
                let message = format!("the arguments do not satisfy the input schema at {path}");
                return Envelope::failure("invalid_tool_arguments", message);
            }
        };
        let open = self.desk.open(Opening {
            name: &self.name,
            owner: &self.owner,
            attempt,
            gated: (self.desk.service.parts().approvals.asked)(&self.approval),
            arguments,
            output_schema: self.output.clone(),
        });
        if (self.desk.service.parts().approvals.asked)(&self.approval)
            && let Err(refused) = self.ask(&open).await
        {
            return refused;
        }
        let envelope = match self.owner.as_str() {
            "platform" => self.execute(&open),
            _ => self.wait_for_caller(&open).await,
        };
        open.commit(envelope.is_failure());
        envelope
    }

    /// Waits until the call is approved; what the model is told where it is not.
    async fn ask(&self, open: &OpenCall<'_>) -> Result<(), Envelope> {
        self.desk.waits.begin(&open.id, WaitKind::Approval);
        let approval = approvals::request(&self.desk, &open.id, &self.name);
        self.desk.follow("approval_required", &self.name);
        let decision = approvals::decided(&self.desk.service, &approval).await;
        let payload = json!({"status": decision.name(), "toolName": self.name});
        self.desk.events.emit("approval.resolved", payload);
        if (self.desk.service.parts().approvals.allows)(decision) {
            if let Some(call) = self.desk.service.state().tool_calls.get_mut(&open.id) {
                call.gated = false;
            }
            if self.owner == "platform" {
                self.desk.waits.end(&open.id);
                self.desk.follow(RESOLVED, &self.name);
            }
            return Ok(());
        }
        let (stage, code, message) = match decision {
            Decision::Expired => {
                (Stage::ApprovalExpired, "approval_expired", "nobody approved the call in time")
            }
            _ => (Stage::ApprovalDenied, "approval_denied", "the call was not approved"),
        };
        open.close(stage, FAILED);
        Err(Envelope::failure(code, message))
    }

    fn execute(&self, open: &OpenCall<'_>) -> Envelope {
        let parts = &self.desk.service.parts().tool_calls;
        let Some(arguments) = open.execute() else { return gone() };
        match parts.platform.answer(&self.name, &arguments) {
            Envelope::Success(value) => match (parts.output)(&self.output, &value) {
                Ok(value) => Envelope::Success(value),
                Err(path) => super::submit::invalid(&path),
            },
            failure => failure,
        }
    }

    async fn wait_for_caller(&self, open: &OpenCall<'_>) -> Envelope {
        let bell = {
            let state = self.desk.service.state();
            state.tool_calls.get(&open.id).map(|call| call.bell.clone())
        };
        let Some(bell) = bell else { return gone() };
        let mut bell = bell.subscribe();
        self.desk.waits.begin(&open.id, WaitKind::Tool);
        self.desk.follow("tool_pending", &self.name);
        loop {
            bell.mark_unchanged();
            let result = {
                let state = self.desk.service.state();
                state.tool_calls.get(&open.id).and_then(|call| call.result.clone())
            };
            if let Some(envelope) = result {
                return envelope;
            }
            if bell.changed().await.is_err() {
                return gone();
            }
        }
    }
}

fn gone() -> Envelope {
    Envelope::failure("run_cancelled", "the call is gone")
}
