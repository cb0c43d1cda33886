//! A catalogue of the suite's own, which keeps the contract as far as it is read.

use std::sync::Arc;

use engine::{
    Asked, Driver, Halt, Place, StandIn, Told,
    target::{Credential, Description},
};
use serde_json::{Value, json};

use super::super::rows::text;

/// The two keys that are let in.
const KEYS: [&str; 2] = ["primary", "second_account"];

/// The entry of `pi` that the documentation shows.
pub(super) fn sample() -> Value {
    json!({
        "base": "pi", "label": "Pi", "location": "hosted", "billing": "usage", "status": "ga",
        "execution": "sandbox", "runnable": true,
        "capabilities": {
            "approvals": true, "structured_output": true, "streaming_deltas": true, "injected_tools": true,
        },
    })
}

/// An entry like the sample, with another base and execution.
pub(super) fn entry(base: &str, execution: &str) -> Value {
    let mut entry = sample();
    entry["base"] = json!(base);
    entry["label"] = json!(format!("Label of {base}"));
    entry["execution"] = json!(execution);
    entry
}

/// Serves `rows`. What it is asked is not recorded: the verdicts are what counts.
pub(super) async fn open<'a>(driver: &'a Driver<'a>, rows: Vec<Value>) -> Result<(StandIn<'a>, Place), Halt> {
    let target = driver.place();
    let credentials: Vec<(&str, String)> =
        KEYS.iter().map(|name| (*name, format!("sk_{name}_{}", driver.token()))).collect();
    let known: Vec<String> = credentials.iter().map(|(_, key)| format!("Bearer {key}")).collect();
    let bases: Vec<String> = rows.iter().map(|row| text(row, "base").to_owned()).collect();
    let answering = Arc::new(move |asked: &Asked| match &asked.authorization {
        Some(sent) if known.contains(sent) => answer(asked, &rows),
        _ => refusal(401, "invalid_api_key"),
    });
    let stand_in = driver.stand_in("stand-in", answering).await?;
    let description = Description {
        name: "a catalogue of the suite's own".to_owned(),
        url: stand_in.url(),
        credentials: credentials
            .into_iter()
            .map(|(name, key)| (name.to_owned(), Credential::Value(key)))
            .collect(),
        settings: [
            ("expected_bases".to_owned(), json!(bases)),
            ("reserved_ids".to_owned(), json!(["to-come"])),
        ]
        .into(),
        model: None,
        scope: Default::default(),
        claims: Default::default(),
        ..target.description
    };
    let place = Place { authority: stand_in.authority().to_owned(), prefix: String::new(), description };
    Ok((stand_in, place))
}

fn refusal(status: u16, code: &str) -> Told {
    Told::new(status, json!({"error": {"code": code, "param": "id", "message": code}, "request_id": "req_1"}))
}

fn list(entries: &[Value]) -> Told {
    Told::new(200, json!({"data": entries, "has_more": false, "next_cursor": null}))
}

fn answer(asked: &Asked, rows: &[Value]) -> Told {
    match (asked.method.as_str(), asked.path.as_str()) {
        ("GET", "/v1/harnesses") => list(rows),
        ("GET", "/v1/models") => list(&[json!({"id": "model-1", "object": "model"})]),
        ("GET", path) => {
            let id = path.strip_prefix("/v1/harnesses/");
            let read = id.and_then(|id| rows.iter().find(|row| text(row, "base") == id));
            read.map_or_else(|| refusal(404, "harness_not_found"), |row| Told::new(200, row.clone()))
        }
        (_, path) if path.starts_with("/v1/harnesses") => refusal(405, "method_not_allowed"),
        _ => refusal(404, "not_found"),
    }
}
