//! What a client shows and what it offers (VET-21, 67-a, 240, 242, 243).

use engine::{Driver, Drove};
use recording::{Judged, Recording, Verdict, Witness};
use serde_json::{Value, json};
use spec::Spec;

use super::{
    super::rows::text,
    printed::{Printed, list_reads, requests, served, visit},
    shop::{Shop, Trade, row, with},
};
use crate::table::checks;

checks! { Vetta:
    "VET-21-a" => dark_loop_is_picked, dark_loop_is_shown_and_not_started;
    "VET-67-a" => grown_list_is_shown, nothing_of_it_is_lost;
    "VET-240-a" => two_entries_share_a_label, every_entry_is_shown;
    "VET-242-a" => local_loop_is_picked, local_loop_is_not_offered;
    "VET-243-a" => plain_list_is_shown, only_what_is_listed_is_offered;
}

const NOT_SHOWN: &str = "an entry of the list is missing in what the client shows";
const NOT_OFFERED: &str = "the client does not offer a loop that runs here";
const DARK_OFFERED: &str = "the client offers a loop that is not runnable";
const DARK_STARTED: &str = "the client started a session on a loop that is not runnable";
const GROWTH: &str = "the client lost entries of a list that has grown";
const LOCAL_OFFERED: &str = "the client offers a local loop for a hosted session";
const LOCAL_STARTED: &str = "the client started a hosted session on a local loop";
const UNLISTED_OFFERED: &str = "the client offers a base that is not in the list";

/// A visit at which the second row is picked, which cannot be started.
async fn second_is_picked(driver: &Driver<'_>, members: Value) -> Drove {
    let second = with(row(driver, "second"), &members);
    let base = text(&second, "base").to_owned();
    let shop = Shop::open(driver, vec![row(driver, "first"), second], Trade::default()).await?;
    shop.visit(Some(&base)).await
}

async fn dark_loop_is_picked(driver: &Driver<'_>) -> Drove {
    second_is_picked(driver, json!({"runnable": false})).await
}

async fn local_loop_is_picked(driver: &Driver<'_>) -> Drove {
    let members =
        json!({"location": "local", "execution": "local", "billing": "account", "status": "preview"});
    second_is_picked(driver, members).await
}

fn dark_loop_is_shown_and_not_started(recording: &Recording, _: &Spec) -> Judged {
    second_is_shown_only(recording, DARK_OFFERED, DARK_STARTED)
}

fn local_loop_is_not_offered(recording: &Recording, _: &Spec) -> Judged {
    second_is_shown_only(recording, LOCAL_OFFERED, LOCAL_STARTED)
}

/// The first row is offered; the second one is shown, not offered, and not started although it was picked.
fn second_is_shown_only(recording: &Recording, offered: &str, started: &str) -> Judged {
    let (table, rows) = served(recording)?;
    let visit = visit(recording)?;
    let reads = list_reads(recording)?;
    let [first, second] = &rows[..] else {
        return Err(Verdict::Error { reason: "two rows were to be served".to_owned() });
    };
    if !visit.offered().contains(text(first, "base")) {
        return Err(visit.seen.finding(NOT_OFFERED, format!("`{}` selectable", text(first, "base"))).into());
    }
    let base = text(second, "base");
    match visit.of(base) {
        None => return Err(visit.seen.finding(NOT_SHOWN, format!("a line for `{base}`")).into()),
        Some(choice) if choice.selectable => {
            return Err(visit.seen.finding(offered, format!("`{base}` not selectable")).into());
        }
        Some(_) => {}
    }
    if let Some(start) = requests(recording)?.iter().find(|request| request.is("POST", "/v1/sessions")) {
        return Err(start.seen.finding(started, "no start of a session").into());
    }
    Ok(table.witness().and(visit.seen.witness()).and(reads[0].seen.witness()))
}

/// A list as a later release may serve it: more members, a status that nobody knows yet.
async fn grown_list_is_shown(driver: &Driver<'_>) -> Drove {
    let mut richer = with(row(driver, "richer"), &json!({"since": "2031-01-01", "tags": ["new"]}));
    richer["capabilities"]["telepathy"] = json!(true);
    let strange = with(row(driver, "strange"), &json!({"status": "experimental"}));
    let rows = vec![row(driver, "first"), richer, strange];
    let shop = Shop::open(driver, rows, Trade::default()).await?;
    shop.visit(None).await
}

fn nothing_of_it_is_lost(recording: &Recording, _: &Spec) -> Judged {
    let witness = all_are_shown(recording, GROWTH)?;
    let (visit, rows) = (visit(recording)?, served(recording)?.1);
    // What has an unknown status may be offered or not; the others are as good as ever.
    let known = rows.iter().filter(|row| matches!(text(row, "status"), "ga" | "preview"));
    for base in known.map(|row| text(row, "base")) {
        if !visit.offered().contains(base) {
            return Err(visit.seen.finding(GROWTH, format!("`{base}` selectable")).into());
        }
    }
    Ok(witness)
}

async fn plain_list_is_shown(driver: &Driver<'_>) -> Drove {
    let rows = ["first", "second"].map(|name| row(driver, name));
    let shop = Shop::open(driver, rows.into(), Trade::default()).await?;
    shop.visit(None).await
}

async fn two_entries_share_a_label(driver: &Driver<'_>) -> Drove {
    let label = json!({"label": "The loop"});
    let rows = ["first", "second", "third"].map(|name| with(row(driver, name), &label));
    let shop = Shop::open(driver, rows.into(), Trade::default()).await?;
    shop.visit(None).await
}

fn every_entry_is_shown(recording: &Recording, _: &Spec) -> Judged {
    all_are_shown(recording, NOT_SHOWN)
}

/// Every row that was served has a line of its own.
pub(super) fn all_are_shown(recording: &Recording, message: &str) -> Result<Witness, Verdict> {
    let (table, rows) = served(recording)?;
    let visit = visit(recording)?;
    let reads = list_reads(recording)?;
    shows_all(&visit, &rows, message)?;
    Ok(table.witness().and(visit.seen.witness()).and(reads[0].seen.witness()))
}

pub(super) fn shows_all(visit: &Printed<'_>, rows: &[Value], message: &str) -> Result<(), Verdict> {
    match rows.iter().map(|row| text(row, "base")).find(|base| visit.of(base).is_none()) {
        Some(base) => Err(visit.seen.finding(message, format!("a line for `{base}`")).into()),
        None if rows.is_empty() => Err(Verdict::Error { reason: "no row was served".to_owned() }),
        None => Ok(()),
    }
}

fn only_what_is_listed_is_offered(recording: &Recording, _: &Spec) -> Judged {
    let (table, rows) = served(recording)?;
    let visit = visit(recording)?;
    let reads = list_reads(recording)?;
    let offered = visit.offered();
    if let Some(base) = offered.iter().find(|base| rows.iter().all(|row| text(row, "base") != **base)) {
        let expected = format!("`{base}` not selectable: a read of it is answered 404");
        return Err(visit.seen.finding(UNLISTED_OFFERED, expected).into());
    }
    if offered.is_empty() {
        return Err(visit.seen.finding(NOT_OFFERED, "some loop that can be selected").into());
    }
    Ok(table.witness().and(visit.seen.witness()).and(reads[0].seen.witness()))
}
