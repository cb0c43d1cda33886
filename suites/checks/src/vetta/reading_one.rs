//! Reading one harness by its id (VET-61 to 63).

use std::collections::BTreeSet;

use engine::{Driver, Drove};
use recording::{Judged, Recording, Seen, Verdict, View, Witness};
use serde_json::Value;
use spec::Spec;

use super::{
    evidence::all_of,
    reads::{entry_in, need_published, path_of, read_each, reads_of},
    rows::{entry_of, need_listing, need_rows, no_dark_row, rows_of, runnable, text},
};
use crate::table::checks;

checks! { Vetta:
    "VET-61-a" => each_entry_is_read, reads_equal_entries;
    "VET-61-b" => each_entry_is_read, reads_have_no_wrapper;
    "VET-62-a" => unknown_ids_are_read, unknown_ids_are_missing;
    "VET-62-b" => other_spellings_are_read, ids_are_matched_exactly;
    "VET-63-a" => reserved_ids_are_read, reserved_ids_are_missing;
    "VET-63-b" => reserved_ids_are_read, reserved_ids_are_not_listed;
    "VET-63-c" => reserved_is_set_beside_dark, reserved_differs_from_dark;
}

async fn each_entry_is_read(driver: &Driver<'_>) -> Drove {
    let rows = need_rows(driver, "list").await?;
    read_each(driver, &rows).await;
    Ok(())
}

fn reads_equal_entries(recording: &Recording, _: &Spec) -> Judged {
    let mut witness = recording.one("list")?.witness();
    for (row, read) in reads_of(recording)? {
        read.answer()?;
        if read.status() != Some(200) || entry_in(&read).as_ref() != Some(&row) {
            let message = "a read by id does not give the object of the list";
            return Err(read.finding(message, format!("200 {row}")).into());
        }
        witness = witness.and(read.witness());
    }
    Ok(witness)
}

fn reads_have_no_wrapper(recording: &Recording, _: &Spec) -> Judged {
    let mut witnesses = Vec::new();
    let list = recording.one("list")?;
    for (row, read) in reads_of(recording)? {
        read.answer()?;
        // A read that gives no harness object at all is the business of VET-61-a.
        if entry_in(&read).is_none() {
            continue;
        }
        let body = read.json()?;
        if text(&body, "base").is_empty() || body.get("data").is_some() {
            let message = "a read by id has a wrapper around the harness object";
            return Err(read
                .finding(message, format!("the object of `{}` itself", text(&row, "base")))
                .as_warning());
        }
        witnesses.push(read.witness());
    }
    let unreadable = || list.finding("no entry of the list can be read by its id", "a read that answers 200");
    Ok(list.witness().and(Witness::all(witnesses).ok_or_else(unreadable)?))
}

async fn unknown_ids_are_read(driver: &Driver<'_>) -> Drove {
    let rows = need_rows(driver, "list").await?;
    let base = need_published(driver, &rows).await?;
    // The second id holds a published base and a question mark: whoever decodes once too often finds the base.
    for id in [driver.token().to_owned(), format!("{base}?{}#:", driver.token())] {
        driver.get("unknown", path_of(&id)).await;
    }
    Ok(())
}

fn unknown_ids_are_missing(recording: &Recording, _: &Spec) -> Judged {
    all_are_missing(recording, ("unknown", 2), "an unknown id is not answered with 404")
}

/// A published base was read, and each of the `count` reads called `label` answers 404.
fn all_are_missing(recording: &Recording, (label, count): (&str, usize), message: &str) -> Judged {
    let mut witness = recording.one("published")?.witness().and(recording.one(label)?.witness());
    for read in all_of(recording, label, count)? {
        if read.answer()?.status != 404 {
            return Err(read.finding(message, "404").into());
        }
        witness = witness.and(read.witness());
    }
    Ok(witness)
}

async fn other_spellings_are_read(driver: &Driver<'_>) -> Drove {
    let rows = need_rows(driver, "list").await?;
    let spelled = rows.iter().find_map(|row| {
        let base = text(row, "base");
        let spellings: BTreeSet<String> = [base.to_uppercase(), text(row, "label").to_owned()]
            .into_iter()
            .filter(|spelling| !spelling.is_empty() && entry_of(&rows, spelling).is_none())
            .collect();
        (!base.is_empty() && !spellings.is_empty()).then_some((row, spellings))
    });
    let Some((row, spellings)) = spelled else {
        return Err(driver.inapplicable("no base of the list has another spelling", "list"));
    };
    need_published(driver, std::slice::from_ref(row)).await?;
    for spelling in spellings {
        driver.get("spelling", path_of(&spelling)).await;
    }
    Ok(())
}

fn ids_are_matched_exactly(recording: &Recording, _: &Spec) -> Judged {
    let mut witness = recording.one("published")?.witness().and(recording.one("spelling")?.witness());
    for read in recording.labelled("spelling") {
        if read.answer()?.status != 404 {
            let message = "an id in another spelling is not answered with 404";
            return Err(read.finding(message, "404").as_warning());
        }
        witness = witness.and(read.witness());
    }
    Ok(witness)
}

async fn reserved_ids_are_read(driver: &Driver<'_>) -> Drove {
    let rows = need_rows(driver, "list").await?;
    need_published(driver, &rows).await?;
    for id in driver.facts().list("reserved_ids") {
        driver.get("reserved", path_of(id)).await;
    }
    Ok(())
}

fn reserved_ids_are_missing(recording: &Recording, _: &Spec) -> Judged {
    let count = recording.target.list("reserved_ids").len();
    all_are_missing(recording, ("reserved", count), "a reserved id is not answered with 404")
}

fn reserved_ids_are_not_listed(recording: &Recording, _: &Spec) -> Judged {
    let list = recording.one("list")?;
    let rows = rows_of(&list)?;
    let reserved = recording.target.list("reserved_ids");
    if reserved.is_empty() {
        return Err(Verdict::Error { reason: "no reserved id is known".to_owned() });
    }
    match reserved.iter().find_map(|id| entry_of(&rows, id)) {
        Some(row) => {
            let expected = "no entry whose base is a reserved id";
            Err(list.finding_got("a reserved id is in the list", expected, row.to_string()).into())
        }
        None => Ok(list.witness()),
    }
}

async fn reserved_is_set_beside_dark(driver: &Driver<'_>) -> Drove {
    let (list, rows) = need_listing(driver, "list").await?;
    let reserved = driver.facts().list("reserved_ids");
    let is_dark = |row: &&Value| runnable(row) == Some(false) && !reserved.contains(&text(row, "base"));
    let Some(dark) = rows.iter().find(is_dark) else {
        return Err(no_dark_row(driver, &list, &rows, "every listed loop is runnable here"));
    };
    driver.get("dark", path_of(text(dark, "base"))).await;
    for id in reserved.iter().take(1) {
        driver.get("reserved", path_of(id)).await;
    }
    Ok(())
}

fn reserved_differs_from_dark(recording: &Recording, _: &Spec) -> Judged {
    let (dark, reserved) = (recording.one("dark")?, recording.one("reserved")?);
    let answers: [&Seen<'_>; 2] = [&dark, &reserved];
    for seen in answers {
        seen.answer()?;
    }
    if dark.is_success() && !reserved.is_success() {
        return Ok(dark.witness().and(reserved.witness()));
    }
    let message = "a loop that is not runnable and a reserved id cannot be told apart";
    let got = format!("{} and {}", dark.summary(), reserved.summary());
    Err(dark.finding_got(message, "200 for the loop and no 200 for the reserved id", got).into())
}
