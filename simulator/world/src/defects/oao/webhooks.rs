//! Wrong ways to push events.

use std::{sync::Arc, time::Duration};

use oao::{
    Parts,
    webhooks::{Verdict, sign},
};

use super::super::Edit;

pub(super) const DEFECTS: &[Edit<Parts>] = &[
    Edit {
        id: "signature-without-timestamp",
        edit: |parts| parts.webhooks.sign = |key, id, _, body| sign(key, id, "", body),
    },
    Edit { id: "retry-gets-a-new-id", edit: |parts| parts.webhooks.retry_id = |_, fresh| fresh },
    Edit {
        id: "retry-after-ignored",
        edit: |parts| parts.webhooks.pause = |_, _, _, _| Duration::from_secs(2),
    },
    Edit {
        id: "waits-never-grow",
        edit: |parts| {
            parts.webhooks.pause = |_, _, _, asked| Duration::from_secs(asked.unwrap_or(2));
        },
    },
    Edit { id: "batch-without-end", edit: |parts| parts.webhooks.limits.batch_events_max = u64::MAX },
    Edit { id: "webhook-filter-ignored", edit: |parts| parts.webhooks.wanted = |_, _| true },
    Edit {
        id: "gone-is-tried-again",
        edit: |parts| {
            parts.webhooks.verdict = |status| if status < 300 { Verdict::Delivered } else { Verdict::Retry };
        },
    },
    Edit { id: "batch-in-reverse", edit: |parts| parts.webhooks.order = Arc::new(|events| events.reverse()) },
    Edit { id: "any-endpoint-accepted", edit: |parts| parts.webhooks.endpoint.allowed = |_, _| true },
    Edit {
        id: "any-pattern-accepted",
        edit: |parts| {
            parts.webhooks.pattern = |text| !text.ends_with('.') && text.chars().all(|c| !c.is_uppercase())
        },
    },
    Edit { id: "webhook-secret-shown", edit: show_the_secret },
];

/// Gives a new webhook back as it was sent.
fn show_the_secret(parts: &mut Parts) {
    parts.front.rewrites.push(Arc::new(|call, reply| {
        let secret = call.body.get("signingSecret").cloned();
        if let (Some(secret), 201, Some(body)) = (secret, reply.status, reply.json_mut()) {
            body["signingSecret"] = secret;
        }
    }));
}
