//! Wrong ways to run the loop of one call.

use std::sync::Arc;

use agent::{Message, ToolOutcome};
use oao::{Parts, operations::Next};

use super::super::Edit;

pub(super) const DEFECTS: &[Edit<Parts>] = &[
    Edit {
        id: "single-turn-only",
        edit: |parts| {
            parts.operations.mechanism.after_turn = Arc::new(|view| {
                let nothing =
                    || ToolOutcome::failed("ResultUnavailableError", "the loop is over after one turn");
                Next::End(view.settled.cloned().unwrap_or_else(nothing))
            });
        },
    },
    Edit {
        // The next turn does not wait for the tools, so their results are not there yet.
        id: "inner-turns-overlap",
        edit: |parts| parts.operations.habits.hand_back = Arc::new(|_, _| Vec::new()),
    },
    Edit {
        id: "partials-leak-to-parent",
        edit: |parts| {
            let hand_back = parts.runs.habits.hand_back.clone();
            parts.runs.habits.hand_back = Arc::new(move |calls, settled| {
                let draft = |message: &Message| match message {
                    Message::Tool { call_id, .. } => Some(Message::Tool {
                        call_id: call_id.clone(),
                        content: "a first draft".to_owned(),
                        is_error: false,
                    }),
                    _ => None,
                };
                let results = hand_back(calls, settled);
                results
                    .iter()
                    .flat_map(|message| draft(message).into_iter().chain([message.clone()]))
                    .collect()
            });
        },
    },
];
