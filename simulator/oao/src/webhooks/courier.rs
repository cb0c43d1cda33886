//! Delivering: one batch at a time, again and again until it has arrived.

use std::time::Duration;

use wire::{
    Net,
    http::{self, Failure, Limits, Request, Response},
    tls::Trust,
};

use super::{
    Endpoint, Verdict, batch,
    store::{Batch, Webhook},
};
use crate::Service;

/// The largest answer that is read; nothing in it matters.
const ANSWER_BYTES_MAX: usize = 64 * 1024;

/// Delivers for the webhook `id` until it is deleted.
pub(super) fn launch(service: &Service, id: &str) {
    let courier = Courier { service: service.clone(), id: id.to_owned() };
    tokio::spawn(async move { courier.work().await });
}

struct Courier {
    service: Service,
    id: String,
}

enum Next {
    Gone,
    Idle,
    Later(Duration),
    Send(Box<Parcel>),
}

/// A batch and where it goes.
struct Parcel {
    batch: Batch,
    endpoint: Endpoint,
    key: Vec<u8>,
}

impl Courier {
    async fn work(&self) {
        let bell = self.service.state().webhooks.by_id(&self.id).map(|webhook| webhook.bell.subscribe());
        let Some(mut changes) = bell else { return };
        let mut events = self.service.events().bell();
        loop {
            events.mark_unchanged();
            changes.mark_unchanged();
            match self.next() {
                Next::Gone => return,
                Next::Idle => tokio::select! {
                    biased;
                    _ = changes.changed() => {}
                    _ = events.changed() => {}
                },
                Next::Later(until) => tokio::select! {
                    biased;
                    _ = changes.changed() => {}
                    () = self.service.clock().pause_until(until) => {}
                },
                Next::Send(parcel) => {
                    let outcome = self.send(&parcel).await;
                    self.note(&parcel.batch, outcome);
                }
            }
        }
    }

    fn next(&self) -> Next {
        let mut state = self.service.state();
        let Some(webhook) = state.webhooks.by_id(&self.id) else { return Next::Gone };
        if webhook.disabled.is_some() {
            return Next::Idle;
        }
        if let Some((at, _)) = &webhook.retry_at
            && self.service.clock().elapsed() < *at
        {
            return Next::Later(*at);
        }
        let batch = match webhook.batch.take() {
            Some(batch) => Some(batch),
            None => batch::next(&self.service, webhook),
        };
        webhook.batch.clone_from(&batch);
        match batch {
            None => Next::Idle,
            Some(batch) => Next::Send(Box::new(Parcel {
                batch,
                endpoint: webhook.endpoint.clone(),
                key: webhook.key.clone(),
            })),
        }
    }

    async fn send(&self, parcel: &Parcel) -> Result<Response, &'static str> {
        let parts = &self.service.parts().webhooks;
        let timestamp = self.service.clock().now().as_second().to_string();
        let batch = &parcel.batch;
        let request = Request::new("POST", parcel.endpoint.path.clone())
            .header("user-agent", "OAO-Webhooks/1")
            .header("webhook-id", &batch.id)
            .header("webhook-timestamp", &timestamp)
            .header("webhook-signature", (parts.sign)(&parcel.key, &batch.id, &timestamp, &batch.body))
            .json(batch.body.clone().into_bytes());
        let whole = Duration::from_millis(parts.limits.request_ms);
        let limits = Limits { head: whole, whole, body_bytes_max: ANSWER_BYTES_MAX };
        let net = self.net(&parcel.endpoint)?;
        http::send(&net, &parcel.endpoint.authority, &request, limits).await.map_err(
            |failure| match failure {
                Failure::NoHead(_) | Failure::NoEnd(_) => "timeout",
                Failure::Untrusted { .. } => "tls_error",
                _ => "connection_failed",
            },
        )
    }

    /// In memory nobody speaks TLS.
    fn net(&self, endpoint: &Endpoint) -> Result<Net, &'static str> {
        match (&self.service.wiring().net, endpoint.tls) {
            (net, false) => Ok(net.clone()),
            (Net::Memory(_), true) => Err("connection_failed"),
            (_, true) => Trust::new(None).map(Net::Tls).map_err(|_| "tls_error"),
        }
    }

    fn note(&self, batch: &Batch, outcome: Result<Response, &'static str>) {
        let parts = &self.service.parts().webhooks;
        let now = self.service.clock().rfc3339();
        let mut state = self.service.state();
        let Some(webhook) = state.webhooks.by_id(&self.id) else { return };
        webhook.last.attempt_at = Some(now.clone());
        webhook.last.status = outcome.as_ref().ok().map(|answer| answer.status);
        webhook.retry_at = None;
        match outcome.as_ref().map_or(Verdict::Retry, |answer| (parts.verdict)(answer.status)) {
            Verdict::Delivered => {
                webhook.delivered = batch.through;
                webhook.batch = None;
                webhook.failures = 0;
                webhook.last.success_at = Some(now);
                webhook.last.error = None;
            }
            Verdict::Gone => {
                webhook.disabled = Some("endpoint_gone");
                webhook.last.failure_at = Some(now);
                webhook.last.error = Some("endpoint_gone");
            }
            Verdict::Retry => self.later(webhook, batch, &outcome, now),
        }
    }

    fn later(
        &self,
        webhook: &mut Webhook,
        batch: &Batch,
        outcome: &Result<Response, &'static str>,
        now: String,
    ) {
        let parts = &self.service.parts().webhooks;
        webhook.failures += 1;
        webhook.last.failure_at = Some(now);
        webhook.last.error = Some(outcome.as_ref().err().copied().unwrap_or("http_status"));
        let asked = outcome.as_ref().ok().and_then(|answer| {
            let header = answer.headers.iter().find(|(name, _)| name == "retry-after")?;
            header.1.trim().parse::<u64>().ok()
        });
        let pause = (parts.pause)(&parts.limits, webhook.failures, &batch.id, asked);
        let clock = self.service.clock();
        let at = clock.now().checked_add(pause).unwrap_or(clock.now());
        webhook.retry_at = Some((clock.elapsed() + pause, format!("{at:.3}")));
        if let Some(waiting) = &mut webhook.batch {
            waiting.id = (parts.retry_id)(std::mem::take(&mut waiting.id), self.service.ids().uuid());
        }
    }
}
