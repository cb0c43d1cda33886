//! Reads of one harness by its id.

use engine::{Driver, Halt};
use recording::{Recording, Seen, Verdict, View};
use serde_json::Value;

use super::{
    evidence::all_of,
    rows::{rows_of, text},
};
use crate::percent::encoded;

/// The most entries that one check reads by id.
const READS_MAX: usize = 100;

/// The path under which `id` is read.
pub(crate) fn path_of(id: &str) -> String {
    format!("/v1/harnesses/{}", encoded(id))
}

/// The entries that can be asked for one by one: those that have a base.
fn askable(rows: &[Value]) -> impl Iterator<Item = &Value> {
    rows.iter().filter(|row| !text(row, "base").is_empty()).take(READS_MAX)
}

/// Reads each entry by its id, recorded as `read`.
pub(crate) async fn read_each(driver: &Driver<'_>, rows: &[Value]) {
    for row in askable(rows) {
        driver.get("read", path_of(text(row, "base"))).await;
    }
}

/// The entries of `list`, each with the read by [`read_each`] that goes with it. A finding where there is none.
pub(crate) fn reads_of(recording: &Recording) -> Result<Vec<(Value, Seen<'_>)>, Verdict> {
    let list = recording.one("list")?;
    let rows = rows_of(&list)?;
    let asked: Vec<Value> = askable(&rows).cloned().collect();
    if asked.is_empty() {
        return Err(list.finding("no entry has a base", "a string in `base`").into());
    }
    let reads = all_of(recording, "read", asked.len())?;
    Ok(asked.into_iter().zip(reads).collect())
}

/// The harness object in the answer to a read. One in a wrapper is found too, because the wrapper is the
/// business of the check on it. A list is no wrapper: whoever answers a read with the list does not read
/// by id.
pub(crate) fn entry_in(read: &Seen<'_>) -> Option<Value> {
    object_in(&read.body().filter(|_| read.is_success())?).cloned()
}

fn object_in(body: &Value) -> Option<&Value> {
    let inner = body.get("data").filter(|_| body.get("base").is_none());
    inner.or(Some(body)).filter(|entry| entry.is_object())
}

/// Reads the first entry that has a base, as `published`, and returns the base. With it a refusal of another
/// id says something: a target that refuses every read ends here.
pub(crate) async fn need_published(driver: &Driver<'_>, rows: &[Value]) -> Result<String, Halt> {
    let base = askable(rows).next().map_or("", |row| text(row, "base"));
    let reply = driver.get("published", path_of(base)).await;
    driver.need(&reply, "read a published base by its id")?;
    Ok(base.to_owned())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_list_is_no_wrapper_around_an_object() {
        let row = json!({"base": "pi"});
        for (body, found) in [
            (row.clone(), Some(&row)),
            (json!({"data": row}), Some(&row)),
            (json!({"data": [row]}), None),
            (json!({"data": [row, row]}), None),
            (json!([row]), None),
            (json!(null), None),
        ] {
            assert_eq!(object_in(&body), found, "{body}");
        }
    }

    #[test]
    fn whatever_a_segment_cannot_hold_is_encoded() {
        for (id, path) in [
            ("sim-cli", "/v1/harnesses/sim-cli"),
            ("Sim CLI", "/v1/harnesses/Sim%20CLI"),
            ("a/b?c#d", "/v1/harnesses/a%2Fb%3Fc%23d"),
            ("ü", "/v1/harnesses/%C3%BC"),
        ] {
            assert_eq!(path_of(id), path);
        }
    }
}
