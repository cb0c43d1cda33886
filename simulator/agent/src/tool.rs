//! What a model may call.

use futures_util::future::BoxFuture;
use serde_json::Value;

use crate::Cancel;

/// What a call is told about itself.
#[derive(Clone, Debug)]
pub struct CallContext {
    /// The model's own id for the call.
    pub tool_call_id: String,
    /// The turn that asked for it.
    pub turn_id: String,
    /// Triggered when the loop that asked is called off.
    pub cancel: Cancel,
}

/// How a call ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ToolOutcome {
    /// It has a result, which the model sees.
    Done(String),
    /// It failed. The model sees the message, as an ordinary tool result.
    Failed {
        /// The type of the error, by which observers classify: `AbortError`.
        kind: String,
        /// What happened, for the model.
        message: String,
    },
}

impl ToolOutcome {
    /// A failure.
    pub fn failed(kind: &str, message: impl Into<String>) -> Self {
        Self::Failed { kind: kind.to_owned(), message: message.into() }
    }

    /// A call whose loop was called off.
    pub fn aborted() -> Self {
        Self::failed("AbortError", "the call was aborted")
    }

    /// Whether the call failed.
    pub fn is_error(&self) -> bool {
        matches!(self, Self::Failed { .. })
    }

    /// What the model sees.
    pub fn content(&self) -> &str {
        match self {
            Self::Done(content) => content,
            Self::Failed { message, .. } => message,
        }
    }
}

/// Something that a model may call by name.
pub trait Tool: Send + Sync {
    /// The name under which the model calls it.
    fn name(&self) -> &str;
    /// What the model is told about it.
    fn description(&self) -> &str;
    /// The JSON Schema of its arguments.
    fn parameters(&self) -> Value;
    /// Whether the model is told of it. One that is not told of still answers a call of its name.
    fn is_offered(&self) -> bool {
        true
    }
    /// Runs it. Arguments are parsed JSON and nothing more: judging them is the tool's own affair.
    fn call(&self, context: CallContext, arguments: Value) -> BoxFuture<'static, ToolOutcome>;
}

/// How a tool is offered to a model.
#[derive(Clone, Debug, PartialEq)]
pub struct ToolDefinition {
    /// Name.
    pub name: String,
    /// Description.
    pub description: String,
    /// JSON Schema of the arguments.
    pub parameters: Value,
}

impl ToolDefinition {
    /// The offer for `tool`.
    pub fn of(tool: &dyn Tool) -> Self {
        Self {
            name: tool.name().to_owned(),
            description: tool.description().to_owned(),
            parameters: tool.parameters(),
        }
    }
}
