//! Defects of answers in pieces and in one piece.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, PoisonError},
};

use ::vetta::{Parts, environment::Row, events::Entry};
use serde_json::{Value, json};

use super::super::Edit;

pub(super) const DEFECTS: &[Edit<Parts>] = &[
    Edit {
        id: "flag-true-no-deltas",
        edit: |parts| rewrite(parts, |_, entry| if is_delta(&entry) { Vec::new() } else { vec![entry] }),
    },
    Edit { id: "delta-drift", edit: |parts| parts.events.scribe = Arc::new(drop_the_last()) },
    Edit {
        id: "deltas-without-completed",
        edit: |parts| {
            rewrite(parts, |row, entry| {
                let streamed = row.harness.capabilities.streaming_deltas;
                if streamed && is_completed(&entry) { Vec::new() } else { vec![entry] }
            });
        },
    },
    Edit {
        id: "whole-answer-lost",
        edit: |parts| {
            rewrite(parts, |row, mut entry| {
                if is_completed(&entry) && !row.harness.capabilities.streaming_deltas {
                    entry.members.insert("message".into(), json!({"role": "assistant", "text": ""}));
                }
                vec![entry]
            });
        },
    },
    Edit {
        id: "fake-deltas",
        edit: |parts| {
            rewrite(parts, |row, entry| {
                if row.harness.capabilities.streaming_deltas || !is_completed(&entry) {
                    return vec![entry];
                }
                let text = entry.members["message"]["text"].as_str().unwrap_or_default().to_owned();
                let slices = text.split_inclusive(' ').map(|slice| Entry {
                    kind: "message.delta",
                    turn_id: entry.turn_id.clone(),
                    members: [
                        ("message_id".to_owned(), entry.members["message_id"].clone()),
                        ("delta".to_owned(), json!({ "text": slice })),
                    ]
                    .into_iter()
                    .collect(),
                });
                let mut entries: Vec<Entry> = slices.collect();
                entries.push(entry);
                entries
            });
        },
    },
];

/// Changes what is written into logs.
fn rewrite(parts: &mut Parts, write: fn(&Row, Entry) -> Vec<Entry>) {
    parts.events.scribe = Arc::new(write);
}

fn is_delta(entry: &Entry) -> bool {
    entry.kind == "message.delta"
}

fn is_completed(entry: &Entry) -> bool {
    entry.kind == "message.completed"
}

/// Each delta is written when the next one comes, and nobody writes the last.
fn drop_the_last() -> impl Fn(&Row, Entry) -> Vec<Entry> + Send + Sync {
    let waiting: Mutex<BTreeMap<Option<String>, Entry>> = Mutex::default();
    move |_, entry| {
        let mut waiting = waiting.lock().unwrap_or_else(PoisonError::into_inner);
        let message = entry.members.get("message_id").and_then(Value::as_str).map(str::to_owned);
        if is_delta(&entry) {
            return waiting.insert(message, entry).into_iter().collect();
        }
        if is_completed(&entry) {
            waiting.remove(&message);
        }
        vec![entry]
    }
}
