//! Defects of the read by id.

use std::sync::Arc;

use ::vetta::{Call, Environment, Parts, Reply, catalogue::View, environment::Row};
use serde_json::{Value, json};

use super::{
    super::Edit,
    rows::{SPARE, edit_environments, rewrite_entries},
};

const ENTRY: &str = "/v1/harnesses/{id}";

pub(super) const DEFECTS: &[Edit<Parts>] = &[
    Edit {
        id: "item-list-mismatch",
        edit: |parts| {
            rewrite_entries(parts, |row, view, entry| {
                let runnable =
                    entry.get_mut("runnable").filter(|_| view == View::Read && row.harness.base == SPARE);
                if let Some(runnable) = runnable {
                    *runnable = json!(!row.harness.runnable);
                }
            });
        },
    },
    Edit { id: "item-wrapped", edit: |parts| parts.http.outgoing.push(wrap) },
    Edit { id: "unknown-id-200", edit: |parts| parts.http.outgoing.push(answer_null_for_unknown) },
    Edit {
        id: "case-folded-id",
        edit: |parts| {
            replace_find(parts, |environment, id| {
                environment.rows.iter().find(|row| row.harness.base.eq_ignore_ascii_case(id)).cloned()
            });
        },
    },
    Edit {
        id: "reserved-id-served",
        edit: |parts| {
            replace_find(parts, |environment, id| {
                environment.row(id).cloned().or_else(|| placeholder(environment, id))
            });
        },
    },
    Edit {
        id: "reserved-id-listed",
        edit: |parts| {
            edit_environments(parts, |environment| {
                let placeholders: Vec<Row> =
                    environment.reserved.iter().filter_map(|id| placeholder(environment, id)).collect();
                environment.rows.extend(placeholders);
            });
        },
    },
    Edit {
        id: "reserved-and-nonrunnable-conflated",
        edit: |parts| {
            replace_find(parts, |environment, id| {
                environment.row(id).filter(|row| row.harness.runnable).cloned()
            });
        },
    },
];

fn replace_find(parts: &mut Parts, find: fn(&Environment, &str) -> Option<Row>) {
    parts.catalogue.find = Arc::new(find);
}

/// A row for a reserved id: like the spare one, and not runnable.
fn placeholder(environment: &Environment, id: &str) -> Option<Row> {
    let mut row =
        environment.row(SPARE).filter(|_| environment.reserved.iter().any(|each| each == id))?.clone();
    row.harness.base = id.to_owned();
    row.harness.label = id.to_owned();
    row.harness.runnable = false;
    Some(row)
}

fn wrap(call: &Call, reply: &mut Reply) {
    if let (true, 200, Some(body)) = (call.is("GET", ENTRY), reply.status, reply.body.as_mut()) {
        *body = json!({"data": body.take()});
    }
}

/// An id that the chooser knows is not unknown, and keeps its answer.
fn answer_null_for_unknown(call: &Call, reply: &mut Reply) {
    let id = call.param("id");
    let is_reserved = |reserved: &[String]| reserved.iter().any(|each| each == id);
    let is_unknown = call.caller.as_ref().is_some_and(|caller| !is_reserved(&caller.environment.reserved));
    if call.is("GET", ENTRY) && reply.status == 404 && is_unknown {
        *reply = Reply::json(200, Value::Null);
    }
}
