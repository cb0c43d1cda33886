//! Catalogue rows, as the checks look at them. Rows are JSON: what is malformed is what is looked for.

use std::collections::BTreeSet;

use engine::{Call, Driver, Halt, Reply};
use recording::{Finding, Seen, TargetFacts};
use serde_json::Value;

/// The four capability flags.
pub(crate) const FLAGS: [&str; 4] = ["approvals", "structured_output", "streaming_deltas", "injected_tools"];

/// The bases that the documentation itself names.
const DOCUMENTED: [&str; 2] = ["pi", "vetta"];

/// The entries of a listing; a finding where the answer is no listing.
pub(crate) fn rows_of(list: &Seen<'_>) -> Result<Vec<Value>, Finding> {
    let body = list.json()?;
    let rows = rows_in(&body).filter(|_| list.is_success());
    let not_listed =
        || list.finding("the catalogue was not listed", "200 with a list of harness objects in `data`");
    rows.cloned().ok_or_else(not_listed)
}

/// The entries in the body of a listing, one or more. A list without its envelope is read all the same,
/// because its envelope is the business of the checks on it.
fn rows_in(body: &Value) -> Option<&Vec<Value>> {
    body.get("data").unwrap_or(body).as_array().filter(|rows| !rows.is_empty())
}

/// The entries of a listing as a set: the order of a listing is not promised.
pub(crate) fn by_base(list: &Seen<'_>) -> Result<Vec<Value>, Finding> {
    let mut rows = rows_of(list)?;
    rows.sort_by_key(|row| text(row, "base").to_owned());
    Ok(rows)
}

/// The entry of `base`.
pub(crate) fn entry_of<'a>(rows: &'a [Value], base: &str) -> Option<&'a Value> {
    rows.iter().find(|row| text(row, "base") == base)
}

/// A member of a row that is a string; empty where it is none.
pub(crate) fn text<'a>(row: &'a Value, name: &str) -> &'a str {
    row.get(name).and_then(Value::as_str).unwrap_or_default()
}

/// A capability flag of a row.
pub(crate) fn flag(row: &Value, name: &str) -> Option<bool> {
    row.pointer(&format!("/capabilities/{name}"))?.as_bool()
}

/// Whether a row says of itself that it is, or is not, runnable here.
pub(crate) fn runnable(row: &Value) -> Option<bool> {
    row.get("runnable")?.as_bool()
}

/// The bases that a target has to publish as far as is known without asking it: those that its
/// description lists and those that the documentation names, each once and in order.
pub(crate) fn known_bases(facts: &TargetFacts) -> Vec<String> {
    let known: BTreeSet<&str> = facts.list("expected_bases").into_iter().chain(DOCUMENTED).collect();
    known.into_iter().map(str::to_owned).collect()
}

/// Reads the catalogue as a step before the one under test: records it as `label` and returns its rows.
pub(crate) async fn need_rows(driver: &Driver<'_>, label: &str) -> Result<Vec<Value>, Halt> {
    need_listing(driver, label).await.map(|(_, rows)| rows)
}

/// As [`need_rows`], with the answer that the rows came in.
pub(crate) async fn need_listing(driver: &Driver<'_>, label: &str) -> Result<(Reply, Vec<Value>), Halt> {
    listed(driver, label, Call::get("/v1/harnesses")).await
}

/// As [`need_rows`], for a list that is asked for in another way.
pub(crate) async fn need_rows_with(driver: &Driver<'_>, label: &str, call: Call) -> Result<Vec<Value>, Halt> {
    listed(driver, label, call).await.map(|(_, rows)| rows)
}

async fn listed(driver: &Driver<'_>, label: &str, call: Call) -> Result<(Reply, Vec<Value>), Halt> {
    let reply = driver.send(label, call).await;
    let body = driver.need(&reply, "list the catalogue")?;
    let Some(rows) = rows_in(&body) else {
        return Err(driver.setup_failed(&reply, "list the catalogue", "harness objects in `data`"));
    };
    need_more_than_a_list(driver).await?;
    Ok((reply, rows.clone()))
}

/// Asks for something that nobody has. A server that answers with a list there too has no catalogue: it
/// says the same to everybody.
async fn need_more_than_a_list(driver: &Driver<'_>) -> Result<(), Halt> {
    let reply = driver.get("elsewhere", format!("/v1/{}", driver.token())).await;
    if reply.is_success() && reply.json.as_ref().is_some_and(|body| rows_in(body).is_some()) {
        let expected = "no list at a path that is made up";
        return Err(driver.setup_failed(&reply, "tell the catalogue from anything else", expected));
    }
    Ok(())
}

/// Ends a drive that found no loop that is not runnable. Rows that do not say at all whether they are
/// runnable cannot excuse a target.
pub(crate) fn no_dark_row(driver: &Driver<'_>, list: &Reply, rows: &[Value], reason: &str) -> Halt {
    if rows.iter().any(|row| runnable(row) == Some(true)) {
        return driver.inapplicable(reason, "list");
    }
    driver.setup_failed(list, "find out what is runnable", "the boolean `runnable` in some entry")
}
