//! The entries of the list, member by member (VET-04 to 07, 08-a, 09 to 11, 22, 49).

use std::collections::BTreeMap;

use engine::{Driver, Drove};
use recording::{Judged, Recording, View, Witness};
use serde_json::Value;
use spec::Spec;

use super::{
    catalogue::list_is_read,
    reads::{entry_in, read_each, reads_of},
    rows::{FLAGS, flag, need_rows, rows_of, text},
};
use crate::table::checks;

checks! { Vetta:
    "VET-04-a" => list_is_read, members_are_present_and_typed;
    "VET-04-b" => list_is_read, flags_are_booleans;
    "VET-04-c" => list_is_read, nothing_is_null_or_empty;
    "VET-05-a" => list_is_read, bases_are_unique;
    "VET-06-a" => each_entry_is_read, location_is_known;
    "VET-07-a" => list_is_read, billing_is_known;
    "VET-08-a" => list_is_read, status_is_known;
    "VET-09-a" => list_is_read, execution_is_known;
    "VET-10-a" => list_is_read, axes_agree_on_local;
    "VET-11-a" => local_loops_are_looked_up, local_is_billed_to_the_account;
    "VET-22-a" => list_is_read, listed_flags_are_whole;
    "VET-22-b" => each_entry_is_read, read_flags_are_whole;
    "VET-49-a" => list_is_read, every_loop_injects_tools;
}

/// The members that are strings.
const STRINGS: [&str; 6] = ["base", "label", "location", "billing", "status", "execution"];

/// Reads the list, and every entry by its id.
async fn each_entry_is_read(driver: &Driver<'_>) -> Drove {
    let rows = need_rows(driver, "list").await?;
    read_each(driver, &rows).await;
    Ok(())
}

/// Every entry of the list holds.
fn each_entry(
    recording: &Recording,
    message: &str,
    expected: &str,
    holds: impl Fn(&Value) -> bool,
) -> Judged {
    let list = recording.one("list")?;
    match rows_of(&list)?.iter().find(|row| !holds(row)) {
        Some(row) => Err(list.finding_got(message, expected, row.to_string()).into()),
        None => Ok(list.witness()),
    }
}

/// Every entry holds that a read by id gave. A read that gives none is the business of VET-61, as long as
/// some read gives one.
fn each_read(recording: &Recording, message: &str, expected: &str, holds: impl Fn(&Value) -> bool) -> Judged {
    let list = recording.one("list")?;
    let mut witnesses = vec![list.witness()];
    for (_, read) in reads_of(recording)? {
        read.answer()?;
        let Some(entry) = entry_in(&read) else { continue };
        if !holds(&entry) {
            return Err(read.finding(message, expected).into());
        }
        witnesses.push(read.witness());
    }
    let unreadable = || list.finding("no entry of the list can be read by its id", "a read that answers 200");
    let is_read = witnesses.len() > 1;
    Ok(Witness::all(witnesses).filter(|_| is_read).ok_or_else(unreadable)?)
}

fn members_are_present_and_typed(recording: &Recording, _: &Spec) -> Judged {
    let message = "a member of a harness object is missing or has the wrong type";
    let expected = "six strings, the boolean `runnable` and the object `capabilities`";
    each_entry(recording, message, expected, |row| {
        STRINGS.iter().all(|name| row.get(name).is_some_and(Value::is_string))
            && row.get("runnable").is_some_and(Value::is_boolean)
            && row.get("capabilities").is_some_and(Value::is_object)
    })
}

fn flags_are_booleans(recording: &Recording, _: &Spec) -> Judged {
    let message = "a flag is not a JSON boolean";
    each_entry(recording, message, "true or false in `runnable` and in each capability flag", |row| {
        let capability = |name: &&str| row.get("capabilities")?.get(*name);
        row.get("runnable").is_some_and(Value::is_boolean)
            && FLAGS.iter().filter_map(capability).all(Value::is_boolean)
    })
}

