//! A tool behind the agent's policy.

use std::sync::Arc;

use agent::{CallContext, Tool, ToolOutcome};
use futures_util::{FutureExt, future::BoxFuture};
use serde_json::{Value, json};

use super::{Candidate, Desk, Origin};
use crate::{
    agents::Permission,
    approvals::{DENIED, Decision, Held, denied},
    environment::Row,
};

/// A tool of one turn, with the permission that it has there.
#[derive(Clone)]
pub(crate) struct Gate {
    pub(crate) desk: Desk,
    pub(crate) candidate: Candidate,
    pub(crate) permission: Permission,
    pub(crate) row: Row,
}

impl Tool for Gate {
    fn name(&self) -> &str {
        &self.candidate.name
    }

    fn description(&self) -> &str {
        &self.candidate.description
    }

    fn parameters(&self) -> Value {
        self.candidate.schema.clone()
    }

    fn is_offered(&self) -> bool {
        self.permission != Permission::Deny
    }

    fn call(&self, context: CallContext, arguments: Value) -> BoxFuture<'static, ToolOutcome> {
        let gate = self.clone();
        async move { gate.pass(context, arguments).await }.boxed()
    }
}

impl Gate {
    async fn pass(&self, context: CallContext, arguments: Value) -> ToolOutcome {
        let (desk, name) = (&self.desk, &self.candidate.name);
        let id = desk.requested(name, &arguments, self.permission);
        let mut open = OpenCall { desk: desk.clone(), id: id.clone(), over: false };
        let work = self.work(&id, context, &arguments);
        let outcome = match self.permission {
            Permission::Allow => work().await,
            Permission::Ask => match desk.hold(&id, name, &arguments) {
                Some(decided) => {
                    let held = Held { clock: desk.core.clock.clone(), row: self.row.clone(), decided, work };
                    (desk.core.parts.approvals.hold)(held).await
                }
                None => ToolOutcome::aborted(),
            },
            Permission::Deny => {
                let outcome = denied(Some(format!("the agent's policy denies `{name}`")));
                desk.push("tool.denied", json!({"tool_call_id": id, "message": outcome.content()}));
                outcome
            }
        };
        open.close(&outcome);
        outcome
    }

    /// The work of the call, which writes down each time that it is done.
    fn work(
        &self,
        id: &str,
        context: CallContext,
        arguments: &Value,
    ) -> Arc<dyn Fn() -> BoxFuture<'static, ToolOutcome> + Send + Sync> {
        let (gate, id, arguments) = (self.clone(), id.to_owned(), arguments.clone());
        Arc::new(move || {
            if gate.candidate.origin == Origin::Native {
                gate.desk.take_sandbox();
            }
            gate.desk.effect(&id, &gate.candidate.name, &arguments);
            (gate.candidate.run)(context.clone(), arguments.clone())
        })
    }
}

/// A call that has begun. One that is dropped before its end has failed, unless it was denied.
struct OpenCall {
    desk: Desk,
    id: String,
    over: bool,
}

impl OpenCall {
    /// Tells how the call ended. Of a denial that has been told already.
    fn close(&mut self, outcome: &ToolOutcome) {
        self.over = true;
        match outcome {
            ToolOutcome::Done(result) => {
                self.desk.push("tool.completed", json!({"tool_call_id": self.id, "result": result}));
            }
            ToolOutcome::Failed { kind, .. } if kind == DENIED => {}
            ToolOutcome::Failed { message, .. } => {
                self.desk.push("tool.failed", json!({"tool_call_id": self.id, "message": message}));
            }
        }
    }
}

impl Drop for OpenCall {
    fn drop(&mut self) {
        let denied = matches!(self.desk.holds.standing(&self.id), Some(Some(verdict)) if verdict.decision == Decision::Deny);
        if !self.over && !denied {
            let why = "the turn ended before the call did";
            self.desk.push("tool.failed", json!({"tool_call_id": self.id, "message": why}));
        }
    }
}
