//! Wrong conventions of the HTTP API.

use std::sync::Arc;

use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use oao::{
    Parts, Service,
    errors::Refusal,
    http::{Flight, Stage},
    keys::DEMO_KEY,
    limits::Range,
};

use super::super::Edit;

pub(super) const DEFECTS: &[Edit<Parts>] = &[
    Edit {
        id: "replay-runs-again",
        edit: |parts| parts.idempotency.entry = |call| vec![call.request_id.clone()],
    },
    Edit {
        id: "replay-compares-bytes",
        edit: |parts| {
            parts.idempotency.fingerprint = |call| String::from_utf8_lossy(&call.bytes).into_owned()
        },
    },
    Edit { id: "conflicting-key-replays", edit: |parts| parts.idempotency.fingerprint = |_| String::new() },
    Edit {
        id: "idempotency-key-optional",
        edit: |parts| parts.front.stages.insert_before("idempotency-key", "make-a-key", stage(make_a_key)),
    },
    Edit {
        id: "idempotency-key-unbounded",
        edit: |parts| parts.front.limits.idempotency_key_units_max = u64::MAX,
    },
    Edit {
        id: "window-of-an-hour",
        edit: |parts| parts.idempotency.window = std::time::Duration::from_secs(3_600),
    },
    Edit {
        id: "unknown-key-is-served",
        edit: |parts| parts.front.stages.replace("authenticate", stage(everybody_is_known)),
    },
    Edit { id: "project-not-checked", edit: |parts| drop(parts.front.stages.remove("project")) },
    Edit {
        id: "scopes-not-checked",
        edit: |parts| parts.front.stages.replace("scopes", stage(|_, _| Ok(()))),
    },
    Edit {
        id: "scope-before-body",
        edit: |parts| {
            let scopes = parts.front.stages.remove("scopes");
            parts.front.stages.insert_before("body", "scopes", scopes);
        },
    },
    Edit {
        id: "error-without-request-id",
        edit: |parts| {
            parts.front.rewrites.push(Arc::new(|_, reply| {
                let error = reply.json_mut().and_then(|body| body.get_mut("error"));
                if let Some(error) = error.and_then(serde_json::Value::as_object_mut) {
                    error.remove("requestId");
                }
            }));
        },
    },
    Edit {
        id: "request-id-not-echoed",
        edit: |parts| {
            parts.front.rewrites.push(Arc::new(|call, reply| {
                if call.header("x-request-id").is_some() {
                    reply.headers.push(("x-request-id".to_owned(), "req-own".to_owned()));
                }
            }));
        },
    },
    Edit {
        id: "answers-may-be-stored",
        edit: |parts| {
            parts.front.rewrites.push(Arc::new(|_, reply| {
                reply.headers.push(("cache-control".to_owned(), "private, max-age=60".to_owned()));
            }));
        },
    },
    Edit { id: "page-limit-unchecked", edit: |parts| parts.paging.range = Range { min: 0, max: u64::MAX } },
    Edit {
        // The cursor is taken for the first row of the next page.
        id: "page-cursor-loses-rows",
        edit: |parts| {
            parts.paging.is_after = |item, cursor| item < cursor && item.sequence + 3 < cursor.sequence;
        },
    },
    Edit {
        id: "unknown-list-cursor-starts-over",
        edit: |parts| {
            parts.front.stages.insert_before("fields", "known-cursors", stage(forget_unknown_cursors))
        },
    },
    Edit {
        id: "oldest-first",
        edit: |parts| {
            parts.paging.order = |items| items.sort_by_key(|(position, _)| *position);
            parts.paging.is_after = |item, cursor| item > cursor;
        },
    },
];

fn stage(with: fn(&Service, &mut Flight) -> Result<(), Refusal>) -> Stage {
    Arc::new(with)
}

fn make_a_key(_: &Service, flight: &mut Flight) -> Result<(), Refusal> {
    let made = flight.call.request_id.parse();
    if let (None, Ok(made)) = (flight.call.header("idempotency-key"), made) {
        flight.call.headers.insert("idempotency-key", made);
    }
    Ok(())
}

/// Whoever has no key of the keyring gets the demo key's rights.
fn everybody_is_known(service: &Service, flight: &mut Flight) -> Result<(), Refusal> {
    let keyring = &service.wiring().keyring;
    let given = flight.call.header("authorization").and_then(|value| value.strip_prefix("Bearer "));
    let known = given.and_then(|key| keyring.find(key)).or_else(|| keyring.find(DEMO_KEY));
    flight.call.principal = known.cloned();
    Ok(())
}

fn forget_unknown_cursors(_: &Service, flight: &mut Flight) -> Result<(), Refusal> {
    let is_ours = |text: &str| URL_SAFE_NO_PAD.decode(text).is_ok_and(|bytes| bytes.starts_with(b"l1:"));
    if !flight.call.path.ends_with("/events") {
        flight.call.query.retain(|(name, value)| name != "cursor" || is_ours(value));
    }
    Ok(())
}
