//! Wrong ways to end a scratch loop, and to tell of it.

use std::sync::Arc;

use agent::{ToolEnded, ToolOutcome};
use oao::{Parts, events::Ending, operations::Next};
use serde_json::json;

use super::super::Edit;

pub(super) const DEFECTS: &[Edit<Parts>] = &[
    Edit {
        id: "refused-finish-shown-as-success",
        edit: |parts| {
            let step = parts.events.payloads.tool_step.clone();
            parts.events.payloads.tool_step = Arc::new(move |ended| {
                let mut payload = step(ended);
                if ended.tool.call.name == "finish" {
                    payload["status"] = json!("success");
                }
                payload
            });
        },
    },
    Edit {
        // Giving up is an orderly end, so it counts as one.
        id: "give-up-completes",
        edit: |parts| {
            parts.operations.classify = |outcome| match outcome {
                ToolOutcome::Done(_) => Ending::Completed,
                ToolOutcome::Failed { message, .. } if message.contains("gave up") => Ending::Completed,
                ToolOutcome::Failed { kind, .. } if kind.contains("Abort") => Ending::Cancelled,
                ToolOutcome::Failed { .. } => Ending::Failed,
            };
        },
    },
    Edit { id: "give-up-beats-finish", edit: |parts| prefer(parts, "give_up") },
    Edit { id: "finish-beats-give-up", edit: |parts| prefer(parts, "finish") },
    Edit {
        id: "words-end-the-loop",
        edit: |parts| {
            let decide = parts.operations.mechanism.after_turn.clone();
            parts.operations.mechanism.after_turn = Arc::new(move |view| match decide(view) {
                Next::Prompt(_) => {
                    Next::End(ToolOutcome::failed("ResultUnavailableError", "the model returned no result"))
                }
                next => next,
            });
        },
    },
    Edit { id: "endless-reminders", edit: |parts| parts.operations.mechanism.prompts_max = u32::MAX },
];

/// Where one batch has both `finish` and `give_up`, the one called `name` decides, wherever it stands.
fn prefer(parts: &mut Parts, name: &'static str) {
    let decide = parts.operations.mechanism.after_turn.clone();
    parts.operations.mechanism.after_turn = Arc::new(move |view| {
        let named = |name: &str| view.turn.tools.iter().find(|tool| tool.call.name == name);
        match (view.settled, named("finish"), named("give_up"), named(name)) {
            (Some(_), Some(_), Some(_), Some(chosen)) => Next::End(outcome(chosen)),
            _ => decide(view),
        }
    });
}

fn outcome(tool: &ToolEnded) -> ToolOutcome {
    let arguments = tool.arguments.clone().unwrap_or_default();
    match tool.call.name.as_str() {
        "finish" => ToolOutcome::Done(arguments.to_string()),
        _ => ToolOutcome::failed("ResultUnavailableError", "the operation gave up"),
    }
}
