//! What a call has to bring: a task and nothing else.

use std::sync::Arc;

use serde_json::Value;

use crate::{
    limits::{Limits, utf16_units},
    publication::{
        TextRule,
        schema::{Declared, Kind},
    },
    results,
};

/// Reads the task out of the arguments, or says why there is none.
pub type Judge = Arc<dyn Fn(&ArgumentRules, &Value) -> Result<String, String> + Send + Sync>;

/// The rules for arguments. The default is the contract's.
#[derive(Clone)]
pub struct ArgumentRules {
    /// The length of a task.
    pub task: TextRule,
    /// Reads the task.
    pub judge: Judge,
}

impl Default for ArgumentRules {
    fn default() -> Self {
        let range = Limits::default().operation.task_units;
        Self { task: TextRule { range, units: utf16_units }, judge: Arc::new(strict_task) }
    }
}

impl std::fmt::Debug for ArgumentRules {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ArgumentRules").field("task", &self.task).finish_non_exhaustive()
    }
}

/// A strict object with one member. A primitive is coerced to text first, as the runtime does it: `7` is `"7"`,
/// and `null` is the empty text, which is too short.
fn strict_task(rules: &ArgumentRules, arguments: &Value) -> Result<String, String> {
    let members = arguments.as_object().ok_or("the arguments have to be an object")?;
    if let Some(name) = members.keys().find(|name| *name != "task") {
        return Err(format!("{}: is not allowed here", Value::from(name.as_str())));
    }
    let given = members.get("task").ok_or("task: is missing")?;
    let task = results::coerce(Declared { kind: Kind::String, nullable: false }, given);
    let task = task.as_str().ok_or("task: a text is needed")?;
    let range = rules.task.range;
    if !range.holds((rules.task.units)(task)) {
        return Err(format!("task: a text of {} to {} characters is needed", range.min, range.max));
    }
    Ok(task.to_owned())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn judge(arguments: Value) -> Option<String> {
        let rules = ArgumentRules::default();
        (rules.judge)(&rules, &arguments).ok()
    }

    #[test]
    fn tasks_that_run_and_tasks_that_do_not() {
        for (task, expected) in [(json!("x"), "x"), (json!(" "), " "), (json!(7), "7"), (json!(true), "true")]
        {
            assert_eq!(judge(json!({"task": task})).as_deref(), Some(expected));
        }
        for length in [1, 100_000] {
            assert!(judge(json!({"task": "t".repeat(length)})).is_some());
        }
        assert!(judge(json!({"task": "😀".repeat(50_000)})).is_some());
        for task in [
            json!(""),
            json!(null),
            json!([]),
            json!(["x"]),
            json!({}),
            json!("t".repeat(100_001)),
            json!("😀".repeat(50_001)),
        ] {
            assert_eq!(judge(json!({"task": task})), None);
        }
        for arguments in [
            json!({}),
            json!({"prompt": "x"}),
            json!({"task": "x", "system": "y"}),
            json!("x"),
            json!(null),
            json!([]),
        ] {
            assert_eq!(judge(arguments.clone()), None, "{arguments}");
        }
    }
}
