//! Wrong ways to end an invocation.

use std::{
    collections::BTreeMap,
    future::pending,
    sync::{Arc, Mutex, PoisonError},
};

use agent::{Cancel, Reason, ToolOutcome};
use futures_util::{FutureExt, future::BoxFuture};
use oao::{
    Parts,
    events::{Draft, Tap},
};
use serde_json::json;

use super::super::Edit;

pub(super) const DEFECTS: &[Edit<Parts>] = &[
    Edit { id: "double-terminal", edit: |parts| parts.events.taps.push(Arc::new(failed_after_timeout)) },
    Edit {
        // The work goes on by itself; only its caller is told that the time is over.
        id: "zombie-loop",
        edit: |parts| {
            parts.operations.timer = Arc::new(|clock, limit, body| {
                let work = tokio::spawn(body);
                let told = async move { clock.within(limit, work).await };
                told.map(|ended| ended.and_then(Result::ok).unwrap_or_else(ToolOutcome::aborted)).boxed()
            });
        },
    },
    Edit { id: "op-outlives-run", edit: |parts| only_for(parts, Reason::Requested) },
    Edit {
        id: "timeout-ignored",
        edit: |parts| {
            parts.operations.timer = Arc::new(|clock, limit, body| {
                let began = clock.elapsed();
                let late = move |outcome| {
                    let is_late = clock.elapsed().saturating_sub(began) > limit;
                    if is_late { ToolOutcome::aborted() } else { outcome }
                };
                body.map(late).boxed()
            });
        },
    },
    Edit { id: "cancel-not-propagated", edit: |parts| only_for(parts, Reason::Deadline) },
    Edit { id: "cancel-rewrites-history", edit: |parts| parts.events.taps.push(rewriting_history()) },
];

fn failed_after_timeout(draft: Draft) -> Vec<Draft> {
    let ms = |name: &str| draft.payload[name].as_u64().unwrap_or_default();
    if draft.kind != "harness.operation_cancelled" || ms("durationMs") < ms("timeoutMs") {
        return vec![draft];
    }
    let failed = Draft { id: None, kind: "harness.operation_failed".to_owned(), ..draft.clone() };
    vec![draft, failed]
}

/// Operations are called off for one reason only; for the other one the run waits until they have ended.
fn only_for(parts: &mut Parts, reason: Reason) {
    parts.operations.tie = Arc::new(|_, _| Cancel::default());
    parts.runs.habits.abort = Arc::new(move |cancel, call| aborted_for(reason, cancel, call).boxed());
}

async fn aborted_for(reason: Reason, cancel: Cancel, call: BoxFuture<'static, ToolOutcome>) -> ToolOutcome {
    let called_off = async {
        if cancel.cancelled().await != reason {
            pending::<()>().await;
        }
    };
    tokio::select! {
        biased;
        () = called_off => ToolOutcome::aborted(),
        outcome = call => outcome,
    }
}

/// When a run is cancelled, everything that had ended in it is told again, as cancelled.
fn rewriting_history() -> Tap {
    let ended: Mutex<BTreeMap<String, Vec<Draft>>> = Mutex::default();
    Arc::new(move |draft| {
        let mut ended = ended.lock().unwrap_or_else(PoisonError::into_inner);
        let of_run = ended.entry(draft.aggregate_id.clone()).or_default();
        if ["harness.operation_completed", "harness.operation_failed"].contains(&draft.kind.as_str()) {
            of_run.push(draft.clone());
        }
        let mut drafts = Vec::new();
        if draft.kind == "run.state_changed" && draft.payload["state"] == "cancelled" {
            drafts.append(of_run);
        }
        for again in &mut drafts {
            again.id = None;
            again.kind = "harness.operation_cancelled".to_owned();
            again.payload["resultValidated"] = json!(false);
        }
        drafts.push(draft);
        drafts
    })
}