fn nothing_is_null_or_empty(recording: &Recording, _: &Spec) -> Judged {
    let message = "a member of a harness object is null or empty";
    each_entry(recording, message, "no null and no empty string in the eight members", |row| {
        let members = STRINGS.iter().chain(&["runnable", "capabilities"]).filter_map(|name| row.get(name));
        let is_void = |value: &Value| value.is_null() || value.as_str() == Some("");
        let is_named = |name: &str| row.get(name).is_some_and(Value::is_string);
        !members.into_iter().any(is_void) && is_named("base") && is_named("label")
    })
}

fn bases_are_unique(recording: &Recording, _: &Spec) -> Judged {
    let list = recording.one("list")?;
    let mut spellings: BTreeMap<String, String> = BTreeMap::new();
    for row in rows_of(&list)? {
        let base = text(&row, "base");
        if base.is_empty() {
            return Err(list
                .finding_got("an entry has no base", "a string in `base`", row.to_string())
                .into());
        }
        if let Some(other) = spellings.insert(base.to_lowercase(), base.to_owned()) {
            let expected = "bases that differ by more than letter case";
            return Err(list
                .finding_got("two entries share one base", expected, format!("{other} and {base}"))
                .into());
        }
    }
    Ok(list.witness())
}

fn is_among(row: &Value, name: &str, values: &[&str]) -> bool {
    values.contains(&text(row, name))
}

fn location_is_known(recording: &Recording, _: &Spec) -> Judged {
    let message = "`location` is neither `hosted` nor `local`";
    let holds = |row: &Value| is_among(row, "location", &["hosted", "local"]);
    let listed = each_entry(recording, message, "`hosted` or `local` in each entry", holds)?;
    Ok(listed.and(each_read(recording, message, "`hosted` or `local` in each read by id", holds)?))
}

fn billing_is_known(recording: &Recording, _: &Spec) -> Judged {
    each_entry(recording, "`billing` is neither `usage` nor `account`", "`usage` or `account`", |row| {
        is_among(row, "billing", &["usage", "account"])
    })
}

fn status_is_known(recording: &Recording, _: &Spec) -> Judged {
    each_entry(recording, "`status` is neither `ga` nor `preview`", "`ga` or `preview`", |row| {
        is_among(row, "status", &["ga", "preview"])
    })
}

fn execution_is_known(recording: &Recording, _: &Spec) -> Judged {
    let message = "`execution` is none of `isolate`, `sandbox` and `local`";
    each_entry(recording, message, "`isolate`, `sandbox` or `local`", |row| {
        is_among(row, "execution", &["isolate", "sandbox", "local"])
    })
}

fn axes_agree_on_local(recording: &Recording, _: &Spec) -> Judged {
    let message = "`location` and `execution` do not agree on whether the loop is local";
    each_entry(recording, message, "`local` in both or in neither", |row| {
        let (location, execution) = (text(row, "location"), text(row, "execution"));
        !location.is_empty() && !execution.is_empty() && (location == "local") == (execution == "local")
    })
}

async fn local_loops_are_looked_up(driver: &Driver<'_>) -> Drove {
    let rows = need_rows(driver, "list").await?;
    if rows.iter().any(|row| text(row, "location") == "local") {
        return Ok(());
    }
    Err(driver.inapplicable("the catalogue has no entry whose `location` is `local`", "list"))
}

fn local_is_billed_to_the_account(recording: &Recording, _: &Spec) -> Judged {
    let message = "a local loop is not billed to the account";
    each_entry(recording, message, "`billing` `account` wherever `location` is `local`", |row| {
        text(row, "location") != "local" || text(row, "billing") == "account"
    })
}

fn has_all_flags(row: &Value) -> bool {
    FLAGS.iter().all(|name| flag(row, name).is_some())
}

fn listed_flags_are_whole(recording: &Recording, _: &Spec) -> Judged {
    let message = "an entry of the list lacks a capability flag";
    each_entry(recording, message, "four booleans in `capabilities`", has_all_flags)
}

fn read_flags_are_whole(recording: &Recording, _: &Spec) -> Judged {
    let message = "a read by id lacks a capability flag";
    each_read(recording, message, "four booleans in `capabilities`", has_all_flags)
}

fn every_loop_injects_tools(recording: &Recording, _: &Spec) -> Judged {
    let message = "a published loop does not inject tools";
    each_entry(recording, message, "`injected_tools` true in each entry", |row| {
        flag(row, "injected_tools") == Some(true)
    })
}
