//! Ways to say too much in public events, and one to say too little.

use std::sync::Arc;

use std::sync::{Mutex, PoisonError};

use agent::ToolOutcome;
use oao::{Parts, operations::FinishCall};
use serde_json::{Value, json};

use super::{
    super::Edit,
    console_content::{each_step, get, keep_of_calls, keep_of_tool_steps},
};

pub(super) const DEFECTS: &[Edit<Parts>] = &[
    Edit {
        id: "task-in-started-event",
        edit: |parts| {
            let started = parts.events.payloads.started.clone();
            parts.events.payloads.started = Arc::new(move |invocation| {
                let mut payload = started(invocation);
                payload["arguments"] = json!({"task": invocation.task});
                payload
            });
        },
    },
    Edit {
        id: "result-in-completed-event",
        edit: |parts| {
            let settled = parts.events.payloads.settled.clone();
            parts.events.payloads.settled = Arc::new(move |invocation, settlement| {
                let mut payload = settled(invocation, settlement);
                if let ToolOutcome::Done(result) = &settlement.outcome {
                    payload["result"] = serde_json::from_str(result).unwrap_or(Value::Null);
                }
                payload
            });
        },
    },
    Edit { id: "skill-text-in-step", edit: |parts| output_in_step(parts, "activate_skill") },
    Edit { id: "document-text-in-step", edit: |parts| output_in_step(parts, "read") },
    Edit {
        id: "failure-message-echoes-value",
        edit: |parts| {
            let finish = parts.operations.mechanism.finish.clone();
            parts.operations.mechanism.finish = Arc::new(move |call: &FinishCall<'_>| {
                finish(call).map_err(|why| format!("{why}\nThe value was {}", call.value))
            });
            let tool_step = parts.events.payloads.tool_step.clone();
            parts.events.payloads.tool_step = Arc::new(move |step| {
                let mut payload = tool_step(step);
                if step.tool.call.name == "finish" && step.tool.outcome.is_error() {
                    payload["message"] = json!(step.tool.outcome.content());
                }
                payload
            });
        },
    },
    Edit {
        id: "provider-words-in-model-event",
        edit: |parts| {
            let model_step = parts.events.payloads.model_step.clone();
            parts.events.payloads.model_step = Arc::new(move |step| {
                let mut payload = model_step(step);
                if let Err(why) = step.answer {
                    payload["summary"] = json!(format!("The scratch model invocation failed: {why}"));
                }
                payload
            });
        },
    },
    Edit { id: "task-in-pushed-events", edit: task_in_pushes },
    Edit { id: "caller-arguments-in-event", edit: arguments_in_requested_event },
    Edit { id: "reason-of-giving-up-shown", edit: reason_in_modal },
    Edit {
        id: "everything-redacted",
        edit: |parts| {
            let tool_step = parts.events.payloads.tool_step.clone();
            parts.events.payloads.tool_step = Arc::new(move |step| {
                let mut payload = tool_step(step);
                payload["summary"] = json!("[redacted]");
                payload
            });
        },
    },
];

/// A push says of every operation that has ended what its task was. The stream does not.
fn task_in_pushes(parts: &mut Parts) {
    let tasks = keep_of_calls(parts, |call, _| call.task.clone().into());
    parts.webhooks.order = Arc::new(move |events| {
        for payload in events.iter_mut().map(|event| &mut event["publicPayload"]) {
            let task = payload["toolCallId"].as_str().and_then(|call| get(&tasks, call));
            if let (Some(task), true) = (task, payload["durationMs"].is_number()) {
                payload["task"] = task;
            }
        }
    });
}

/// The event of a call says with which arguments it was made.
fn arguments_in_requested_event(parts: &mut Parts) {
    let last: Arc<Mutex<Value>> = Arc::default();
    let (judge, keeping) = (parts.tool_calls.input.clone(), last.clone());
    parts.tool_calls.input = Arc::new(move |schema, arguments| {
        keeping.lock().unwrap_or_else(PoisonError::into_inner).clone_from(arguments);
        judge(schema, arguments)
    });
    parts.events.taps.push(Arc::new(move |mut draft| {
        if draft.kind == "tool_call.requested" {
            draft.payload["arguments"] = last.lock().unwrap_or_else(PoisonError::into_inner).clone();
        }
        vec![draft]
    }));
}

/// The console says why an operation was given up.
fn reason_in_modal(parts: &mut Parts) {
    let payloads = keep_of_tool_steps(parts);
    each_step(parts, payloads, |step, payload| {
        if step["title"] == "give_up" {
            step["summary"] = payload["arguments"].clone();
        }
    });
}

/// The step of a tool carries what the tool gave back.
fn output_in_step(parts: &mut Parts, tool: &'static str) {
    let tool_step = parts.events.payloads.tool_step.clone();
    parts.events.payloads.tool_step = Arc::new(move |step| {
        let mut payload = tool_step(step);
        if step.tool.call.name == tool {
            payload["output"] = json!(step.tool.outcome.content());
        }
        payload
    });
}
