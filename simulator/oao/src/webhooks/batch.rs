//! Putting a batch together.

use serde_json::{Value, json};

use super::store::{Batch, Webhook};
use crate::{
    Service,
    events::{Row, cursor_of},
};

/// How many events are looked at together.
const SCAN: u64 = 500;

/// The next batch of a webhook; `None` when no wanted event is left, and then everything counts as delivered.
pub(super) fn next(service: &Service, webhook: &mut Webhook) -> Option<Batch> {
    let parts = &service.parts().webhooks;
    loop {
        let rows = service.events().after(&webhook.project_id, webhook.delivered, SCAN);
        let last = rows.last()?.position;
        let mut bytes = 0;
        let mut events = Vec::new();
        let mut through = webhook.delivered;
        for row in rows.iter().filter(|row| (parts.wanted)(&webhook.kinds, &row.event.kind)) {
            let event = shown(service, row);
            bytes += event.to_string().len() as u64;
            let full = events.len() as u64 >= parts.limits.batch_events_max
                || (bytes > parts.limits.batch_bytes_max && !events.is_empty());
            if full {
                break;
            }
            events.push(event);
            through = row.position;
        }
        if events.is_empty() {
            webhook.delivered = last;
            continue;
        }
        (parts.order)(&mut events);
        return Some(written(service, webhook, through, events));
    }
}

fn written(service: &Service, webhook: &Webhook, through: u64, events: Vec<Value>) -> Batch {
    let id = service.ids().uuid();
    let body = json!({
        "type": "oao.events",
        "timestamp": service.clock().rfc3339(),
        "data": {
            "webhookId": webhook.id,
            "organizationId": webhook.organization_id,
            "projectId": webhook.project_id,
            "batchId": id,
            "fromPosition": webhook.delivered.to_string(),
            "throughPosition": through.to_string(),
            "cursor": cursor_of(through),
            "events": events,
        },
    });
    Batch { id, through, body: body.to_string() }
}

/// An event in a batch: as in the stream, without what the batch says of all.
fn shown(service: &Service, row: &Row) -> Value {
    let mut event = (service.parts().events.stream_row)(row);
    if let Some(members) = event.as_object_mut() {
        members.remove("organizationId");
        members.remove("projectId");
    }
    event
}

/// How many events are wanted and not delivered yet.
pub(super) fn pending(service: &Service, webhook: &Webhook) -> u64 {
    let rows = service.events().after(&webhook.project_id, webhook.delivered, u64::MAX);
    let wanted = service.parts().webhooks.wanted;
    rows.iter().filter(|row| wanted(&webhook.kinds, &row.event.kind)).count() as u64
}
