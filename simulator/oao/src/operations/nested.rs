//! Operations inside operations.

use std::sync::Arc;

use agent::{CallContext, Tool, ToolOutcome};
use futures_util::{FutureExt, future::BoxFuture};
use serde_json::Value;

use super::Operation;

/// An operation tool inside the loop of an operation: it is offered, and every call of it is refused.
#[derive(Clone)]
pub struct Refused {
    outer: String,
    tool: Arc<dyn Tool>,
}

impl Refused {
    /// `tool`, as it is inside a loop of `outer`.
    pub fn inside(outer: &Operation, tool: Arc<dyn Tool>) -> Self {
        Self { outer: outer.key.clone(), tool }
    }
}

impl Tool for Refused {
    fn name(&self) -> &str {
        self.tool.name()
    }

    fn description(&self) -> &str {
        self.tool.description()
    }

    fn parameters(&self) -> Value {
        self.tool.parameters()
    }

    fn call(&self, _: CallContext, _: Value) -> BoxFuture<'static, ToolOutcome> {
        let (outer, inner) = (&self.outer, self.tool.name());
        let message = format!("Nested Harness Operation calls are not allowed ({outer} -> {inner}).");
        std::future::ready(ToolOutcome::failed("Error", message)).boxed()
    }
}
