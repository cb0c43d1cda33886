//! Catalogue rows, as the checks look at them. Rows are JSON: what is malformed is what is looked for.

use engine::{Driver, Halt, Reply};
use recording::{Finding, Seen};
use serde_json::Value;

/// The four capability flags.
pub(crate) const FLAGS: [&str; 4] = ["approvals", "structured_output", "streaming_deltas", "injected_tools"];

/// The entries of a listing; a finding where the answer is no listing.
pub(crate) fn rows_of(list: &Seen<'_>) -> Result<Vec<Value>, Finding> {
    let body = list.json()?;
    let not_listed = || list.finding("the catalogue was not listed", "200 with a list of harness objects in `data`");
    if !list.is_success() {
        return Err(not_listed());
    }
    let rows = body.get("data").and_then(Value::as_array).ok_or_else(not_listed)?;
    if rows.is_empty() { Err(not_listed()) } else { Ok(rows.clone()) }
}

/// A member of a row that is a string; empty where it is none.
pub(crate) fn text<'a>(row: &'a Value, name: &str) -> &'a str {
    row.get(name).and_then(Value::as_str).unwrap_or_default()
}

/// A capability flag of a row.
pub(crate) fn flag(row: &Value, name: &str) -> Option<bool> {
    row.pointer(&format!("/capabilities/{name}"))?.as_bool()
}

/// Reads the catalogue as a step before the one under test: records it as `label` and returns its rows.
pub(crate) async fn need_rows(driver: &Driver<'_>, label: &str) -> Result<Vec<Value>, Halt> {
    let reply: Reply = driver.get(label, "/v1/harnesses").await;
    let body = driver.need(&reply, "list the catalogue")?;
    match body.get("data").and_then(Value::as_array) {
        Some(rows) if !rows.is_empty() => Ok(rows.clone()),
        _ => Err(driver.setup_failed(&reply, "list the catalogue", "harness objects in `data`")),
    }
}
