//! Wrong ways to treat operations inside operations.

use std::sync::Arc;

use agent::{CallContext, Reason, Tool, ToolOutcome};
use futures_util::future::BoxFuture;
use oao::{Parts, operations::Refused};
use serde_json::Value;

use super::super::Edit;

pub(super) const DEFECTS: &[Edit<Parts>] = &[
    Edit { id: "recursion-allowed", edit: |parts| parts.operations.nested = Arc::new(|_, tool| Some(tool)) },
    Edit {
        id: "self-only-guard",
        edit: |parts| {
            parts.operations.nested = Arc::new(|outer, tool| {
                if tool.name() == outer.key {
                    Some(Arc::new(Refused::inside(outer, tool)))
                } else {
                    Some(tool)
                }
            });
        },
    },
    Edit {
        id: "nested-rejection-kills-run",
        edit: |parts| {
            parts.operations.nested =
                Arc::new(|outer, tool| Some(Arc::new(Deadly(Arc::new(Refused::inside(outer, tool))))));
        },
    },
];

/// A tool whose call ends the whole run.
struct Deadly(Arc<dyn Tool>);

impl Tool for Deadly {
    fn name(&self) -> &str {
        self.0.name()
    }

    fn description(&self) -> &str {
        self.0.description()
    }

    fn parameters(&self) -> Value {
        self.0.parameters()
    }

    fn call(&self, context: CallContext, arguments: Value) -> BoxFuture<'static, ToolOutcome> {
        context.cancel.trigger(Reason::Requested);
        self.0.call(context, arguments)
    }
}
