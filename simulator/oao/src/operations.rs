//! Operations: tools of the parent that open a loop of their own.

mod arguments;
mod definition;
mod invoke;
mod mechanism;
mod nested;
mod prompt;
mod recorded;
mod records;
mod scratch;
mod steps;

use std::{fmt, sync::Arc, time::Duration};

use agent::{Cancel, Habits, Message, ModelClient, Tool, ToolOutcome, Workspace};
pub use arguments::{ArgumentRules, Judge};
pub use definition::Operation;
use futures_util::{FutureExt, future::BoxFuture};
pub(crate) use invoke::OperationTool;
pub use mechanism::{AfterTurn, Boundary, Finish, FinishCall, Mechanism, Next, TurnView};
pub use nested::Refused;
pub use prompt::compose;
pub(crate) use recorded::Recorded;
pub use records::{Record, Records};
use serde_json::{Value, json};
use wire::Clock;

use crate::{
    events::{Ending, Invocation},
    runs::RunContext,
};

/// What a scratch loop takes over from its run.
#[derive(Clone)]
pub struct Inherited {
    /// The model, under the preset of the version.
    pub model: ModelClient,
    /// The parent's rendered system instructions.
    pub system: String,
    /// The parent's tools, operations aside.
    pub tools: Vec<Arc<dyn Tool>>,
    /// The files of the session.
    pub workspace: Workspace,
}

/// Says what a scratch loop takes over.
pub type Inherit = Arc<dyn Fn(&RunContext, &Operation) -> Inherited + Send + Sync>;
/// The prompt of a scratch loop, from the operation, the task and all arguments of the call.
pub type Compose = Arc<dyn Fn(&Operation, &str, &Value) -> String + Send + Sync>;
/// The messages with which a scratch conversation begins, from the system instructions and the prompt.
pub type Opening = Arc<dyn Fn(&Invocation, String, String) -> Vec<Message> + Send + Sync>;
/// What an operation tool is inside a scratch loop of `outer`; `None` hides it.
pub type Nested = Arc<dyn Fn(&Operation, Arc<dyn Tool>) -> Option<Arc<dyn Tool>> + Send + Sync>;
/// What calls a scratch loop off.
pub type Tie = Arc<dyn Fn(&RunContext, &Invocation) -> Cancel + Send + Sync>;
/// Ends a call when its time is over.
pub type Timer = Arc<
    dyn Fn(Clock, Duration, BoxFuture<'static, ToolOutcome>) -> BoxFuture<'static, ToolOutcome> + Send + Sync,
>;
/// Stands around the body of a call, inside its timer.
pub type Around = Arc<
    dyn Fn(
            Arc<RunContext>,
            Arc<Invocation>,
            BoxFuture<'static, ToolOutcome>,
        ) -> BoxFuture<'static, ToolOutcome>
        + Send
        + Sync,
>;

/// How operations are called. The default is the contract's.
#[derive(Clone)]
pub struct OperationParts {
    /// The JSON Schema of the arguments that the model is offered.
    pub input_schema: fn(&Operation) -> Value,
    /// What the arguments of a call have to be.
    pub arguments: ArgumentRules,
    /// What a scratch loop takes over.
    pub inherit: Inherit,
    /// Its prompt.
    pub prompt: Compose,
    /// Its first messages: nothing of the parent's conversation, nothing of an earlier call.
    pub opening: Opening,
    /// What operation tools are inside: visible, and refused when called.
    pub nested: Nested,
    /// How the loop comes to its end.
    pub mechanism: Mechanism,
    /// What calls the loop off: the token of its run, so that a cancellation and a deadline reach it at once.
    pub tie: Tie,
    /// The call's own time limit.
    pub timer: Timer,
    /// Things that stand around the body, the last one outermost; none in the contract.
    pub around: Vec<Around>,
    /// The seams of the loop itself.
    pub habits: Habits,
    /// Which terminal event an outcome leads to.
    pub classify: fn(&ToolOutcome) -> Ending,
}

impl Default for OperationParts {
    fn default() -> Self {
        Self {
            input_schema,
            arguments: ArgumentRules::default(),
            inherit: Arc::new(everything),
            prompt: Arc::new(compose),
            opening: Arc::new(|_, system, prompt| vec![Message::System(system), Message::User(prompt)]),
            nested: Arc::new(|outer, tool| Some(Arc::new(Refused::inside(outer, tool)))),
            mechanism: Mechanism::default(),
            tie: Arc::new(|run, _| run.cancel.clone()),
            timer: Arc::new(|clock, limit, body| abort_after(clock, limit, body).boxed()),
            around: Vec::new(),
            habits: Habits::default(),
            classify,
        }
    }
}

impl fmt::Debug for OperationParts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OperationParts").finish_non_exhaustive()
    }
}

fn input_schema(_: &Operation) -> Value {
    let range = crate::limits::Limits::default().operation.task_units;
    json!({
        "type": "object",
        "properties": {"task": {"type": "string", "minLength": range.min, "maxLength": range.max}},
        "required": ["task"],
        "additionalProperties": false,
    })
}

fn everything(run: &RunContext, _: &Operation) -> Inherited {
    Inherited {
        model: run.model.clone(),
        system: run.system.clone(),
        tools: run.tools.clone(),
        workspace: run.workspace.clone(),
    }
}

/// When the time is over the body is dropped, and with it the inner model's connection. The runtime reports
/// that as an abort.
async fn abort_after(clock: Clock, limit: Duration, body: BoxFuture<'static, ToolOutcome>) -> ToolOutcome {
    clock.within(limit, body).await.unwrap_or_else(|| {
        ToolOutcome::failed(
            "AbortError",
            format!("the operation was aborted at its timeout of {} ms", limit.as_millis()),
        )
    })
}

/// By the type of the error: a timeout, an abort, or any other failure.
fn classify(outcome: &ToolOutcome) -> Ending {
    let ToolOutcome::Failed { kind, .. } = outcome else { return Ending::Completed };
    let kind = kind.to_ascii_lowercase();
    if kind.contains("timeout") {
        Ending::TimedOut
    } else if kind.contains("abort") || kind.contains("cancel") {
        Ending::Cancelled
    } else {
        Ending::Failed
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn endings_follow_from_the_type_of_the_error() {
        for (kind, ending) in [
            ("AbortError", Ending::Cancelled),
            ("TimeoutError", Ending::TimedOut),
            ("operation_failed", Ending::Failed),
            ("ResultUnavailableError", Ending::Failed),
            ("RunCancelled", Ending::Cancelled),
            ("AbortTimeout", Ending::TimedOut),
        ] {
            assert_eq!(classify(&ToolOutcome::failed(kind, "")), ending, "{kind}");
        }
        assert_eq!(classify(&ToolOutcome::Done(String::new())), Ending::Completed);
    }
}
