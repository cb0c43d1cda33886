//! Wrong ways to come to a result.

use std::sync::Arc;

use agent::{Message, ToolOutcome};
use oao::{Parts, operations::Next};
use serde_json::{Value, json};

use super::super::Edit;

pub(super) const DEFECTS: &[Edit<Parts>] = &[
    Edit {
        id: "first-finish-wins",
        edit: |parts| parts.operations.mechanism.finish = Arc::new(|call| Ok(call.value.clone())),
    },
    Edit { id: "additional-props-ignored", edit: |parts| parts.operations.mechanism.values.closes = false },
    Edit {
        id: "shallow-validation",
        edit: |parts| parts.operations.mechanism.values.reach = |depth| depth == 0,
    },
    Edit { id: "result-summarised", edit: text_instead_of_result },
    Edit { id: "untyped-success", edit: prose_is_enough },
    Edit {
        id: "lenient-json-repair",
        edit: |parts| {
            parts.operations.habits.arguments = Arc::new(|text| {
                let given = serde_json::from_str(text);
                given.or_else(|_| serde_json::from_str(&closed(text))).map_err(|why| why.to_string())
            });
        },
    },
    Edit { id: "failure-swallowed", edit: nothing_instead_of_failure },
];

/// Whatever comes out of the loop is taken as it is.
pub(super) fn unjudged(parts: &mut Parts) {
    parts.operations.mechanism.boundary = Arc::new(|_, _, outcome| outcome);
}

/// What the model says beside its result is taken for the result.
fn text_instead_of_result(parts: &mut Parts) {
    unjudged(parts);
    let decide = parts.operations.mechanism.after_turn.clone();
    parts.operations.mechanism.after_turn = Arc::new(move |view| match decide(view) {
        Next::End(ToolOutcome::Done(_)) if !view.turn.text.is_empty() => {
            Next::End(ToolOutcome::Done(view.turn.text.clone()))
        }
        next => next,
    });
}

fn prose_is_enough(parts: &mut Parts) {
    unjudged(parts);
    let decide = parts.operations.mechanism.after_turn.clone();
    parts.operations.mechanism.after_turn = Arc::new(move |view| match decide(view) {
        Next::End(ToolOutcome::Failed { .. }) if view.turn.tools.is_empty() => {
            Next::End(ToolOutcome::Done(json!({"text": view.turn.text}).to_string()))
        }
        next => next,
    });
}

/// The text with its open string, lists and objects closed.
fn closed(text: &str) -> String {
    let (mut open, mut quoted, mut escaped) = (Vec::new(), false, false);
    for letter in text.chars() {
        match letter {
            _ if escaped => escaped = false,
            '\\' => escaped = quoted,
            '"' => quoted = !quoted,
            '{' if !quoted => open.push('}'),
            '[' if !quoted => open.push(']'),
            '}' | ']' if !quoted => drop(open.pop()),
            _ => {}
        }
    }
    let quote = if quoted { "\"" } else { "" };
    text.chars().chain(quote.chars()).chain(open.into_iter().rev()).collect()
}

/// Only a loop that came to nothing: errors of other tools stay what they are.
fn nothing_instead_of_failure(parts: &mut Parts) {
    let hand_back = parts.runs.habits.hand_back.clone();
    parts.runs.habits.hand_back = Arc::new(move |calls, settled| {
        let came_to_nothing = |id: &str| {
            calls.iter().zip(settled).any(|(call, settled)| {
                let failed = matches!(&settled.outcome, ToolOutcome::Failed { kind, .. } if kind == "ResultUnavailableError");
                call.id == id && failed
            })
        };
        let swallow = |message: Message| match message {
            Message::Tool { call_id, .. } if came_to_nothing(&call_id) => Message::Tool {
                call_id,
                content: Value::Object(serde_json::Map::new()).to_string(),
                is_error: false,
            },
            other => other,
        };
        hand_back(calls, settled).into_iter().map(swallow).collect()
    });
}

#[cfg(test)]
mod tests {
    use super::closed;

    #[test]
    fn what_is_open_is_closed() {
        for (text, expected) in [
            (r#"{"a": "b"#, r#"{"a": "b"}"#),
            (r#"{"a": [{"b": "}\""#, r#"{"a": [{"b": "}\""}]}"#),
            ("{}", "{}"),
        ] {
            assert_eq!(closed(text), expected);
        }
    }
}
