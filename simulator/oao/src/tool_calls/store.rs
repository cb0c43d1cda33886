//! Tool calls, as they are kept.

use std::{collections::BTreeMap, sync::Arc, time::Duration};

use serde_json::{Value, json};
use tokio::sync::watch;

use super::{Envelope, ToolCallParts};
use crate::http::paging::Position;

/// How far a call has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[expect(missing_docs, reason = "the names are the stages of the contract")]
pub enum Stage {
    CallerPending,
    CallerClaimed,
    PlatformReady,
    PlatformExecuting,
    ResultSubmitted,
    ResultCommitted,
    ApprovalDenied,
    ApprovalExpired,
    Cancelled,
    Expired,
    Failed,
}

impl Stage {
    /// The stage on the wire.
    pub fn name(self) -> &'static str {
        match self {
            Self::CallerPending => "caller_pending",
            Self::CallerClaimed => "caller_claimed",
            Self::PlatformReady => "platform_ready",
            Self::PlatformExecuting => "platform_executing",
            Self::ResultSubmitted => "result_submitted",
            Self::ResultCommitted => "result_committed",
            Self::ApprovalDenied => "approval_denied",
            Self::ApprovalExpired => "approval_expired",
            Self::Cancelled => "cancelled",
            Self::Expired => "expired",
            Self::Failed => "failed",
        }
    }

    /// Whether a result is still to come.
    pub fn is_open(self) -> bool {
        matches!(
            self,
            Self::CallerPending | Self::CallerClaimed | Self::PlatformReady | Self::PlatformExecuting
        )
    }
}

/// One call.
#[derive(Clone, Debug)]
pub(crate) struct ToolCall {
    pub(crate) id: String,
    pub(crate) organization_id: String,
    pub(crate) project_id: String,
    pub(crate) run_id: String,
    pub(crate) name: String,
    pub(crate) owner: String,
    pub(crate) stage: Stage,
    /// Whether an approval is still to come.
    pub(crate) gated: bool,
    pub(crate) arguments: Value,
    pub(crate) output_schema: Value,
    pub(crate) fence: u64,
    /// Until when the claim holds, and the same for people.
    pub(crate) lease: Option<(Duration, String)>,
    /// The result as it was handed in, and the fence that it came with.
    pub(crate) handed_in: Option<(Value, String)>,
    /// The result as it is kept.
    pub(crate) result: Option<Envelope>,
    pub(crate) created_at: String,
    pub(crate) updated_at: String,
    pub(crate) position: Position,
    /// Rings whenever something changes.
    pub(crate) bell: Arc<watch::Sender<u64>>,
}

impl ToolCall {
    /// The call on the wire.
    pub(crate) fn to_json(&self) -> Value {
        json!({
            "id": self.id,
            "runId": self.run_id,
            "toolName": self.name,
            "owner": self.owner,
            "stage": self.stage.name(),
            "safeArguments": self.arguments,
            "claimFence": self.fence.to_string(),
            "leaseExpiresAt": self.lease.as_ref().map(|(_, at)| at),
            "createdAt": self.created_at,
            "updatedAt": self.updated_at,
        })
    }

    /// Takes a claim back whose lease is over.
    pub(crate) fn lapse(&mut self, parts: &ToolCallParts, now: Duration) {
        let over = self.lease.as_ref().is_some_and(|(until, _)| (parts.lapsed)(now, *until));
        if self.stage == Stage::CallerClaimed && over {
            self.stage = Stage::CallerPending;
            self.lease = None;
        }
    }

    /// Moves on.
    pub(crate) fn enter(&mut self, stage: Stage, now: String) {
        self.stage = stage;
        self.updated_at = now;
        if stage != Stage::CallerClaimed {
            self.lease = None;
        }
        self.bell.send_modify(|rings| *rings += 1);
    }

    /// Whether a caller has work to do here.
    pub(crate) fn is_for_a_caller(&self) -> bool {
        self.owner == "caller" && self.stage.is_open() && !self.gated
    }
}

/// All calls.
#[derive(Debug, Default)]
pub(crate) struct ToolCalls {
    calls: BTreeMap<String, ToolCall>,
    /// Attempts that failed and may be repeated, by run and tool.
    failures: BTreeMap<(String, String), u64>,
}

impl ToolCalls {
    pub(crate) fn insert(&mut self, call: ToolCall) {
        self.calls.insert(call.id.clone(), call);
    }

    pub(crate) fn get(&self, id: &str) -> Option<&ToolCall> {
        self.calls.get(id)
    }

    pub(crate) fn get_mut(&mut self, id: &str) -> Option<&mut ToolCall> {
        self.calls.get_mut(id)
    }

    /// The call of a project, with claims that are over taken back.
    pub(crate) fn current(
        &mut self,
        project: &str,
        id: &str,
        parts: &ToolCallParts,
        now: Duration,
    ) -> Option<&mut ToolCall> {
        let call = self.calls.get_mut(id).filter(|call| call.project_id == project)?;
        call.lapse(parts, now);
        Some(call)
    }

    pub(crate) fn all(&self, project: &str) -> impl Iterator<Item = &ToolCall> {
        self.calls.values().filter(move |call| call.project_id == project)
    }

    pub(crate) fn of_run_mut(&mut self, run_id: &str) -> impl Iterator<Item = &mut ToolCall> {
        self.calls.values_mut().filter(move |call| call.run_id == run_id)
    }

    pub(crate) fn failures(&self, run_id: &str, name: &str) -> u64 {
        self.failures.get(&(run_id.to_owned(), name.to_owned())).copied().unwrap_or_default()
    }

    pub(crate) fn count_failure(&mut self, run_id: &str, name: &str) {
        *self.failures.entry((run_id.to_owned(), name.to_owned())).or_default() += 1;
    }
}
