//! The settings of a request, besides what is said and the tools.

use serde_json::{Map, Value};

use super::refused;
use crate::{rejection::Rejection, wires::fields::Kind};

/// What a setting must be when it is there and not null.
#[rustfmt::skip]
const KINDS: &[(&str, Kind)] = &[
    ("metadata", Kind::Object), ("output_config", Kind::Object), ("stop_sequences", Kind::List),
    ("stream", Kind::Flag), ("temperature", Kind::Number), ("thinking", Kind::Object),
    ("tool_choice", Kind::Object), ("tools", Kind::List), ("top_k", Kind::Whole), ("top_p", Kind::Number),
];
/// The settings that are shares of one.
const SHARES: [&str; 2] = ["temperature", "top_p"];

/// What the API refuses about the settings.
pub(super) fn wrong(fields: &Map<String, Value>) -> Vec<Rejection> {
    let given = |name: &str| fields.get(name).filter(|value| !value.is_null());
    let mut wrong = Vec::new();
    for (name, kind) in KINDS {
        if given(name).is_some_and(|value| !kind.takes(value)) {
            wrong.push(refused(*name, format!("this has to be {}", kind.word())));
        }
    }
    for name in SHARES {
        if given(name).and_then(Value::as_f64).is_some_and(|share| !(0.0..=1.0).contains(&share)) {
            wrong.push(refused(name, "this has to be at least 0 and at most 1"));
        }
    }
    wrong.extend(budget(fields));
    let stops = given("stop_sequences").and_then(Value::as_array);
    let no_text = stops.and_then(|stops| stops.iter().position(|stop| !stop.is_string()));
    wrong.extend(no_text.map(|place| refused(format!("stop_sequences.{place}"), "this has to be a string")));
    wrong
}

/// The least that a model may think with, in tokens.
const BUDGET_MIN: u64 = 1024;

/// What is wrong with the share of the output that is for thinking. With tools the thoughts between their calls
/// may take more than one answer does, when a beta says so, and nothing is said of that.
fn budget(fields: &Map<String, Value>) -> Option<Rejection> {
    let thinking = fields.get("thinking").filter(|thinking| thinking["type"] == "enabled")?;
    let at = "thinking.enabled.budget_tokens";
    let Some(budget) = thinking.get("budget_tokens") else { return Some(refused(at, "Field required")) };
    let Some(budget) = budget.as_u64() else { return Some(refused(at, "Input should be a valid integer")) };
    if budget < BUDGET_MIN {
        return Some(refused(at, format!("Input should be greater than or equal to {BUDGET_MIN}")));
    }
    let limit = fields.get("max_tokens").and_then(Value::as_u64)?;
    let has_tools = fields.get("tools").and_then(Value::as_array).is_some_and(|tools| !tools.is_empty());
    let message = "`max_tokens` must be greater than `thinking.budget_tokens`";
    (budget >= limit && !has_tools).then(|| Rejection::invalid("max_tokens", None, message))
}
