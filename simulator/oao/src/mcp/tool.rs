//! A mounted tool.

use agent::{CallContext, Tool, ToolOutcome};
use futures_util::{FutureExt, future::BoxFuture};
use serde_json::Value;

use super::McpTool;

/// A tool of a toolset under the name that the binding gives it.
pub(super) struct Scripted {
    pub(super) name: String,
    pub(super) tool: McpTool,
}

impl Tool for Scripted {
    fn name(&self) -> &str {
        &self.name
    }

    fn description(&self) -> &str {
        &self.tool.description
    }

    fn parameters(&self) -> Value {
        self.tool.input_schema.clone()
    }

    fn call(&self, _: CallContext, arguments: Value) -> BoxFuture<'static, ToolOutcome> {
        let outcome = if arguments.is_object() {
            ToolOutcome::Done(self.tool.answer(&arguments).to_string())
        } else {
            ToolOutcome::failed("InvalidArguments", "the arguments have to be an object")
        };
        std::future::ready(outcome).boxed()
    }
}
