//! One effect per idempotency key.

use std::{collections::BTreeMap, time::Duration};

use serde_json::Value;

use super::{Act, Call, Reply};
use crate::{
    Service,
    errors::{Code, Refusal},
    limits::Limits,
    publication::canonical,
};

/// What makes two requests the same one.
#[derive(Clone, Debug)]
pub struct Idempotency {
    /// Under what a request is remembered: organisation, project, principal, method, path and key.
    pub entry: fn(&Call) -> Vec<String>,
    /// What has to be equal for a replay. The order of members makes no difference.
    pub fingerprint: fn(&Call) -> String,
    /// How long a request is remembered.
    pub window: Duration,
}

impl Default for Idempotency {
    fn default() -> Self {
        Self { entry, fingerprint, window: Duration::from_secs(Limits::default().http.idempotency_window_s) }
    }
}

fn entry(call: &Call) -> Vec<String> {
    let key = call.header("idempotency-key").unwrap_or_default();
    [call.organization_id(), call.project(), call.principal_id(), &call.method, &call.path, key]
        .map(str::to_owned)
        .into()
}

fn fingerprint(call: &Call) -> String {
    canonical::content_hash(&Value::Object(call.body.clone()))
}

/// The answers that were given.
#[derive(Debug, Default)]
pub(crate) struct Ledger(BTreeMap<Vec<String>, Given>);

#[derive(Debug)]
struct Given {
    fingerprint: String,
    at: Duration,
    reply: Reply,
}

/// Acts, unless the same request has been answered before. Refused requests are not remembered.
///
/// The ledger is held while the request acts, so that two of one key cannot both have an effect.
pub(super) fn once(service: &Service, call: &Call, act: Act) -> Result<Reply, Refusal> {
    let rules = &service.parts().idempotency;
    let (entry, fingerprint) = ((rules.entry)(call), (rules.fingerprint)(call));
    let now = service.clock().elapsed();
    let mut ledger = service.ledger();
    ledger.0.retain(|_, given| now.saturating_sub(given.at) < rules.window);
    if let Some(given) = ledger.0.get(&entry) {
        if given.fingerprint != fingerprint {
            let message = "the idempotency key was used for another request";
            return Err(Refusal::new(Code::IdempotencyConflict, message));
        }
        return Ok(given.reply.clone().header("idempotency-replayed", "true"));
    }
    let reply = act(service, call)?;
    ledger.0.insert(entry, Given { fingerprint, at: now, reply: reply.clone() });
    Ok(reply.header("idempotency-replayed", "false"))
}
