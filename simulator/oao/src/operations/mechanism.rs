//! The result mechanism: how a scratch loop comes to its end.

use std::{
    fmt,
    sync::{Arc, Mutex, PoisonError},
};

use agent::{CallContext, Tool, ToolOutcome, Turn};
use futures_util::{FutureExt, future::BoxFuture};
use serde_json::{Value, json};

use super::prompt::REMINDER;
use crate::{events::Invocation, limits::Limits, results::ValueRules};

/// One call of `finish`.
pub struct FinishCall<'a> {
    /// The call that owns the loop.
    pub invocation: &'a Invocation,
    /// The rules for values.
    pub values: &'a ValueRules,
    /// What was handed in.
    pub value: &'a Value,
}

/// A turn that has ended, and where the loop stands.
pub struct TurnView<'a> {
    /// The call that owns the loop.
    pub invocation: &'a Invocation,
    /// The turn.
    pub turn: &'a Turn,
    /// The outcome, if `finish` or `give_up` has been accepted.
    pub settled: Option<&'a ToolOutcome>,
    /// Prompts so far: the first one and the reminders.
    pub prompts: u32,
    /// Prompts that a loop gets.
    pub prompts_max: u32,
}

/// What a loop does after a turn.
#[derive(Clone, Debug)]
pub enum Next {
    /// Another turn, with the results of the tools.
    Continue,
    /// Another prompt.
    Prompt(String),
    /// The end.
    End(ToolOutcome),
}

/// Judges what was handed in: the validated result, or what the loop is told.
pub type Finish = Arc<dyn Fn(&FinishCall<'_>) -> Result<Value, String> + Send + Sync>;
/// Decides after a turn.
pub type AfterTurn = Arc<dyn Fn(&TurnView<'_>) -> Next + Send + Sync>;

/// Judges the outcome of a loop once more, where it becomes the outcome of the call.
pub type Boundary = Arc<dyn Fn(&Invocation, &ValueRules, ToolOutcome) -> ToolOutcome + Send + Sync>;

/// How results come about. The default is the contract's.
#[derive(Clone)]
pub struct Mechanism {
    /// The rules for values.
    pub values: ValueRules,
    /// Judges a `finish`.
    pub finish: Finish,
    /// Decides after a turn.
    pub after_turn: AfterTurn,
    /// Judges the outcome where it leaves the loop.
    pub boundary: Boundary,
    /// Prompts that a loop gets.
    pub prompts_max: u32,
}

impl Default for Mechanism {
    fn default() -> Self {
        Self {
            values: ValueRules::default(),
            finish: Arc::new(validated),
            after_turn: Arc::new(until_settled),
            boundary: Arc::new(only_a_valid_result),
            prompts_max: Limits::default().operation.prompts_max,
        }
    }
}

impl fmt::Debug for Mechanism {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Mechanism").field("prompts_max", &self.prompts_max).finish_non_exhaustive()
    }
}

fn validated(call: &FinishCall<'_>) -> Result<Value, String> {
    satisfying(call.invocation, call.values, call.value)
}

fn satisfying(invocation: &Invocation, values: &ValueRules, value: &Value) -> Result<Value, String> {
    values.check(&invocation.operation.result_schema, value).map_err(|faults| {
        let lines = faults.iter().map(|fault| {
            let place = if fault.place.is_empty() { "result" } else { &fault.place };
            format!("\n- {place}: {}", fault.problem)
        });
        format!("the result does not satisfy the schema:{}", lines.collect::<String>())
    })
}

/// The tool has the result schema as its output schema: whatever the loop came to, nothing else gets out.
fn only_a_valid_result(invocation: &Invocation, values: &ValueRules, outcome: ToolOutcome) -> ToolOutcome {
    let ToolOutcome::Done(content) = outcome else { return outcome };
    let value = serde_json::from_str(&content).map_err(|why| format!("the result is no JSON: {why}"));
    match value.and_then(|value: Value| satisfying(invocation, values, &value)) {
        Ok(result) => ToolOutcome::Done(result.to_string()),
        Err(why) => ToolOutcome::failed("InvalidResult", why),
    }
}

/// A settled loop ends; tools are followed by another turn; text is followed by a reminder, up to the limit.
fn until_settled(view: &TurnView<'_>) -> Next {
    match view.settled {
        Some(outcome) => Next::End(outcome.clone()),
        None if !view.turn.tools.is_empty() => Next::Continue,
        None if view.prompts < view.prompts_max => Next::Prompt(REMINDER.to_owned()),
        None => {
            let message = format!("the operation returned no result after {} prompts", view.prompts);
            Next::End(ToolOutcome::failed("ResultUnavailableError", message))
        }
    }
}

/// Where `finish` and `give_up` leave the outcome: the first one that is accepted stays.
#[derive(Clone, Default)]
pub(super) struct Outcome(Arc<Mutex<Option<ToolOutcome>>>);

impl Outcome {
    pub(super) fn get(&self) -> Option<ToolOutcome> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// The refusal of whatever comes after the outcome.
    fn too_late(&self) -> Option<ToolOutcome> {
        self.get().map(|_| ToolOutcome::failed("Error", "the operation has its outcome already"))
    }

    fn settle(&self, outcome: ToolOutcome) -> ToolOutcome {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(outcome);
        ToolOutcome::Done("accepted".to_owned())
    }
}

/// `finish`: its arguments are the result.
pub(super) struct FinishTool {
    pub(super) mechanism: Mechanism,
    pub(super) invocation: Arc<Invocation>,
    pub(super) outcome: Outcome,
}

impl Tool for FinishTool {
    fn name(&self) -> &str {
        "finish"
    }

    fn description(&self) -> &str {
        "Ends the operation with its result. The arguments are validated against the required schema; the first valid \
         call counts."
    }

    fn parameters(&self) -> Value {
        self.invocation.operation.result_schema.clone()
    }

    fn call(&self, _: CallContext, arguments: Value) -> BoxFuture<'static, ToolOutcome> {
        let call =
            FinishCall { invocation: &self.invocation, values: &self.mechanism.values, value: &arguments };
        let outcome = self.outcome.too_late().unwrap_or_else(|| match (self.mechanism.finish)(&call) {
            Ok(result) => self.outcome.settle(ToolOutcome::Done(result.to_string())),
            Err(why) => ToolOutcome::failed("InvalidResult", why),
        });
        std::future::ready(outcome).boxed()
    }
}

/// `give_up {reason}`: the operation fails.
pub(super) struct GiveUpTool {
    pub(super) outcome: Outcome,
}

impl Tool for GiveUpTool {
    fn name(&self) -> &str {
        "give_up"
    }

    fn description(&self) -> &str {
        "Ends the operation without a result. The reason says why there can be none."
    }

    fn parameters(&self) -> Value {
        json!({
            "type": "object",
            "properties": {"reason": {"type": "string", "minLength": 1}},
            "required": ["reason"],
            "additionalProperties": false,
        })
    }

    fn call(&self, _: CallContext, arguments: Value) -> BoxFuture<'static, ToolOutcome> {
        let reason = arguments.get("reason").and_then(Value::as_str).filter(|reason| !reason.is_empty());
        let outcome = self.outcome.too_late().unwrap_or_else(|| match reason {
            None => ToolOutcome::failed("InvalidArguments", "`reason` is missing or empty"),
            Some(reason) => {
                let message = format!("the operation gave up: {reason}");
                self.outcome.settle(ToolOutcome::failed("ResultUnavailableError", message))
            }
        });
        std::future::ready(outcome).boxed()
    }
}
