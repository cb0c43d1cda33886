//! What the events of an operation say.

use std::{fmt, sync::Arc, time::Duration};

use agent::{
    Completion, ToolEnded, ToolOutcome, TurnError, Usage,
    tools::{Command, CommandEnd},
};
use serde_json::{Map, Value, json};

use crate::operations::Operation;

/// One call of an operation: everything that is known of it, most of which is private.
#[derive(Clone, Debug)]
pub struct Invocation {
    /// The operation.
    pub operation: Operation,
    /// The model's own id for the call.
    pub tool_call_id: String,
    /// The task. Private.
    pub task: String,
    /// Its length in UTF-16 code units.
    pub task_units: u64,
    /// The run.
    pub run_id: String,
}

/// How an operation ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// With a validated result.
    Completed,
    /// With an error.
    Failed,
    /// Called off.
    Cancelled,
    /// At a limit, and reported so.
    TimedOut,
}

impl Ending {
    /// The kind of the terminal event.
    pub fn kind(self) -> &'static str {
        match self {
            Self::Completed => "harness.operation_completed",
            Self::Failed => "harness.operation_failed",
            Self::Cancelled => "harness.operation_cancelled",
            Self::TimedOut => "harness.operation_timed_out",
        }
    }
}

/// The end of one call.
#[derive(Clone, Debug)]
pub struct Settlement {
    /// How it is reported.
    pub ending: Ending,
    /// What the parent gets. Private.
    pub outcome: ToolOutcome,
    /// How long the call itself took.
    pub took: Duration,
}

/// A model turn inside an operation.
#[derive(Clone, Copy, Debug)]
pub struct ModelStep<'a> {
    /// The call that owns it.
    pub invocation: &'a Invocation,
    /// `turn:<turn id>`.
    pub step_id: &'a str,
    /// 0, 1, 2 … within the call.
    pub step_index: u64,
    /// What the model answered. Private.
    pub answer: Result<&'a Completion, &'a TurnError>,
    /// Its summary.
    pub summary: &'a str,
    /// How long it took.
    pub took: Duration,
}

/// A tool call inside an operation.
#[derive(Clone, Copy, Debug)]
pub struct ToolStep<'a> {
    /// The call that owns it.
    pub invocation: &'a Invocation,
    /// `tool:<inner call id>`.
    pub step_id: &'a str,
    /// 0, 1, 2 … within the call.
    pub step_index: u64,
    /// What happened. Private.
    pub tool: &'a ToolEnded,
    /// Its summary.
    pub summary: &'a str,
}

/// A command of the sandbox, as it begins or as it ends.
#[derive(Clone, Copy, Debug)]
pub struct CommandEvent<'a> {
    /// The sandbox.
    pub sandbox_id: &'a str,
    /// The command's id.
    pub command_id: &'a str,
    /// The command itself. Private.
    pub command: Command<'a>,
    /// How it ended, once it has. Private, its exit code aside.
    pub end: Option<&'a CommandEnd>,
}

/// Makes the payload of a terminal event.
pub type Settled = Arc<dyn Fn(&Invocation, &Settlement) -> Value + Send + Sync>;
/// Makes the members that tie a model event to its operation.
pub type Correlation = Arc<dyn Fn(&ModelStep<'_>) -> Map<String, Value> + Send + Sync>;

/// What each event says: exactly the keys of the contract, and nothing private.
#[derive(Clone)]
pub struct Payloads {
    /// `harness.operation_started`.
    pub started: Arc<dyn Fn(&Invocation) -> Value + Send + Sync>,
    /// The terminal event.
    pub settled: Settled,
    /// `harness.operation_step` of a model turn.
    pub model_step: Arc<dyn Fn(&ModelStep<'_>) -> Value + Send + Sync>,
    /// `harness.operation_step` of a tool call.
    pub tool_step: Arc<dyn Fn(&ToolStep<'_>) -> Value + Send + Sync>,
    /// The members that tie `model.invocation_completed` and `_failed` to their operation.
    pub correlation: Correlation,
    /// `sandbox.command_started`, `_completed` and `_failed`.
    pub command: Arc<dyn Fn(&CommandEvent<'_>) -> Value + Send + Sync>,
}

impl Default for Payloads {
    fn default() -> Self {
        Self {
            started: Arc::new(started),
            settled: Arc::new(settled),
            model_step: Arc::new(model_step),
            tool_step: Arc::new(tool_step),
            correlation: Arc::new(correlation),
            command: Arc::new(command),
        }
    }
}

impl fmt::Debug for Payloads {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Payloads").finish_non_exhaustive()
    }
}

/// Whole milliseconds.
pub(crate) fn whole_ms(took: Duration) -> u64 {
    u64::try_from(took.as_millis()).unwrap_or(u64::MAX)
}

fn started(invocation: &Invocation) -> Value {
    json!({
        "operationKey": invocation.operation.key,
        "toolCallId": invocation.tool_call_id,
        "taskCharacters": invocation.task_units,
        "timeoutMs": invocation.operation.timeout_ms,
    })
}

fn settled(invocation: &Invocation, settlement: &Settlement) -> Value {
    let mut payload = started(invocation);
    payload["durationMs"] = json!(whole_ms(settlement.took));
    payload["resultValidated"] = json!(settlement.ending == Ending::Completed);
    payload
}

fn model_step(step: &ModelStep<'_>) -> Value {
    let usage = step.answer.map_or(Usage::default(), |answer| answer.usage);
    json!({
        "operationKey": step.invocation.operation.key,
        "harnessToolCallId": step.invocation.tool_call_id,
        "stepKind": "model",
        "stepId": step.step_id,
        "stepIndex": step.step_index,
        "summary": step.summary,
        "status": if step.answer.is_ok() { "success" } else { "error" },
        "durationMs": whole_ms(step.took),
        "inputTokens": usage.input,
        "outputTokens": usage.output,
        "cacheReadTokens": usage.cache_read,
        "cacheWriteTokens": usage.cache_write,
    })
}

fn tool_step(step: &ToolStep<'_>) -> Value {
    json!({
        "operationKey": step.invocation.operation.key,
        "harnessToolCallId": step.invocation.tool_call_id,
        "stepKind": "tool",
        "stepId": step.step_id,
        "stepIndex": step.step_index,
        "toolName": step.tool.call.name,
        "summary": step.summary,
        "status": if step.tool.outcome.is_error() { "error" } else { "success" },
        "durationMs": whole_ms(step.tool.took),
    })
}

fn correlation(step: &ModelStep<'_>) -> Map<String, Value> {
    let members = [
        ("harnessOperationKey", json!(step.invocation.operation.key)),
        ("harnessToolCallId", json!(step.invocation.tool_call_id)),
        ("harnessStepId", json!(step.step_id)),
        ("harnessStepIndex", json!(step.step_index)),
        ("harnessActionSummary", json!(step.summary)),
    ];
    members.map(|(name, value)| (name.to_owned(), value)).into_iter().collect()
}

fn command(event: &CommandEvent<'_>) -> Value {
    let mut payload = json!({"sandboxId": event.sandbox_id, "commandId": event.command_id});
    if let Some(CommandEnd::Exited { code, .. }) = event.end {
        payload["exitCode"] = json!(code);
    }
    payload
}
