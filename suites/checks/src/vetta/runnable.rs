//! Runnable or not, and where (VET-12, 16 to 18, 20).

use engine::{Driver, Drove};
use recording::{Judged, Recording, View};
use serde_json::{Value, json};
use spec::Spec;

use super::{
    agents::Agent,
    environments::{Environment, is_dark, starts_here},
    evidence::{Evidence, by_base},
    reads::{entry_in, path_of},
    rows::{entry_of, known_bases, need_listing, no_dark_row, rows_of, runnable, text},
};
use crate::table::checks;

checks! { Vetta:
    "VET-12-a" => local_loop_is_started, local_start_is_refused;
    "VET-12-b" => local_loop_is_started, refused_start_leaves_nothing;
    "VET-16-a" => runnable_loops_are_started, every_start_succeeds;
    "VET-16-b" => dark_loops_are_started, every_start_is_501;
    "VET-16-c" => dark_loops_are_started, no_refusal_is_generic;
    "VET-17-a" => dark_loops_are_started, every_501_names_a_field;
    "VET-18-a" => agents_are_written_on_dark_loops, both_writes_are_accepted;
    "VET-20-a" => known_bases_are_read, whatever_is_dark_is_seen;
}

const LOCAL_STARTED: &str = "a start on a local loop was not refused with 400 or 501 naming `harness`";
const NOT_REFUSED: &str = "a start that had to be refused was accepted";
const RUNNABLE_REFUSED: &str = "a loop that is listed as runnable did not start";
const DARK_STARTED: &str = "a loop that is listed as not runnable was started";
const NOT_501: &str = "a loop that is not runnable was refused with another status than 501";
const NO_501: &str = "no start on a loop that is not runnable was answered 501";
const NAMES_NOTHING: &str = "the 501 names no field";
const HIDDEN: &str = "a loop that is published and not runnable is not in the list";
const NOT_READABLE: &str = "a loop that is listed as not runnable does not read as such";
const NOT_WRITTEN: &str = "an agent on a loop that is not runnable could not be written";

/// The twin, on a loop that is runnable here. Where none is, every start has to be refused, and that agents
/// can be written and sessions listed is all that shows that the target is no wall.
async fn need_twin_where_one_starts(environment: &Environment<'_>) -> Drove {
    match environment.find(starts_here) {
        Some(host) => environment.need_listed_twin(text(&host, "base")).await,
        None => Ok(()),
    }
}

async fn local_loop_is_started(driver: &Driver<'_>) -> Drove {
    let is_local = |row: &Value| text(row, "location") == "local";
    let (environment, row) = Environment::having(driver, "a local loop", is_local).await?;
    need_twin_where_one_starts(&environment).await?;
    let agent = environment.need_agent("agent", &Agent::on(&environment, text(&row, "base"))).await?;
    environment.start("start", &agent, &json!({})).await;
    environment.list_sessions("sessions", &agent).await
}

fn local_start_is_refused(recording: &Recording, _: &Spec) -> Judged {
    let mut evidence = Evidence::default();
    let start = recording.one("start")?;
    // A 501 may point at `runnable`, as it does for any loop that cannot run here.
    let fields: &[&str] = if start.status() == Some(501) { &["harness", "runnable"] } else { &["harness"] };
    evidence.refused(&start, LOCAL_STARTED, &[400, 501], fields)?;
    let body = start.json()?;
    if ["session", "session_id"].iter().any(|name| body.get(name).is_some_and(|member| !member.is_null())) {
        return Err(start.finding(LOCAL_STARTED, "no session in the body").into());
    }
    evidence.judged()
}

fn refused_start_leaves_nothing(recording: &Recording, _: &Spec) -> Judged {
    let mut evidence = Evidence::default();
    let start = recording.one("start")?;
    start.answer()?;
    if start.is_success() {
        return Err(start.finding(NOT_REFUSED, "400 or 501").into());
    }
    evidence.no_session(recording, &start, ("sessions", None))?;
    evidence.judged()
}

async fn runnable_loops_are_started(driver: &Driver<'_>) -> Drove {
    let environment = Environment::primary(driver).await?;
    for base in environment.pick_all("hosted loop that is runnable", starts_here)? {
        let agent = environment.need_agent("agent", &Agent::on(&environment, &base)).await?;
        environment.start(&format!("start: {base}"), &agent, &json!({})).await;
    }
    Ok(())
}

fn every_start_succeeds(recording: &Recording, _: &Spec) -> Judged {
    let mut evidence = Evidence::default();
    for (_, start) in by_base(recording, "start")? {
        evidence.accepted(&start, RUNNABLE_REFUSED)?;
    }
    evidence.judged()
}

