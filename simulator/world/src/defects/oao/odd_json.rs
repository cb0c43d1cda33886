//! Wrong ways to read JSON that no rule foresees.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, PoisonError},
};

use oao::{Parts, Service, errors::Refusal, http::Flight, http::Stage};
use serde_json::{Value, json};

use super::super::Edit;

pub(super) const DEFECTS: &[Edit<Parts>] = &[
    Edit { id: "judged-and-kept-apart", edit: judge_one_and_keep_the_other },
    Edit {
        id: "huge-timeout-clamped",
        edit: |parts| {
            read_instead(parts, |body| {
                ["-1e400", "1e400", "1e309"].iter().fold(body, |body, huge| {
                    body.replace(&format!("\"timeoutMs\":{huge}"), "\"timeoutMs\":300000")
                })
            });
        },
    },
    Edit {
        id: "huge-numbers-clamped",
        edit: |parts| {
            read_instead(parts, |body| {
                body.replace("1e400", "1.7976931348623157e308").replace("1e309", "1.7976931348623157e308")
            });
        },
    },
    Edit {
        id: "huge-result-becomes-zero",
        edit: |parts| {
            let parse = parts.operations.habits.arguments.clone();
            parts.operations.habits.arguments = Arc::new(move |text| parse(&text.replace("1e400", "0")));
        },
    },
];

/// The body is read as if something else stood in it.
fn read_instead(parts: &mut Parts, instead: fn(String) -> String) {
    let stage: Stage = Arc::new(move |_: &Service, flight: &mut Flight| -> Result<(), Refusal> {
        if let Ok(text) = std::str::from_utf8(&flight.call.bytes) {
            flight.call.bytes = instead(text.to_owned()).into();
        }
        Ok(())
    });
    parts.front.stages.insert_before("body", "read-instead", stage);
}

/// Of a limit that is given twice the last one is judged, and a version shows the first.
fn judge_one_and_keep_the_other(parts: &mut Parts) {
    let kept: Arc<Mutex<BTreeMap<String, Value>>> = Arc::default();
    parts.front.rewrites.push(Arc::new(move |call, reply| {
        let mut kept = kept.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(body) = reply.json_mut() else { return };
        if call.method == "POST" {
            if let (Some(first), Some(version)) = (first_limit(&call.bytes), body["latestVersionId"].as_str())
            {
                kept.insert(version.to_owned(), first);
            }
        } else if let Some(first) = body["id"].as_str().and_then(|version| kept.get(version))
            && let Some(limit) = body.pointer_mut("/config/harnessOperations/0/timeoutMs")
        {
            *limit = first.clone();
        }
    }));
}

/// The first of two limits of one definition.
fn first_limit(body: &[u8]) -> Option<Value> {
    let text = std::str::from_utf8(body).ok()?;
    let mut limits = text.split("\"timeoutMs\":").skip(1);
    let (first, second) = (limits.next()?, limits.next()?);
    // Between the limit of an operation and that of the run there is more than a comma.
    let first: u64 = first.strip_suffix(',')?.parse().ok()?;
    second.starts_with(|letter: char| letter.is_ascii_digit()).then(|| json!(first))
}
