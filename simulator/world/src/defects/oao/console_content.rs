//! Consoles that show what is private. Nothing private reaches an event: each of these keeps it on the side and
//! puts it into the view.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, PoisonError},
};

use agent::ToolOutcome;
use futures_util::FutureExt;
use oao::{Parts, events::Invocation};
use serde_json::{Value, json};

use super::{super::Edit, console::list};

pub(super) const DEFECTS: &[Edit<Parts>] = &[
    Edit {
        id: "char-count-of-json",
        edit: |parts| {
            let counts = keep_of_calls(parts, |call, _| {
                json!({"task": call.task}).to_string().encode_utf16().count().into()
            });
            each_modal(parts, counts, |modal, count| modal["taskCharacters"] = count.clone());
        },
    },
    Edit {
        id: "task-text-in-modal",
        edit: |parts| {
            let tasks = keep_of_calls(parts, |call, _| call.task.clone().into());
            each_modal(parts, tasks, |modal, task| {
                modal["details"] = json!({"collapsed": true, "task": task})
            });
        },
    },
    Edit {
        id: "result-in-modal",
        edit: |parts| {
            let results = keep_of_calls(parts, |_, outcome| match outcome {
                ToolOutcome::Done(result) => json!(result),
                _ => Value::Null,
            });
            each_modal(parts, results, |modal, result| modal["preview"] = result.clone());
        },
    },
    Edit {
        id: "payload-in-modal",
        edit: |parts| {
            let payloads = keep_of_tool_steps(parts);
            each_step(parts, payloads, |step, payload| {
                if step["title"] != "finish" {
                    step["payload"] = payload.clone();
                }
            });
        },
    },
    Edit {
        id: "tokens-from-text-length",
        edit: |parts| {
            let said = keep_of_model_steps(parts);
            each_step(parts, said, |step, said| {
                step["outputTokens"] = json!(said["text"].as_str().unwrap_or_default().len().div_ceil(4));
            });
        },
    },
    Edit {
        id: "summary-quotes-model",
        edit: |parts| {
            let said = keep_of_model_steps(parts);
            each_step(parts, said, |step, said| {
                if let Some(line) = said["text"].as_str().and_then(|text| text.lines().next()) {
                    step["summary"] = json!(line);
                }
            });
        },
    },
    Edit {
        id: "finish-shows-value",
        edit: |parts| {
            let said = keep_of_model_steps(parts);
            each_step(parts, said, |step, said| {
                if !said["finish"].is_null() {
                    step["summary"] = said["finish"].clone();
                }
            });
        },
    },
    Edit {
        id: "skill-in-modal",
        edit: |parts| {
            let payloads = keep_of_tool_steps(parts);
            each_step(parts, payloads, |step, payload| {
                if step["title"] == "activate_skill" || step["title"] == "read_skill_resource" {
                    step["output"] = payload["output"].clone();
                }
            });
        },
    },
    Edit {
        id: "summary-leaks-reasoning",
        edit: |parts| {
            let said = keep_of_model_steps(parts);
            each_step(parts, said, |step, said| {
                if let Some(text) = said["text"].as_str() {
                    let summary = step["summary"].as_str().unwrap_or_default();
                    step["summary"] = json!(format!("{summary} {text}"));
                }
            });
        },
    },
    Edit {
        id: "tool-row-without-path",
        edit: |parts| {
            let payloads = keep_of_tool_steps(parts);
            each_step(parts, payloads, |step, _| step["summary"] = json!("A tool was used."));
        },
    },
    Edit {
        id: "tool-row-shows-args",
        edit: |parts| {
            let payloads = keep_of_tool_steps(parts);
            each_step(parts, payloads, |step, payload| {
                let arguments = payload["arguments"].as_str().unwrap_or_default();
                if !arguments.contains("\"path\"") && step["title"] != "finish" {
                    step["summary"] = json!(arguments);
                }
            });
        },
    },
];

/// Private things by the id of their call, or of their call and step.
pub(super) type Kept = Arc<Mutex<BTreeMap<String, Value>>>;

fn put(kept: &Kept, id: String, value: Value) {
    kept.lock().unwrap_or_else(PoisonError::into_inner).insert(id, value);
}

pub(super) fn get(kept: &Kept, id: &str) -> Option<Value> {
    kept.lock().unwrap_or_else(PoisonError::into_inner).get(id).cloned()
}

/// Keeps something of every call that ends.
pub(super) fn keep_of_calls(parts: &mut Parts, what: fn(&Invocation, &ToolOutcome) -> Value) -> Kept {
    let kept = Kept::default();
    let keeping = kept.clone();
    parts.operations.around.push(Arc::new(move |_, call, body| {
        let keeping = keeping.clone();
        async move {
            let outcome = body.await;
            put(&keeping, call.tool_call_id.clone(), what(&call, &outcome));
            outcome
        }
        .boxed()
    }));
    kept
}

fn step_key(call: &str, step: &str) -> String {
    format!("{call}/{step}")
}

/// Keeps arguments and output of every tool step.
pub(super) fn keep_of_tool_steps(parts: &mut Parts) -> Kept {
    let kept = Kept::default();
    let (keeping, payload) = (kept.clone(), parts.events.payloads.tool_step.clone());
    parts.events.payloads.tool_step = Arc::new(move |step| {
        let output = match &step.tool.outcome {
            ToolOutcome::Done(text) => text.clone(),
            other => format!("{other:?}"),
        };
        let seen = json!({"arguments": step.tool.call.arguments, "output": output});
        put(&keeping, step_key(&step.invocation.tool_call_id, step.step_id), seen);
        payload(step)
    });
    kept
}

/// Keeps what the model said at every model step: its text, and what it handed in.
fn keep_of_model_steps(parts: &mut Parts) -> Kept {
    let kept = Kept::default();
    let (keeping, payload) = (kept.clone(), parts.events.payloads.model_step.clone());
    parts.events.payloads.model_step = Arc::new(move |step| {
        if let Ok(answer) = step.answer {
            let finish = answer.calls.iter().find(|call| call.name == "finish");
            let text = Some(&answer.text).filter(|text| !text.is_empty());
            let seen = json!({"text": text, "finish": finish.map(|call| &call.arguments)});
            put(&keeping, step_key(&step.invocation.tool_call_id, step.step_id), seen);
        }
        payload(step)
    });
    kept
}

fn each_modal(parts: &mut Parts, kept: Kept, change: fn(&mut Value, &Value)) {
    parts.observer.dress.push(Arc::new(move |_, view| {
        for modal in list(view, "modals") {
            if let Some(value) = modal["toolCallId"].as_str().and_then(|call| get(&kept, call)) {
                change(modal, &value);
            }
        }
    }));
}

pub(super) fn each_step(parts: &mut Parts, kept: Kept, change: fn(&mut Value, &Value)) {
    parts.observer.dress.push(Arc::new(move |_, view| {
        for modal in list(view, "modals") {
            let call = modal["toolCallId"].as_str().unwrap_or_default().to_owned();
            for step in list(modal, "steps") {
                let id = step_key(&call, step["id"].as_str().unwrap_or_default());
                if let Some(value) = get(&kept, &id) {
                    change(step, &value);
                }
            }
        }
    }));
}
