//! A catalogue that has grown does not stop the suite (VET-67-b).

use engine::{Driver, Drove};
use recording::{Judged, Recording, Verdict, View, Witness};
use serde_json::{Value, json};
use spec::{Need, Spec};

use super::{
    Suite,
    stand::{entry, open, sample},
    verdicts::{Ruling, rulings},
};
use crate::{table::checks, vetta::rows::need_rows};

checks! { Vetta:
    "VET-67-b" => plain_and_grown_are_shown, only_the_odd_entry_is_reported;
}

const STOPPED: &str = "a catalogue that has grown stops the suite";
const SPREAD: &str = "the suite holds the growth of a catalogue against more than the odd entry";
const UNSEEN: &str = "the suite does not report an enum member that the contract does not have";

const PLAIN: &str = "plain";
const GROWN: &str = "grown";
/// The entry with a status that the contract does not have.
const ODD: &str = "odd-one";
const PASSES_MIN: usize = 20;

fn plain_rows() -> Vec<Value> {
    vec![sample(), entry("vetta", "isolate"), entry("third", "sandbox")]
}

/// The same rows with members that nobody knows, and one more row whose `status` nobody knows.
fn grown_rows() -> Vec<Value> {
    let mut rows = plain_rows();
    for row in rows.iter_mut().skip(1) {
        row["since"] = json!("2031-01-01");
        row["capabilities"]["telepathy"] = json!(true);
    }
    let mut odd = entry(ODD, "sandbox");
    odd["status"] = json!("experimental");
    rows.push(odd);
    rows
}

async fn plain_and_grown_are_shown(driver: &Driver<'_>) -> Drove {
    need_rows(driver, "list").await?;
    let suite = Suite::under_test(driver)?;
    let needs = [Need::Catalogue, Need::SecondAccount, Need::ReservedIds, Need::ExpectedCatalogue];
    for (name, rows) in [(PLAIN, plain_rows()), (GROWN, grown_rows())] {
        let (_stand_in, place) = open(driver, rows).await?;
        suite.run(driver, name, &place, &needs, 1).await?;
    }
    Ok(())
}

/// Whether what a ruling quotes is the odd entry and no other.
fn is_about_the_odd_one(ruling: &Ruling<'_>) -> bool {
    let others = plain_rows();
    let names = |base: &str| ruling.got().contains(&format!("\"base\":\"{base}\""));
    names(ODD) && !others.iter().any(|row| names(row["base"].as_str().unwrap_or_default()))
}

fn only_the_odd_entry_is_reported(recording: &Recording, _: &Spec) -> Judged {
    let list = recording.one("list")?;
    let plain = rulings(recording, PLAIN, PASSES_MIN)?;
    let grown = rulings(recording, GROWN, 1)?;
    let mut witness: Witness = list.witness();
    let mut reports = 0_usize;
    for before in &plain {
        witness = witness.and(before.seen.witness());
        let Some(after) = grown.iter().find(|ruling| ruling.check == before.check) else {
            return Err(before.seen.finding(STOPPED, "a verdict on the grown catalogue too").into());
        };
        match after.status() {
            status if status == before.status() => {}
            "error" => return Err(after.seen.finding(STOPPED, before.status()).into()),
            "fail" | "warn" if is_about_the_odd_one(after) => reports += 1,
            _ => return Err(after.seen.finding(SPREAD, format!("`{}` as before", before.status())).into()),
        }
        witness = witness.and(after.seen.witness());
    }
    let last = grown.last().ok_or_else(|| Verdict::Error { reason: "no verdict was recorded".to_owned() })?;
    if reports == 0 {
        return Err(last.seen.finding(UNSEEN, format!("a finding that quotes `{ODD}`")).into());
    }
    Ok(witness)
}
