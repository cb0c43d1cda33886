//! Summaries of steps: which tool, which path, and nothing that was said.

use std::{fmt, sync::Arc};

use agent::{Completion, ToolEnded, TurnError};
use serde_json::Value;

use crate::limits::{Limits, SummaryLimits, utf16_units};

/// Makes the summary of a model turn.
pub type OfModel = Arc<dyn Fn(Result<&Completion, &TurnError>) -> String + Send + Sync>;
/// Makes the summary of a tool call.
pub type OfTool = Arc<dyn Fn(&ToolEnded) -> String + Send + Sync>;

/// How steps are summed up. The default is the contract's.
#[derive(Clone)]
pub struct Summaries {
    /// Of a model turn.
    pub model: OfModel,
    /// Of a tool call.
    pub tool: OfTool,
}

impl Default for Summaries {
    fn default() -> Self {
        let limits = Limits::default().summaries;
        let tool_limits = limits.clone();
        Self {
            model: Arc::new(move |answer| of_model(answer, &limits)),
            tool: Arc::new(move |tool| of_tool(tool, &tool_limits)),
        }
    }
}

impl fmt::Debug for Summaries {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Summaries").finish_non_exhaustive()
    }
}

fn of_model(answer: Result<&Completion, &TurnError>, limits: &SummaryLimits) -> String {
    let Ok(answer) = answer else { return "The scratch model invocation failed.".to_owned() };
    if answer.calls.is_empty() {
        return "The scratch model produced an internal response without requesting a tool.".to_owned();
    }
    let mut names: Vec<&str> = Vec::new();
    for name in answer.calls.iter().map(|call| call.name.trim()).filter(|name| is_token(name)) {
        if !names.contains(&name) && (names.len() as u64) < limits.names_max {
            names.push(name);
        }
    }
    match names.as_slice() {
        [] => "The scratch model produced an internal response.".to_owned(),
        ["finish"] => "Returned the structured result for validation.".to_owned(),
        [name] => format!("Requested {name}."),
        names => format!("Requested {} in one tool batch.", names.join(", ")),
    }
}

/// A name that can stand in a summary: `^[a-z0-9][a-z0-9_.:/-]{0,127}$`, whatever the case.
fn is_token(name: &str) -> bool {
    let mut bytes = name.bytes();
    name.len() <= 128
        && bytes.next().is_some_and(|byte| byte.is_ascii_alphanumeric())
        && bytes.all(|byte| byte.is_ascii_alphanumeric() || b"_.:/-".contains(&byte))
}

/// A result is private also where it has a member called like an argument that is shown, so `finish` never
/// shows a value.
fn of_tool(tool: &ToolEnded, limits: &SummaryLimits) -> String {
    let name = &tool.call.name;
    let shown = (name != "finish")
        .then_some(tool.arguments.as_ref())
        .flatten()
        .and_then(|arguments| shown(arguments, limits));
    shown.map_or_else(|| name.clone(), |value| format!("{name} \u{b7} {value}"))
}

fn shown(arguments: &Value, limits: &SummaryLimits) -> Option<String> {
    let text = |name: &str| arguments.get(name)?.as_str().map(str::trim).filter(|text| !text.is_empty());
    if let Some(value) = limits.value_arguments.iter().find_map(|name| text(name)) {
        return Some(cut(value, limits.value_units_max));
    }
    let word = text("command")?.split_whitespace().next()?;
    Some(cut(word, limits.command_units_max))
}

fn cut(text: &str, units_max: u64) -> String {
    let mut kept = String::new();
    for character in text.chars() {
        if utf16_units(&kept) + character.len_utf16() as u64 > units_max {
            break;
        }
        kept.push(character);
    }
    kept
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use agent::{ModelError, ToolCall, ToolOutcome};
    use serde_json::json;

    use super::*;

    fn answer(names: &[&str]) -> Completion {
        let calls = names.iter().map(|name| ToolCall {
            id: "i".into(),
            name: (*name).into(),
            arguments: "{\"secret\":1}".into(),
        });
        Completion { text: "private".into(), calls: calls.collect(), ..Completion::default() }
    }

    #[test]
    fn model_turns_follow_a_closed_grammar() {
        let sum = |names: &[&str]| (Summaries::default().model)(Ok(&answer(names)));
        assert_eq!(sum(&["finish"]), "Returned the structured result for validation.");
        assert_eq!(sum(&["read"]), "Requested read.");
        assert_eq!(sum(&["read", "read"]), "Requested read.");
        assert_eq!(sum(&["read", "bash"]), "Requested read, bash in one tool batch.");
        assert_eq!(sum(&["finish", "read"]), "Requested finish, read in one tool batch.");
        assert_eq!(sum(&[]), "The scratch model produced an internal response without requesting a tool.");
        assert_eq!(sum(&["no spaces"]), "The scratch model produced an internal response.");
        let ten: Vec<String> = (0..10).map(|at| format!("t{at}")).collect();
        let ten: Vec<&str> = ten.iter().map(String::as_str).collect();
        assert_eq!(sum(&ten), "Requested t0, t1, t2, t3, t4, t5, t6, t7 in one tool batch.");
        let failed = TurnError::Model(ModelError::Filtered);
        assert_eq!((Summaries::default().model)(Err(&failed)), "The scratch model invocation failed.");
    }

    #[test]
    fn tools_show_a_path_or_an_action_and_finish_shows_nothing() {
        let sum = |name: &str, arguments: Option<Value>| {
            let call = ToolCall { id: "i".into(), name: name.into(), arguments: String::new() };
            let outcome = ToolOutcome::Done("private".into());
            (Summaries::default().tool)(&ToolEnded { call, arguments, outcome, took: Duration::ZERO })
        };
        assert_eq!(sum("read", Some(json!({"path": " a/b.txt "}))), "read · a/b.txt");
        assert_eq!(sum("x", Some(json!({"path": " ", "name": "n", "url": "u"}))), "x · n");
        assert_eq!(sum("bash", Some(json!({"command": "wc -l secret"}))), "bash · wc");
        assert_eq!(sum("verify", Some(json!({"task": "private"}))), "verify");
        assert_eq!(sum("read", Some(json!({"path": 7}))), "read");
        assert_eq!(sum("read", None), "read");
        for name in ["path", "name", "url", "action"] {
            assert_eq!(sum("finish", Some(json!({name: "private"}))), "finish");
        }
        assert_eq!(utf16_units(&sum("read", Some(json!({"path": "😀".repeat(300)})))), 4 + 3 + 240);
        assert_eq!(sum("bash", Some(json!({"command": "w".repeat(99)}))).len(), "bash · ".len() + 80);
    }
}