async fn dark_loops_are_started(driver: &Driver<'_>) -> Drove {
    let environment = Environment::primary(driver).await?;
    let bases = environment.pick_all("hosted loop that is not runnable", is_dark)?;
    need_twin_where_one_starts(&environment).await?;
    for base in bases {
        let agent = environment.need_agent("agent", &Agent::on(&environment, &base)).await?;
        environment.start(&format!("start: {base}"), &agent, &json!({})).await;
        environment.list_sessions(&format!("sessions: {base}"), &agent).await?;
    }
    Ok(())
}

fn every_start_is_501(recording: &Recording, _: &Spec) -> Judged {
    let mut evidence = Evidence::default();
    for (base, start) in by_base(recording, "start")? {
        start.answer()?;
        if start.is_success() {
            return Err(start.finding(DARK_STARTED, "501").into());
        }
        evidence.answered(&start, NOT_501, &[501])?;
        evidence.no_session(recording, &start, (&format!("sessions: {base}"), None))?;
    }
    evidence.judged()
}

fn no_refusal_is_generic(recording: &Recording, _: &Spec) -> Judged {
    let mut evidence = Evidence::default();
    for (_, start) in by_base(recording, "start")? {
        evidence.answered(&start, NOT_501, &[501])?;
    }
    evidence.judged()
}

/// Which status a refusal has is the business of other checks; this one reads every 501 that there is.
fn every_501_names_a_field(recording: &Recording, _: &Spec) -> Judged {
    let mut evidence = Evidence::default();
    let starts = by_base(recording, "start")?;
    for (_, start) in &starts {
        start.answer()?;
        if start.status() == Some(501) {
            evidence.refused(start, NAMES_NOTHING, &[501], &["harness", "runnable"])?;
        }
    }
    match starts.first() {
        Some((_, first)) if starts.iter().all(|(_, start)| start.status() != Some(501)) => {
            Err(first.finding(NO_501, "501").into())
        }
        _ => evidence.judged(),
    }
}

async fn agents_are_written_on_dark_loops(driver: &Driver<'_>) -> Drove {
    let environment = Environment::primary(driver).await?;
    let bases = environment.pick_all("hosted loop that is not runnable", is_dark)?;
    let host = environment.preferring(starts_here);
    for base in bases {
        environment.create(&format!("create: {base}"), &Agent::on(&environment, &base)).await;
        let moved = environment.need_agent("agent", &Agent::on(&environment, text(&host, "base"))).await?;
        environment.patch(&format!("patch: {base}"), &moved, &json!({ "harness": base })).await;
    }
    Ok(())
}

fn both_writes_are_accepted(recording: &Recording, _: &Spec) -> Judged {
    let mut evidence = Evidence::default();
    for write in ["create", "patch"] {
        for (base, seen) in by_base(recording, write)? {
            let agent = evidence.accepted(&seen, NOT_WRITTEN)?;
            if agent.get("harness") != Some(&json!(base)) {
                return Err(seen.finding(NOT_WRITTEN, format!("2xx with the `harness` `{base}`")).into());
            }
        }
    }
    evidence.judged()
}

/// Asks for every base that is listed, and for every other that is known beforehand: a list that hides a
/// loop must not decide what is asked.
async fn known_bases_are_read(driver: &Driver<'_>) -> Drove {
    let (list, rows) = need_listing(driver, "list").await?;
    let listed = rows.iter().map(|row| text(row, "base").to_owned()).filter(|base| !base.is_empty());
    let mut dark = rows.iter().any(|row| runnable(row) == Some(false));
    for base in
        listed.chain(known_bases(driver.facts()).into_iter().filter(|base| entry_of(&rows, base).is_none()))
    {
        let read = driver.get(&format!("read: {base}"), path_of(&base)).await;
        dark |= read.json.as_ref().is_some_and(|entry| runnable(entry) == Some(false));
    }
    if dark {
        return Ok(());
    }
    Err(no_dark_row(driver, &list, &rows, "every loop that is published is runnable"))
}

fn whatever_is_dark_is_seen(recording: &Recording, _: &Spec) -> Judged {
    let mut evidence = Evidence::default();
    let list = recording.one("list")?;
    let rows = rows_of(&list)?;
    for (base, read) in by_base(recording, "read")? {
        read.answer()?;
        let entry = entry_in(&read).unwrap_or_default();
        let (listed, is_dark) = (entry_of(&rows, base), runnable(&entry) == Some(false));
        if is_dark && listed.is_none() {
            return Err(list.finding(HIDDEN, format!("an entry for `{base}`")).into());
        }
        if listed.and_then(runnable) == Some(false) {
            if !is_dark {
                return Err(read.finding(NOT_READABLE, "200 with `runnable` false").into());
            }
            evidence.see(&read);
        }
    }
    evidence.see(&list);
    evidence.judged()
}
