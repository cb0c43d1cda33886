//! Wrong ways to call a caller's tool.

use std::{sync::Arc, time::Duration};

use agent::ToolOutcome;
use futures_util::FutureExt;
use oao::{
    Parts,
    http::{Act, Prepare, Reply},
    runs::RunState,
    tool_calls::Stage,
};
use serde_json::json;

use super::{super::Edit, run_states::set_prepare};

pub(super) const DEFECTS: &[Edit<Parts>] = &[
    Edit { id: "caller-result-lost", edit: |parts| parts.tool_calls.hand_back = |_| "{}".to_owned() },
    Edit {
        id: "run-stays-running-while-tool-waits",
        edit: |parts| parts.runs.waiting = |_| RunState::Running,
    },
    Edit { id: "inner-call-on-a-run-of-its-own", edit: name_another_run },
    Edit {
        id: "tool-call-event-shows-the-result",
        edit: |parts| {
            parts.events.taps.push(Arc::new(|mut draft| {
                if draft.kind == "tool_call.result_submitted" {
                    draft.payload["value"] = json!({"total": 120_755});
                }
                vec![draft]
            }));
        },
    },
    Edit { id: "stale-fence-accepted", edit: |parts| parts.tool_calls.fence_holds = |_, _| true },
    Edit { id: "second-result-ignored", edit: |parts| parts.tool_calls.same_result = |_, _| true },
    Edit {
        id: "claimed-by-two",
        edit: |parts| {
            parts.tool_calls.claimable = |stage| matches!(stage, Stage::CallerPending | Stage::CallerClaimed);
        },
    },
    Edit { id: "lease-never-ends", edit: |parts| parts.tool_calls.lapsed = |_, _| false },
    Edit { id: "release-keeps-the-claim", edit: |parts| does_nothing(parts, "release") },
    Edit { id: "renewal-does-nothing", edit: |parts| does_nothing(parts, "renew") },
    Edit {
        id: "broken-result-accepted",
        edit: |parts| parts.tool_calls.output = Arc::new(|_, value| Ok(value.clone())),
    },
    Edit { id: "open-call-outlives-run", edit: |parts| parts.tool_calls.abandoned = |stage| stage },
    Edit { id: "retries-without-end", edit: |parts| parts.tool_calls.limits.attempts_max = u64::MAX },
    Edit { id: "bound-tool-leaves-no-call", edit: |parts| parts.mcp.brokered = |_, tool| tool },
    Edit { id: "timer-stops-while-tool-waits", edit: stop_the_timer },
];

/// The list names a run that it takes from the call.
fn name_another_run(parts: &mut Parts) {
    parts.front.rewrites.push(Arc::new(|call, reply| {
        let is_list = call.method == "GET" && call.path.ends_with("/tool-calls");
        let rows = reply.json_mut().filter(|_| is_list).and_then(|body| body["data"].as_array_mut());
        for row in rows.into_iter().flatten() {
            row["runId"] = row["id"].clone();
        }
    }));
}

/// The route says yes and does nothing.
fn does_nothing(parts: &mut Parts, action: &str) {
    let prepare: Prepare = Arc::new(|_, call| {
        let fence = call.body.get("fence").cloned().unwrap_or_default();
        let act: Act = Box::new(move |_, _| Ok(Reply::json(200, json!({"fence": fence}))));
        Ok(act)
    });
    set_prepare(parts, "POST", &format!("/v1/projects/{{p}}/tool-calls/{{t}}/{action}"), &prepare);
}

/// The timer of an operation stands still while the run waits for anything.
fn stop_the_timer(parts: &mut Parts) {
    parts.operations.timer = Arc::new(|_, _, body| body);
    parts.operations.around.push(Arc::new(|run, invocation, body| {
        async move {
            let limit = Duration::from_millis(invocation.operation.timeout_ms);
            let over = run.waits.run_out(run.service.clock(), limit, |open| !open.is_empty());
            tokio::select! {
                biased;
                outcome = body => outcome,
                () = over => ToolOutcome::failed("AbortError", "the operation was aborted at its timeout"),
            }
        }
        .boxed()
    }));
}
