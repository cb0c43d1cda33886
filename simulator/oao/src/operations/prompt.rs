//! The prompt of a scratch loop.

use serde_json::Value;

use super::Operation;

const POLICY: &str = "You work with the same model, system instructions, tools, skills and workspace as the agent that \
called this operation, and files that it mentions are already in the workspace. Activate a skill where it helps. Do not \
call another Harness Operation. Return the outcome through the result mechanism only.";

const MECHANISM: &str = "When the work is done, call `finish` with the result as its arguments. They are validated against \
the required schema; if they do not satisfy it you get an error and may correct them. If no such result can be reached, \
call `give_up` with a reason. A text answer ends nothing.";

/// The operation, its instructions, the task, the policy and how to return: in this order.
pub fn compose(operation: &Operation, task: &str, _arguments: &Value) -> String {
    format!(
        "Execute the Harness Operation {key}.\n\n## Instructions\n{instructions}\n\n## Task\n{task}\n\n{POLICY}\n\n{MECHANISM}",
        key = Value::from(operation.key.as_str()),
        instructions = operation.instructions,
    )
}

/// What a loop is told that ended its turn without a result.
pub(super) const REMINDER: &str = "Your turn ended without `finish` or `give_up`. Call `finish` with the result, or \
`give_up` with a reason if there can be none.";
