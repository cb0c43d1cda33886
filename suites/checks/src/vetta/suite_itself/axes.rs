//! Where a hosted loop runs is its own affair (VET-10-b).

use engine::{Driver, Drove};
use recording::{Judged, Recording, View, Witness};
use serde_json::json;
use spec::{Need, Spec};

use super::{
    Suite,
    stand::{entry, open, sample},
    verdicts::rulings,
};
use crate::{
    table::checks,
    vetta::rows::{FLAGS, need_rows},
};

checks! { Vetta:
    "VET-10-b" => isolates_and_sandboxes_are_shown, suite_passes_both;
}

const AXES_TIED: &str = "the suite holds it against a hosted loop where it runs";
/// The verdicts on the catalogue that was shown.
const SHOWN: &str = "shown";
/// How many checks have to have something good to say.
const PASSES_MIN: usize = 20;

/// Hosted loops of both executions, each with every flag and with each flag missing, so that no flag can be
/// read off the execution.
async fn isolates_and_sandboxes_are_shown(driver: &Driver<'_>) -> Drove {
    need_rows(driver, "list").await?;
    let suite = Suite::under_test(driver)?;
    let mut rows = vec![sample(), entry("vetta", "isolate")];
    for execution in ["isolate", "sandbox"] {
        rows.push(entry(&format!("{execution}-whole"), execution));
        // A loop without injected tools is a warning of its own (VET-49).
        for flag in FLAGS.into_iter().filter(|flag| *flag != "injected_tools") {
            let mut row = entry(&format!("{execution}-without-{flag}"), execution);
            row["capabilities"][flag] = json!(false);
            rows.push(row);
        }
    }
    let (_stand_in, place) = open(driver, rows).await?;
    let needs = [Need::Catalogue, Need::SecondAccount, Need::ReservedIds, Need::ExpectedCatalogue];
    suite.run(driver, SHOWN, &place, &needs, 1).await
}

fn suite_passes_both(recording: &Recording, _: &Spec) -> Judged {
    let list = recording.one("list")?;
    let rulings = rulings(recording, SHOWN, 1)?;
    if let Some(red) = rulings.iter().find(|ruling| ruling.is_red()) {
        let expected = format!("nothing against isolates and sandboxes from {}", red.check);
        return Err(red.seen.finding(AXES_TIED, expected).into());
    }
    let passes = rulings.iter().filter(|ruling| ruling.passed());
    let witnesses: Vec<Witness> = passes.map(|ruling| ruling.seen.witness()).collect();
    if witnesses.len() < PASSES_MIN {
        let reason = format!("only {} checks passed on the catalogue that was shown", witnesses.len());
        return Err(recording::Verdict::Error { reason });
    }
    Ok(witnesses.into_iter().fold(list.witness(), Witness::and))
}
