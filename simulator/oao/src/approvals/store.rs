//! Approvals, as they are kept.

use std::{collections::BTreeMap, sync::Arc, time::Duration};

use serde_json::{Value, json};
use tokio::sync::watch;

use crate::http::paging::Position;

/// How an approval stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names are the statuses of the contract")]
pub enum Decision {
    Pending,
    Approved,
    Denied,
    Expired,
}

impl Decision {
    /// The status on the wire.
    pub fn name(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::Approved => "approved",
            Self::Denied => "denied",
            Self::Expired => "expired",
        }
    }
}

/// One approval.
#[derive(Clone, Debug)]
pub(crate) struct Approval {
    pub(crate) id: String,
    pub(crate) organization_id: String,
    pub(crate) project_id: String,
    pub(crate) run_id: String,
    pub(crate) tool_call_id: String,
    pub(crate) status: Decision,
    pub(crate) summary: String,
    pub(crate) expires: Duration,
    pub(crate) expires_at: String,
    pub(crate) resolved_by: Option<String>,
    pub(crate) resolved_at: Option<String>,
    pub(crate) created_at: String,
    pub(crate) position: Position,
    /// Rings whenever something changes.
    pub(crate) bell: Arc<watch::Sender<u64>>,
}

impl Approval {
    /// The approval on the wire.
    pub(crate) fn to_json(&self) -> Value {
        json!({
            "id": self.id,
            "runId": self.run_id,
            "toolCallId": self.tool_call_id,
            "status": self.status.name(),
            "summary": self.summary,
            "expiresAt": self.expires_at,
            "resolvedByPrincipalId": self.resolved_by,
            "resolvedAt": self.resolved_at,
            "createdAt": self.created_at,
        })
    }

    pub(crate) fn is_pending(&self) -> bool {
        self.status == Decision::Pending
    }

    /// Notes the decision.
    pub(super) fn resolve(&mut self, status: Decision, by: Option<&str>, now: &str) {
        self.status = status;
        self.resolved_by = by.map(str::to_owned);
        self.resolved_at = Some(now.to_owned());
        self.bell.send_modify(|rings| *rings += 1);
    }
}

/// All approvals.
#[derive(Debug, Default)]
pub(crate) struct Approvals(BTreeMap<String, Approval>);

impl Approvals {
    pub(super) fn insert(&mut self, approval: Approval) {
        self.0.insert(approval.id.clone(), approval);
    }

    pub(super) fn get_mut(&mut self, id: &str) -> Option<&mut Approval> {
        self.0.get_mut(id)
    }

    pub(crate) fn all(&self, project: &str) -> impl Iterator<Item = &Approval> {
        self.0.values().filter(move |approval| approval.project_id == project)
    }

    pub(super) fn of_call_mut(&mut self, tool_call_id: &str) -> Option<&mut Approval> {
        self.0.values_mut().find(|approval| approval.tool_call_id == tool_call_id)
    }
}
