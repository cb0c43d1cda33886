//! Wrong ways to run large batches, batches inside a loop, and turns one after the other.

use std::{
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    time::Duration,
};

use agent::{CallContext, Message, Tool, ToolOutcome, habits::Settled};
use futures_util::{
    FutureExt, StreamExt,
    future::{BoxFuture, join, join_all},
    stream,
};
use oao::Parts;
use serde_json::{Value, json};
use wire::Clock;

use super::super::Edit;

pub(super) const DEFECTS: &[Edit<Parts>] = &[
    Edit { id: "speculative-start", edit: start_ahead },
    Edit { id: "shared-inner-queue", edit: share_a_queue },
    Edit {
        id: "batch-capped",
        edit: |parts| {
            parts.runs.habits.batch =
                Arc::new(|calls| stream::iter(calls).buffered(4).collect::<Vec<_>>().boxed());
        },
    },
    Edit {
        id: "first-call-runs-alone",
        edit: |parts| {
            parts.runs.habits.batch = Arc::new(|mut calls| {
                let rest = calls.split_off(calls.len().min(1));
                async move {
                    let mut settled = join_all(calls).await;
                    settled.extend(join_all(rest).await);
                    settled
                }
                .boxed()
            });
        },
    },
    Edit {
        id: "failure-fails-later-calls",
        edit: |parts| {
            parts.runs.habits.batch = Arc::new(|calls| join_all(calls).map(fail_after_the_first).boxed());
        },
    },
    Edit {
        id: "tool-beside-operation-skipped",
        edit: |parts| {
            let hand_back = parts.runs.habits.hand_back.clone();
            parts.runs.habits.hand_back = Arc::new(move |calls, settled| {
                let skipped = |call: &str| {
                    calls.iter().any(|each| each.name != "read")
                        && calls.iter().any(|each| each.name == "read" && each.id == call)
                };
                let mut messages = hand_back(calls, settled);
                for message in &mut messages {
                    if let Message::Tool { call_id, content, .. } = message
                        && skipped(call_id)
                    {
                        *content = "skipped: an operation is at work".to_owned();
                    }
                }
                messages
            });
        },
    },
    Edit {
        id: "inner-batch-runs-one",
        edit: |parts| {
            parts.operations.habits.batch = Arc::new(|calls| {
                let count = calls.len();
                let skipped = || Settled {
                    outcome: ToolOutcome::failed("Skipped", "one tool at a time"),
                    took: Duration::ZERO,
                };
                async move {
                    let mut settled = join_all(calls.into_iter().take(1)).await;
                    settled.resize_with(count, skipped);
                    settled
                }
                .boxed()
            });
        },
    },
];

fn fail_after_the_first(mut settled: Vec<Settled>) -> Vec<Settled> {
    let gave_up = |each: &Settled| matches!(&each.outcome, ToolOutcome::Failed { kind, .. } if kind == "ResultUnavailableError");
    if let Some(first) = settled.iter().position(gave_up) {
        for later in &mut settled[first + 1..] {
            later.outcome = ToolOutcome::failed("operation_failed", "a call before this one failed");
        }
    }
    settled
}

/// When an operation is called alone, the next one is started along with it, to be ready.
fn start_ahead(parts: &mut Parts) {
    let is_alone = Arc::new(AtomicBool::new(false));
    let (batch, alone) = (parts.runs.habits.batch.clone(), is_alone.clone());
    parts.runs.habits.batch = Arc::new(move |calls| {
        alone.store(calls.len() == 1, Ordering::Relaxed);
        batch(calls)
    });
    let tools = parts.mounting.operation_tools.clone();
    parts.mounting.operation_tools = Arc::new(move |run, operations| {
        let plain = tools(run, operations);
        let mut eager: Vec<Arc<dyn Tool>> = plain.clone();
        if let [first, second, ..] = plain.as_slice() {
            let (tool, next, is_alone) = (first.clone(), second.clone(), is_alone.clone());
            eager[0] = Arc::new(Eager { tool, next, is_alone });
        }
        eager
    });
}

struct Eager {
    tool: Arc<dyn Tool>,
    next: Arc<dyn Tool>,
    is_alone: Arc<AtomicBool>,
}

impl Tool for Eager {
    fn name(&self) -> &str {
        self.tool.name()
    }

    fn description(&self) -> &str {
        self.tool.description()
    }

    fn parameters(&self) -> Value {
        self.tool.parameters()
    }

    fn call(&self, context: CallContext, arguments: Value) -> BoxFuture<'static, ToolOutcome> {
        let ahead =
            CallContext { tool_call_id: format!("{}-ahead", context.tool_call_id), ..context.clone() };
        let asked = self.tool.call(context, arguments);
        if !self.is_alone.load(Ordering::Relaxed) {
            return asked;
        }
        let speculative = self.next.call(ahead, json!({"task": "Be ready for what comes next."}));
        join(asked, speculative).map(|(outcome, _)| outcome).boxed()
    }
}

/// How long the one worker needs for the tools of a turn.
const WORK: Duration = Duration::from_millis(20);

/// One worker serves the tools of all loops. Where two of them wait for it together, the second gets what was
/// meant for the first.
fn share_a_queue(parts: &mut Parts) {
    let waiting = Arc::new(AtomicUsize::new(0));
    let met = Arc::new(AtomicBool::new(false));
    let pocket: Arc<Mutex<Option<Vec<Message>>>> = Arc::default();
    let (batch, crowd) = (parts.operations.habits.batch.clone(), met.clone());
    parts.operations.habits.batch = Arc::new(move |calls| {
        let (work, waiting, crowd) = (batch(calls), waiting.clone(), crowd.clone());
        async move {
            waiting.fetch_add(1, Ordering::Relaxed);
            let settled = work.await;
            Clock::virtual_time().pause(WORK).await;
            let together = waiting.fetch_sub(1, Ordering::Relaxed) > 1;
            crowd.fetch_or(together, Ordering::Relaxed);
            settled
        }
        .boxed()
    });
    let hand_back = parts.operations.habits.hand_back.clone();
    parts.operations.habits.hand_back = Arc::new(move |calls, settled| {
        let own = hand_back(calls, settled);
        if !met.load(Ordering::Relaxed) {
            return own;
        }
        let mut pocket = pocket.lock().unwrap_or_else(PoisonError::into_inner);
        match pocket.take() {
            Some(others) => {
                met.store(false, Ordering::Relaxed);
                others
            }
            None => {
                *pocket = Some(own.clone());
                own
            }
        }
    });
}
