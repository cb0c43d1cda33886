//! Reads of one harness by its id.

use engine::{Driver, Halt};
use recording::{Recording, Seen, Verdict, View};
use serde_json::Value;

use super::rows::{rows_of, text};
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
    let reads: Vec<_> = askable(&rows).cloned().zip(recording.labelled("read")).collect();
    if reads.is_empty() {
        return Err(list.finding("no entry has a base", "a string in `base`").into());
    }
    Ok(reads)
}

/// The harness object in the answer to a read. One in a wrapper is found too, because the wrapper is the
/// business of the check on it.
pub(crate) fn entry_in(read: &Seen<'_>) -> Option<Value> {
    let body = read.body().filter(|_| read.is_success())?;
    let inner = body.get("data").filter(|_| body.get("base").is_none());
    let entry = match inner {
        Some(Value::Array(items)) if items.len() == 1 => items.first()?,
        Some(inner) => inner,
        None => &body,
    };
    entry.is_object().then(|| entry.clone())
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
    use super::*;

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
