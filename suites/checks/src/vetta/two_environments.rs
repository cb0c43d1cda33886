//! Two environments of one release (VET-19).
//!
//! Which base images an environment has installed is not on the wire, so the description of the target names a
//! second environment that has others (open point U36).

use engine::{Call, Driver, Drove, Halt, Reply};
use recording::{Finding, Judged, Recording, Seen, View};
use serde_json::{Value, json};
use spec::Spec;

use super::{
    agents::Agent,
    environments::{Environment, OTHER, OTHER_URL, is_hosted},
    evidence::{Evidence, by_base},
    rows::{entry_of, need_rows, need_rows_with, rows_of, runnable, text},
};
use crate::table::checks;

checks! { Vetta:
    "VET-19-a" => both_lists_are_read, only_runnable_differs;
    "VET-19-b" => both_lists_are_read, isolates_do_not_differ;
    "VET-19-c" => differing_loops_are_started_in_both, each_start_follows_its_own_list;
}

const OTHER_TABLE: &str = "two environments of one release publish different tables";
const NOTHING_DIFFERS: &str = "`runnable` is the same in two environments with different base images";
const ISOLATE_DIFFERS: &str = "`runnable` of an isolate differs, although an isolate needs no base image";
const NOT_WRITTEN: &str = "an agent could not be written in one of two environments";
const OTHER_ENVIRONMENT: &str = "a start did not follow what `runnable` says in its own environment";

fn list_of_the_other() -> Call {
    Call::get("/v1/harnesses").key_named(OTHER).at(OTHER_URL)
}

async fn need_both(driver: &Driver<'_>) -> Result<(Vec<Value>, Vec<Value>), Halt> {
    Ok((need_rows(driver, "here").await?, need_rows_with(driver, "there", list_of_the_other()).await?))
}

async fn both_lists_are_read(driver: &Driver<'_>) -> Drove {
    need_both(driver).await.map(drop)
}

/// An entry without what may differ.
fn without_runnable(row: &Value) -> Value {
    let mut rest = row.clone();
    if let Some(members) = rest.as_object_mut() {
        members.remove("runnable");
    }
    rest
}

/// The bases whose `runnable` differs, in the order of the first list.
fn differing(here: &[Value], there: &[Value]) -> Vec<String> {
    let differs = |row: &&Value| {
        let other = entry_of(there, text(row, "base")).and_then(runnable);
        runnable(row).zip(other).is_some_and(|(one, other)| one != other)
    };
    here.iter().filter(differs).map(|row| text(row, "base").to_owned()).collect()
}

fn only_runnable_differs(recording: &Recording, _: &Spec) -> Judged {
    let (here, there) = (recording.one("here")?, recording.one("there")?);
    let (mine, theirs) = (rows_of(&here)?, rows_of(&there)?);
    let missing = |one: &[Value], other: &[Value]| {
        one.iter().find(|row| entry_of(other, text(row, "base")).is_none()).cloned()
    };
    if let Some(row) = missing(&mine, &theirs).or_else(|| missing(&theirs, &mine)) {
        let expected = format!("`{}` in both lists", text(&row, "base"));
        return Err(there.finding(OTHER_TABLE, expected).into());
    }
    for row in &mine {
        let other = entry_of(&theirs, text(row, "base")).cloned().unwrap_or_default();
        if without_runnable(row) != without_runnable(&other) {
            return Err(there.finding_got(OTHER_TABLE, row.to_string(), other.to_string()).into());
        }
    }
    if differing(&mine, &theirs).is_empty() {
        return Err(there.finding(NOTHING_DIFFERS, "a base whose `runnable` differs").into());
    }
    Ok(here.witness().and(there.witness()))
}

fn isolates_do_not_differ(recording: &Recording, _: &Spec) -> Judged {
    let (here, there) = (recording.one("here")?, recording.one("there")?);
    let (mine, theirs) = (rows_of(&here)?, rows_of(&there)?);
    let isolates: Vec<&Value> = mine.iter().filter(|row| text(row, "execution") == "isolate").collect();
    for row in &isolates {
        let Some(other) = entry_of(&theirs, text(row, "base")) else { continue };
        if runnable(row) != runnable(other) {
            let expected = format!("`{}` as it is in the other environment: {row}", text(row, "base"));
            return Err(there.finding_got(ISOLATE_DIFFERS, expected, other.to_string()).as_warning());
        }
    }
    let witness = here.witness().and(there.witness());
    if isolates.is_empty() {
        let reason = "the catalogue publishes no isolate".to_owned();
        return Err(recording::Verdict::NotApplicable { reason, evidence: Some(witness) });
    }
    Ok(witness)
}

/// A start of a bare agent in both environments, recorded as `start here: BASE` and `start there: BASE`.
async fn differing_loops_are_started_in_both(driver: &Driver<'_>) -> Drove {
    let (here, there) = need_both(driver).await?;
    let hosted: Vec<Value> = here.iter().filter(|row| is_hosted(row)).cloned().collect();
    let bases = differing(&hosted, &there);
    if bases.is_empty() {
        return Err(driver.inapplicable("no hosted loop differs in `runnable` between the two", "there"));
    }
    let here = Environment::unlisted(driver, "primary")?;
    for base in bases {
        let body = Agent::on(&here, &base).body();
        for (label, place) in [("here", None), ("there", Some(OTHER))] {
            let created = sent(driver, &format!("write {label}: {base}"), "/v1/agents", place, &body).await;
            if let Some(id) = created.text("/id").filter(|_| created.is_success()) {
                let start = json!({ "agent": id });
                sent(driver, &format!("start {label}: {base}"), "/v1/sessions", place, &start).await;
            }
        }
    }
    Ok(())
}

async fn sent(
    driver: &Driver<'_>,
    label: &str,
    path: &str,
    place: Option<&'static str>,
    body: &Value,
) -> Reply {
    let call = Call::post(path, body);
    let call = match place {
        Some(credential) => call.key_named(credential).at(OTHER_URL),
        None => call,
    };
    driver.send(label, call).await
}

fn each_start_follows_its_own_list(recording: &Recording, _: &Spec) -> Judged {
    let mut evidence = Evidence::default();
    for place in ["here", "there"] {
        let list = recording.one(place)?;
        let rows = rows_of(&list)?;
        evidence.see(&list);
        for (base, write) in by_base(recording, &format!("write {place}"))? {
            evidence.accepted(&write, NOT_WRITTEN)?;
            let start = recording.one(&format!("start {place}: {base}"))?;
            follows(&mut evidence, &start, entry_of(&rows, base).and_then(runnable))?;
        }
    }
    evidence.judged()
}

fn follows(evidence: &mut Evidence, start: &Seen<'_>, runnable: Option<bool>) -> Result<(), Finding> {
    if runnable == Some(true) {
        return evidence.accepted(start, OTHER_ENVIRONMENT).map(drop);
    }
    evidence.answered(start, OTHER_ENVIRONMENT, &[501])
}
