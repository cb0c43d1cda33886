//! Rows at the top level (OAO-59, 60).

use engine::{Driver, Drove};
use model::Turn;
use recording::{Judged, Recording, View};
use serde_json::Value;
use spec::Spec;

use super::{
    play::{CALL, KEY, finish, of_call, play, rounds, scratch, two_reads},
    view::{Console, text},
};
use crate::table::checks;

checks! { Oao:
    "OAO-59-a" => six_steps, one_row;
    "OAO-59-b" => called_twice, a_row_each;
    "OAO-60-a" => six_steps, nothing_from_inside;
}

async fn six_steps(driver: &Driver<'_>) -> Drove {
    play(driver, &[KEY], two_reads(), &[CALL]).await
}

/// The rows that have the title of `key`.
fn titled<'v>(console: &'v Console<'_>, key: &str) -> Vec<&'v Value> {
    let title = format!("Harness \u{b7} {key}");
    console.rows().iter().filter(|row| row["title"] == title.as_str()).collect()
}

fn one_row(recording: &Recording, _: &Spec) -> Judged {
    let console = Console::read(recording, "view")?;
    let modal = text(console.modal(CALL)?, "id");
    let rows = titled(&console, KEY);
    match rows.as_slice() {
        [row] if row["opens"] == modal && console.invocations().count() == 1 => Ok(console.seen.witness()),
        _ => {
            let message = "an invocation does not have exactly one row, titled `Harness \u{b7} <key>`";
            let expected = format!("one row titled `Harness \u{b7} {KEY}` that opens `{modal}`");
            let titles: Vec<&str> = console.invocations().map(|row| text(row, "title")).collect();
            Err(console.finding(message, expected, format!("invocations {titles:?}")).into())
        }
    }
}

async fn called_twice(driver: &Driver<'_>) -> Drove {
    let turns = vec![
        Turn::new("scratch-1", finish("done_1", "one")).when(scratch("first-task")),
        Turn::new("scratch-2", finish("done_2", "two")).when(scratch("second-task")),
    ];
    let script = rounds(&[&[("call_1", KEY, "first-task")], &[("call_2", KEY, "second-task")]], turns);
    play(driver, &[KEY], script, &["call_1", "call_2"]).await
}

fn a_row_each(recording: &Recording, _: &Spec) -> Judged {
    let console = Console::read(recording, "view")?;
    let mut modals = [text(console.modal("call_1")?, "id"), text(console.modal("call_2")?, "id")];
    let mut opened: Vec<&str> = titled(&console, KEY).iter().map(|row| text(row, "opens")).collect();
    modals.sort_unstable();
    opened.sort_unstable();
    if opened == modals {
        return Ok(console.seen.witness());
    }
    let message = "two invocations of one operation do not have a row each";
    let expected = format!("rows that open {modals:?}");
    Err(console.finding(message, expected, format!("rows that open {opened:?}")).into())
}

/// What the target published of the inside of the call must not have a row: neither its events, nor what its
/// steps are called.
fn nothing_from_inside(recording: &Recording, _: &Spec) -> Judged {
    let message = "a step of a scratch loop has a row at the top level";
    let console = Console::read(recording, "view")?;
    console.modal(CALL)?;
    let inner = of_call(recording, "harnessToolCallId", CALL);
    let Some(witness) = recording::Witness::all(inner.iter().map(|(seen, _)| seen.witness())) else {
        let run = recording.one("run")?;
        return Err(run.finding("no step of a scratch loop was published", "steps of the call").into());
    };
    let ids: Vec<&str> = inner.iter().map(|(_, event)| text(event, "id")).collect();
    let named = |member: &str| -> Vec<&str> {
        inner.iter().filter_map(|(_, event)| event["publicPayload"].get(member)?.as_str()).collect()
    };
    let (summaries, tools) = (named("summary"), named("toolName"));
    let is_inner = |row: &&Value| {
        let events = row.get("events").and_then(Value::as_array);
        events.into_iter().flatten().any(|id| ids.iter().any(|inner| id == inner))
            || (row["kind"] != "invocation"
                && (summaries.contains(&text(row, "summary")) || tools.contains(&text(row, "title"))))
    };
    match console.rows().iter().find(is_inner) {
        Some(row) => Err(console.finding(message, "no such row", row.to_string()).into()),
        None => Ok(witness.and(console.seen.witness())),
    }
}
