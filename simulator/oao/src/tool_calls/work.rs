//! What waits for somebody outside, and what did.

use serde_json::{Value, json};

use crate::{Service, http::paging::Position, service::State};

/// Tool calls and approvals of some runs, on the wire.
pub(crate) struct Work {
    pub(crate) pending: Vec<Value>,
    pub(crate) tool_calls: Vec<Value>,
    pub(crate) approvals: Vec<Value>,
}

impl Work {
    /// The work of the runs that `wanted` says yes to, oldest first.
    pub(crate) fn of(service: &Service, state: &State, project: &str, wanted: impl Fn(&str) -> bool) -> Self {
        let (parts, now) = (&service.parts().tool_calls, service.clock().elapsed());
        let mut calls: Vec<_> =
            state.tool_calls.all(project).filter(|call| wanted(&call.run_id)).cloned().collect();
        calls.iter_mut().for_each(|call| call.lapse(parts, now));
        calls.sort_by_key(|call| call.position);
        let mut approvals: Vec<_> = state.approvals.all(project).filter(|one| wanted(&one.run_id)).collect();
        approvals.sort_by_key(|approval| approval.position);
        let of_kind = |kind: &str, mut row: Value| {
            row["kind"] = json!(kind);
            row
        };
        let for_callers = calls.iter().filter(|call| call.is_for_a_caller());
        let undecided = approvals.iter().filter(|approval| approval.is_pending());
        Self {
            pending: for_callers
                .map(|call| of_kind("tool", call.to_json()))
                .chain(undecided.map(|approval| of_kind("approval", approval.to_json())))
                .collect(),
            tool_calls: calls.iter().map(|call| call.to_json()).collect(),
            approvals: approvals.iter().map(|approval| approval.to_json()).collect(),
        }
    }
}

/// The tool calls of a project, for a list.
pub(super) fn rows(
    service: &Service,
    state: &State,
    project: &str,
    run: Option<&str>,
) -> Vec<(Position, Value)> {
    let (parts, now) = (&service.parts().tool_calls, service.clock().elapsed());
    let calls = state.tool_calls.all(project).filter(|call| run.is_none_or(|run| run == call.run_id));
    calls
        .cloned()
        .map(|mut call| {
            call.lapse(parts, now);
            (call.position, call.to_json())
        })
        .collect()
}
