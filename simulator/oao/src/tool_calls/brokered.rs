//! Tools that no version was published with, whose calls are on record all the same.

use std::sync::Arc;

use agent::{CallContext, Tool, ToolOutcome};
use futures_util::{FutureExt, future::BoxFuture};
use serde_json::Value;

use super::{ToolDesk, open::Opening};

/// The same tool, with every call of it among the tool calls of the run. The platform answers them.
pub(crate) fn brokered(desk: &ToolDesk, tool: Arc<dyn Tool>) -> Arc<dyn Tool> {
    Arc::new(Brokered { desk: desk.clone(), tool })
}

struct Brokered {
    desk: ToolDesk,
    tool: Arc<dyn Tool>,
}

impl Tool for Brokered {
    fn name(&self) -> &str {
        self.tool.name()
    }

    fn description(&self) -> &str {
        self.tool.description()
    }

    fn parameters(&self) -> Value {
        self.tool.parameters()
    }

    fn call(&self, context: CallContext, arguments: Value) -> BoxFuture<'static, ToolOutcome> {
        let (desk, tool) = (self.desk.clone(), self.tool.clone());
        async move {
            let open = desk.open(Opening {
                name: tool.name(),
                owner: "platform",
                attempt: 1,
                gated: false,
                arguments: arguments.clone(),
                output_schema: Value::Null,
            });
            open.execute();
            let outcome = tool.call(context, arguments).await;
            open.commit(outcome.is_error());
            outcome
        }
        .boxed()
    }
}
