//! Event webhooks: events of a project, pushed to an endpoint in order and at least once.

mod backoff;
mod batch;
mod courier;
mod endpoint;
mod fields;
mod filter;
mod handlers;
mod signature;
mod store;

use std::{fmt, sync::Arc, time::Duration};

pub use endpoint::{Endpoint, EndpointRules};
pub(crate) use handlers::routes;
use serde_json::Value;
pub use signature::sign;
pub(crate) use store::Webhooks;

use crate::limits::{Limits, WebhookLimits};

/// What the answer of an endpoint means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The batch has arrived.
    Delivered,
    /// The endpoint is gone for good.
    Gone,
    /// It is tried again later.
    Retry,
}

/// Arranges the events of a batch before they are written.
pub type Arrange = Arc<dyn Fn(&mut Vec<Value>) + Send + Sync>;

/// How events are pushed. The default is the contract's.
#[derive(Clone)]
pub struct WebhookParts {
    /// Numbers.
    pub limits: WebhookLimits,
    /// Where events may be sent.
    pub endpoint: EndpointRules,
    /// Whether a text is a pattern of kinds.
    pub pattern: fn(&str) -> bool,
    /// Whether an event of this kind is wanted by these patterns.
    pub wanted: fn(&[String], &str) -> bool,
    /// Puts the events of a batch in order: they are, already.
    pub order: Arrange,
    /// The signature, from the key, the id, the timestamp and the body.
    pub sign: fn(&[u8], &str, &str, &str) -> String,
    /// The id of a batch that is tried again, from the one that it has and a fresh one.
    pub retry_id: fn(String, String) -> String,
    /// What a status means.
    pub verdict: fn(u16) -> Verdict,
    /// How long to wait after so many failures, from the id of the batch and what the endpoint asked for.
    pub pause: fn(&WebhookLimits, u32, &str, Option<u64>) -> Duration,
}

impl Default for WebhookParts {
    fn default() -> Self {
        Self {
            limits: Limits::default().webhooks,
            endpoint: EndpointRules::default(),
            pattern: filter::is_pattern,
            wanted: filter::wanted,
            order: Arc::new(|_| {}),
            sign,
            retry_id: |same, _| same,
            verdict: |status| match status {
                200..300 => Verdict::Delivered,
                410 => Verdict::Gone,
                _ => Verdict::Retry,
            },
            pause: backoff::pause,
        }
    }
}

impl fmt::Debug for WebhookParts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("WebhookParts").field("endpoint", &self.endpoint).finish_non_exhaustive()
    }
}
