//! The listing of the catalogue (VET-03, 57 to 60, 66).

use engine::{Call, Driver, Drove};
use recording::{Judged, Recording, Seen, View, Witness};
use serde_json::{Value, json};
use spec::Spec;

use super::rows::{need_rows, rows_of, text};
use crate::table::checks;

checks! { Vetta:
    "VET-03-b" => writes_are_tried, writes_change_nothing;
}

const WRITES: [&str; 4] = ["POST", "PUT", "PATCH", "DELETE"];

async fn writes_are_tried(driver: &Driver<'_>) -> Drove {
    let rows = need_rows(driver, "before").await?;
    let base = text(&rows[0], "base").to_owned();
    let row = json!({"base": driver.token(), "label": driver.token(), "status": "ga"});
    for method in WRITES {
        for path in ["/v1/harnesses".to_owned(), format!("/v1/harnesses/{base}")] {
            driver.send("write", Call::new(method, path).json(&row)).await;
        }
    }
    driver.get("after", "/v1/harnesses").await;
    Ok(())
}

fn writes_change_nothing(recording: &Recording, _: &Spec) -> Judged {
    let writes = recording.labelled("write");
    for write in &writes {
        write.answer()?;
        if write.is_success() {
            return Err(write.finding("a write to the catalogue was accepted", "no 2xx to any write").into());
        }
    }
    let (before, after) = (recording.one("before")?, recording.one("after")?);
    if by_base(&before)? != by_base(&after)? {
        return Err(after.finding("the catalogue changed after a write", "the same objects as before").into());
    }
    Ok(Witness::all(writes.iter().map(Seen::witness)).unwrap_or_else(|| after.witness()).and(after.witness()))
}

/// The rows of a listing as a set: the order of a listing is not promised.
fn by_base(list: &Seen<'_>) -> Result<Vec<Value>, recording::Finding> {
    let mut rows = rows_of(list)?;
    rows.sort_by_key(|row| text(row, "base").to_owned());
    Ok(rows)
}
