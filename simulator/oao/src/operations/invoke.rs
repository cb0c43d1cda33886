//! An operation as a tool of its parent.

use std::{sync::Arc, time::Duration};

use agent::{CallContext, Tool, ToolOutcome};
use futures_util::{FutureExt, future::BoxFuture};
use serde_json::Value;

use super::{Operation, scratch};
use crate::{events::Invocation, limits::utf16_units, runs::RunContext};

/// One operation, offered to the parent of a run.
#[derive(Clone)]
pub(crate) struct OperationTool {
    pub(crate) run: Arc<RunContext>,
    pub(crate) operation: Operation,
}

impl Tool for OperationTool {
    fn name(&self) -> &str {
        &self.operation.key
    }

    fn description(&self) -> &str {
        &self.operation.description
    }

    fn parameters(&self) -> Value {
        (self.run.parts().operations.input_schema)(&self.operation)
    }

    /// Arguments that do not hold open no loop and leave no event; the timer starts with the body. A call under
    /// an id that the run knows already is answered from the record.
    fn call(&self, context: CallContext, arguments: Value) -> BoxFuture<'static, ToolOutcome> {
        let (run, operation) = (self.run.clone(), self.operation.clone());
        let parts = &run.parts().operations;
        let task = match (parts.arguments.judge)(&parts.arguments, &arguments) {
            Ok(task) => task,
            Err(why) => return std::future::ready(ToolOutcome::failed("InvalidArguments", why)).boxed(),
        };
        let limit = Duration::from_millis(operation.timeout_ms);
        let invocation = Arc::new(Invocation {
            tool_call_id: context.tool_call_id,
            task_units: utf16_units(&task),
            task,
            run_id: run.run_id.clone(),
            operation,
        });
        let id = invocation.tool_call_id.clone();
        let body = scratch::run(run.clone(), invocation.clone(), arguments).boxed();
        let body =
            parts.around.iter().fold(body, |body, around| around(run.clone(), invocation.clone(), body));
        let (timer, clock) = (parts.timer.clone(), run.service.clock().clone());
        let work = run.clone();
        let first = async move {
            work.started(&invocation);
            timer(clock, limit, body).await
        };
        async move { run.recorded.once(&id, first).await }.boxed()
    }
}
