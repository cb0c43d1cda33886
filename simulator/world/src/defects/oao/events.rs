//! Wrong events.

use std::{
    collections::BTreeMap,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
};

use agent::ToolOutcome;
use oao::{
    Parts,
    events::{Draft, Ending, Row, Tap},
};
use serde_json::{Value, json};

use super::super::Edit;

const STARTED: &str = "harness.operation_started";
const STEP: &str = "harness.operation_step";

pub(super) const DEFECTS: &[Edit<Parts>] = &[
    Edit { id: "completed-before-started", edit: |parts| parts.events.taps.push(two_writers()) },
    Edit {
        id: "failure-has-no-event",
        edit: |parts| parts.events.taps.push(without(|draft| draft.kind == "harness.operation_failed")),
    },
    Edit { id: "timeout-reported-as-failed", edit: |parts| parts.operations.classify = one_kind_for_all },
    Edit {
        id: "tool-steps-missing",
        edit: |parts| parts.events.taps.push(without(|draft| draft.payload["stepKind"] == "tool")),
    },
    Edit {
        id: "failed-step-dropped",
        edit: |parts| {
            let failed = |draft: &Draft| draft.kind == STEP && draft.payload["status"] == "error";
            parts.events.taps.push(without(failed));
        },
    },
    Edit { id: "steps-crosswired", edit: |parts| parts.events.taps.push(owned_by_the_last()) },
    Edit {
        id: "owner-is-key",
        edit: |parts| {
            parts.events.taps.push(rewriting(|draft| {
                if draft.kind == STEP {
                    draft.payload["harnessToolCallId"] = draft.payload["operationKey"].clone();
                }
            }));
        },
    },
    Edit { id: "uncorrelated-events", edit: |parts| parts.events.taps.push(fresh_ids()) },
    Edit {
        id: "payload-extra-member",
        edit: |parts| {
            parts.events.taps.push(rewriting(|draft| {
                if draft.kind == STARTED {
                    draft.payload["attempt"] = json!(1);
                }
            }));
        },
    },
    Edit { id: "payload-sensitive-member", edit: |parts| parts.events.stream_row = with_a_session_token },
    Edit {
        id: "step-id-of-another-kind",
        edit: |parts| {
            parts.events.taps.push(rewriting(|draft| {
                let id = draft.payload["stepId"].as_str().and_then(|id| id.strip_prefix("tool:"));
                if let Some(turn) = id.map(|id| format!("turn:{id}")) {
                    draft.payload["stepId"] = json!(turn);
                }
            }));
        },
    },
    Edit {
        id: "duration-in-microseconds",
        edit: |parts| {
            let settled = parts.events.payloads.settled.clone();
            parts.events.payloads.settled = Arc::new(move |invocation, settlement| {
                let mut payload = settled(invocation, settlement);
                payload["durationMs"] = json!(u64::try_from(settlement.took.as_micros()).unwrap_or(u64::MAX));
                payload
            });
        },
    },
    Edit {
        id: "correlation-one-ahead",
        edit: |parts| {
            let correlation = parts.events.payloads.correlation.clone();
            parts.events.payloads.correlation = Arc::new(move |step| {
                let mut members = correlation(step);
                members.insert("harnessStepIndex".to_owned(), json!(step.step_index + 1));
                members
            });
        },
    },
    Edit {
        id: "model-summary-in-own-words",
        edit: |parts| {
            let summary = parts.events.summaries.model.clone();
            parts.events.summaries.model = Arc::new(move |answer| match answer {
                Ok(answer) if answer.calls.len() > 1 => "Requested several tools.".to_owned(),
                answer => summary(answer),
            });
        },
    },
    Edit {
        id: "tool-summary-uncut",
        edit: |parts| {
            let summary = parts.events.summaries.tool.clone();
            parts.events.summaries.tool = Arc::new(move |tool| {
                let path = tool.arguments.as_ref().and_then(|arguments| arguments["path"].as_str());
                match path.filter(|_| tool.call.name != "finish") {
                    Some(path) => format!("{} \u{b7} {path}", tool.call.name),
                    None => summary(tool),
                }
            });
        },
    },
    Edit { id: "steps-renumbered-after-a-reminder", edit: |parts| parts.events.taps.push(numbered_anew()) },
];

