//! Defects of the listing.

use std::sync::Arc;

use ::vetta::{Call, Parts, Reply, harness::Maturity};
use serde_json::{Value, json};

use super::{
    super::Edit,
    rows::{SPARE, edit_environments, rewrite_list},
};

const LIST: &str = "/v1/harnesses";
const ENTRY: &str = "/v1/harnesses/{id}";
const MODELS: &str = "/v1/models";

/// The account whose plan is smaller.
const SMALL_PLAN: &str = "acct_ben";

pub(super) const DEFECTS: &[Edit<Parts>] = &[
    Edit { id: "writable-catalogue", edit: |parts| parts.http.outgoing.push(accept_writes) },
    Edit {
        id: "per-account-catalogue",
        edit: |parts| {
            rewrite_list(parts, |caller, _, rows| {
                rows.retain(|row| caller.account != SMALL_PLAN || row.harness.status == Maturity::Ga);
            });
        },
    },
    Edit {
        id: "list-filters-preview",
        edit: |parts| rewrite_list(parts, |_, _, rows| rows.retain(|row| row.harness.status == Maturity::Ga)),
    },
    Edit {
        id: "list-incomplete",
        edit: |parts| rewrite_list(parts, |_, _, rows| rows.retain(|row| row.harness.base != SPARE)),
    },
    Edit {
        id: "case-sensitive-header",
        edit: |parts| parts.http.head_filter = Some(Arc::new(drop_title_case_credentials)),
    },
    Edit { id: "catalogue-open-without-key", edit: let_anybody_list },
    Edit {
        id: "bare-array-list",
        edit: |parts| {
            rewrite_answer(parts, LIST, |body| {
                *body = body.get_mut("data").map(Value::take).unwrap_or_default()
            });
        },
    },
    Edit {
        id: "limit-truncates-silently",
        edit: |parts| {
            rewrite_list(parts, |_, query, rows| {
                if let Some(limit) = query.get("limit").and_then(|limit| limit.parse().ok()) {
                    rows.truncate(limit);
                }
            });
        },
    },
    Edit { id: "next-cursor-omitted", edit: leave_nulls_out },
    Edit { id: "models-different-envelope", edit: |parts| rewrite_answer(parts, MODELS, page_by_ids) },
    Edit {
        id: "has-more-true-forever",
        edit: |parts| {
            rewrite_answer(parts, LIST, |body| {
                let count = body["data"].as_array().map_or(0, Vec::len);
                if let Some(has_more) = body.get_mut("has_more") {
                    *has_more = json!(count > 0);
                }
            });
        },
    },
    Edit {
        id: "sample-drift",
        edit: |parts| {
            edit_environments(parts, |environment| {
                let pi = environment.rows.iter_mut().filter(|row| row.harness.base == "pi");
                pi.for_each(|row| row.harness.status = Maturity::Preview);
            });
        },
    },
];

/// Rewrites the bodies of successful reads of `route`.
fn rewrite_answer(parts: &mut Parts, route: &'static str, rewrite: fn(&mut Value)) {
    parts.http.outgoing.push(move |call, reply| {
        if let (true, 200, Some(body)) = (call.is("GET", route), reply.status, reply.body.as_mut()) {
            rewrite(body);
        }
    });
}

fn accept_writes(call: &Call, reply: &mut Reply) {
    let is_catalogue = [LIST, ENTRY].map(Some).contains(&call.route);
    let status = match call.method.as_str() {
        "POST" => 201,
        "PUT" | "PATCH" => 200,
        _ => return,
    };
    if is_catalogue && reply.status == 405 {
        *reply = Reply::json(status, json!({"base": call.param("id")}));
    }
}

/// The proxy knows `authorization` and takes `Authorization` for a header of somebody else.
fn drop_title_case_credentials(head: Vec<u8>) -> Vec<u8> {
    let end = head.windows(4).position(|four| four == b"\r\n\r\n").map_or(head.len(), |at| at + 2);
    let (lines, rest) = head.split_at(end);
    let kept =
        lines.split_inclusive(|byte| *byte == b'\n').filter(|line| !line.starts_with(b"Authorization:"));
    kept.flatten().chain(rest).copied().collect()
}

fn let_anybody_list(parts: &mut Parts) {
    let check = parts.auth.check.clone();
    parts.auth.check = Arc::new(move |call, keyring| {
        check(call, keyring).or_else(|refusal| {
            let anybody = keyring.iter().next().filter(|_| call.is("GET", LIST));
            anybody.map(|(_, caller)| caller.clone()).ok_or(refusal)
        })
    });
}

fn leave_nulls_out(parts: &mut Parts) {
    let envelope = parts.paging.envelope.clone();
    parts.paging.envelope = Arc::new(move |data, next| {
        let mut body = envelope(data, next);
        if let Some(members) = body.as_object_mut() {
            members.retain(|_, value| !value.is_null());
        }
        body
    });
}

fn page_by_ids(body: &mut Value) {
    let models = body["data"].as_array().map(Vec::as_slice).unwrap_or_default();
    let id_of = |model: Option<&Value>| model.map(|model| model["id"].clone());
    *body = json!({
        "data": models,
        "has_more": body["has_more"],
        "first_id": id_of(models.first()),
        "last_id": id_of(models.last()),
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_proxy_loses_one_spelling_and_no_byte_of_the_body() {
        let head =
            b"GET / HTTP/1.1\r\nAuthorization: Bearer k\r\nHost: h\r\n\r\nAuthorization: body\r\n".to_vec();
        let passed = drop_title_case_credentials(head);
        assert_eq!(passed, b"GET / HTTP/1.1\r\nHost: h\r\n\r\nAuthorization: body\r\n");
        let lower = b"GET / HTTP/1.1\r\nauthorization: Bearer k\r\n\r\n".to_vec();
        assert_eq!(drop_title_case_credentials(lower.clone()), lower);
    }
}
