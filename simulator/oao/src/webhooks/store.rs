//! Webhooks, as they are kept.

use std::{collections::BTreeMap, sync::Arc, time::Duration};

use serde_json::{Value, json};
use tokio::sync::watch;

use super::{Endpoint, signature::fingerprint};
use crate::{events::cursor_of, http::paging::Position};

/// A batch that is on its way.
#[derive(Clone, Debug)]
pub(super) struct Batch {
    pub(super) id: String,
    pub(super) through: u64,
    pub(super) body: String,
}

/// One webhook.
#[derive(Clone, Debug)]
pub(crate) struct Webhook {
    pub(super) id: String,
    pub(super) organization_id: String,
    pub(super) project_id: String,
    pub(super) name: String,
    pub(super) endpoint: Endpoint,
    pub(super) key: Vec<u8>,
    pub(super) key_version: u64,
    /// Empty: every kind.
    pub(super) kinds: Vec<String>,
    pub(super) with_content: bool,
    /// Why nothing is sent: `user` or `endpoint_gone`.
    pub(super) disabled: Option<&'static str>,
    pub(super) delivered: u64,
    pub(super) batch: Option<Batch>,
    pub(super) failures: u32,
    pub(super) retry_at: Option<(Duration, String)>,
    pub(super) last: Last,
    pub(super) created_at: String,
    pub(super) updated_at: String,
    pub(super) position: Position,
    /// Rings whenever something is changed by hand.
    pub(super) bell: Arc<watch::Sender<u64>>,
}

/// What became of the latest attempts.
#[derive(Clone, Debug, Default)]
pub(super) struct Last {
    pub(super) attempt_at: Option<String>,
    pub(super) success_at: Option<String>,
    pub(super) failure_at: Option<String>,
    pub(super) status: Option<u16>,
    pub(super) error: Option<&'static str>,
}

impl Webhook {
    pub(super) fn status(&self) -> &'static str {
        match (self.disabled, self.failures) {
            (Some(_), _) => "disabled",
            (None, 0) => "active",
            (None, _) => "failing",
        }
    }

    /// The webhook on the wire. The secret is not part of it.
    pub(super) fn to_json(&self, pending: u64) -> Value {
        json!({
            "id": self.id,
            "organizationId": self.organization_id,
            "projectId": self.project_id,
            "displayName": self.name,
            "endpointUrl": self.endpoint.url,
            "eventKinds": if self.kinds.is_empty() { Value::Null } else { json!(self.kinds) },
            "includeMessageContent": self.with_content,
            "enabled": self.disabled.is_none(),
            "credentialConfigured": true,
            "credentialFingerprint": fingerprint(&self.key),
            "credentialVersion": self.key_version,
            "status": self.status(),
            "disabledReason": self.disabled,
            "deliveredPosition": self.delivered.to_string(),
            "cursor": cursor_of(self.delivered),
            "pendingEvents": pending,
            "consecutiveFailures": self.failures,
            "nextAttemptAt": self.retry_at.as_ref().map(|(_, at)| at),
            "lastAttemptAt": self.last.attempt_at,
            "lastSuccessAt": self.last.success_at,
            "lastFailureAt": self.last.failure_at,
            "lastResponseStatus": self.last.status,
            "lastErrorCode": self.last.error,
            "createdAt": self.created_at,
            "updatedAt": self.updated_at,
        })
    }

    pub(super) fn ring(&self) {
        self.bell.send_modify(|rings| *rings += 1);
    }
}

/// All webhooks.
#[derive(Debug, Default)]
pub(crate) struct Webhooks(BTreeMap<String, Webhook>);

impl Webhooks {
    pub(super) fn insert(&mut self, webhook: Webhook) {
        self.0.insert(webhook.id.clone(), webhook);
    }

    pub(super) fn by_id(&mut self, id: &str) -> Option<&mut Webhook> {
        self.0.get_mut(id)
    }

    pub(super) fn get_mut(&mut self, project: &str, id: &str) -> Option<&mut Webhook> {
        self.0.get_mut(id).filter(|webhook| webhook.project_id == project)
    }

    pub(super) fn remove(&mut self, project: &str, id: &str) -> Option<Webhook> {
        self.get_mut(project, id)?;
        let removed = self.0.remove(id)?;
        removed.ring();
        Some(removed)
    }

    pub(super) fn all(&self, project: &str) -> impl Iterator<Item = &Webhook> {
        self.0.values().filter(move |webhook| webhook.project_id == project)
    }
}