/// Leaves out the events that `unwanted` says.
fn without(unwanted: fn(&Draft) -> bool) -> Tap {
    Arc::new(move |draft| if unwanted(&draft) { Vec::new() } else { vec![draft] })
}

/// Changes every event by `edit`.
fn rewriting(edit: fn(&mut Draft)) -> Tap {
    Arc::new(move |mut draft| {
        edit(&mut draft);
        vec![draft]
    })
}

/// The writer of started events comes second where an operation completes.
fn two_writers() -> Tap {
    let late: Mutex<BTreeMap<String, Draft>> = Mutex::default();
    Arc::new(move |draft| {
        let mut late = late.lock().unwrap_or_else(PoisonError::into_inner);
        let call = draft.payload["toolCallId"].as_str().unwrap_or_default();
        let call = format!("{} {call}", draft.aggregate_id);
        if draft.kind == STARTED {
            late.insert(call, draft);
            return Vec::new();
        }
        match late.remove(&call).filter(|_| draft.kind.starts_with("harness.")) {
            Some(started) if draft.kind == "harness.operation_completed" => vec![draft, started],
            Some(started) => vec![started, draft],
            None => vec![draft],
        }
    })
}

fn one_kind_for_all(outcome: &ToolOutcome) -> Ending {
    if outcome.is_error() { Ending::Failed } else { Ending::Completed }
}

/// Steps belong to whatever operation of the run has started last.
fn owned_by_the_last() -> Tap {
    let last: Mutex<BTreeMap<String, Value>> = Mutex::default();
    Arc::new(move |mut draft| {
        let mut last = last.lock().unwrap_or_else(PoisonError::into_inner);
        if draft.kind == STARTED {
            last.insert(draft.aggregate_id.clone(), draft.payload["toolCallId"].clone());
        } else if let Some(call) = last.get(&draft.aggregate_id).filter(|_| draft.kind == STEP) {
            draft.payload["harnessToolCallId"] = call.clone();
        }
        vec![draft]
    })
}

/// Every event of an operation has a call id of its own.
fn fresh_ids() -> Tap {
    let count = AtomicU64::new(0);
    Arc::new(move |mut draft| {
        if draft.kind.starts_with("harness.") {
            let fresh = json!(format!("event-{}", count.fetch_add(1, Ordering::Relaxed)));
            let name = if draft.kind == STEP { "harnessToolCallId" } else { "toolCallId" };
            draft.payload[name] = fresh;
        }
        vec![draft]
    })
}

fn with_a_session_token(row: &Row) -> Value {
    let mut json = row.to_stream_json();
    if row.event.kind == "model.invocation_completed" {
        json["publicPayload"]["caller"] = json!([{"sessionToken": "none"}]);
    }
    json
}

/// A loop that was reminded to return its result begins to count its steps anew.
fn numbered_anew() -> Tap {
    let offsets: Mutex<BTreeMap<String, (u64, u64)>> = Mutex::default();
    Arc::new(move |mut draft| {
        let Some(index) = draft.payload["stepIndex"].as_u64().filter(|_| draft.kind == STEP) else {
            return vec![draft];
        };
        let call = draft.payload["harnessToolCallId"].as_str().unwrap_or_default();
        let owner = format!("{} {call}", draft.aggregate_id);
        let mut offsets = offsets.lock().unwrap_or_else(PoisonError::into_inner);
        let (offset, next) = offsets.entry(owner).or_default();
        let was_reminded = draft.payload["stepKind"] == "model" && index == *next && *next > 0;
        if was_reminded {
            *offset = index;
        }
        let is_prose =
            draft.payload["summary"].as_str().is_some_and(|text| text.contains("without requesting"));
        if is_prose {
            *next = index + 1;
        }
        draft.payload["stepIndex"] = json!(index.saturating_sub(*offset));
        vec![draft]
    })
}
