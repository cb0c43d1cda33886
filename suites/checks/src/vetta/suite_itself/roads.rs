//! Which road tools travel is not on the wire (VET-38-a).

use engine::{Driver, Drove};
use recording::{Judged, Recording, Verdict, View, Witness};
use serde_json::json;
use spec::{Need, Spec};

use super::{Suite, stand::entry, verdicts::rulings};
use crate::{
    table::checks,
    vetta::made_environments::{Made, make},
};

checks! { Vetta:
    "VET-38-a" => both_roads_are_served, verdicts_are_the_same;
}

const ROAD_COUNTS: &str = "a verdict of the suite depends on the road by which tools travel";
const PASSES_MIN: usize = 30;
/// Enough for each rule of the properties.
const CASES: u64 = 24;

const FIRST: &str = "first road";
const SECOND: &str = "second road";

/// Two environments that differ in the road of their loops and in nothing else.
async fn both_roads_are_served(driver: &Driver<'_>) -> Drove {
    let suite = Suite::under_test(driver)?;
    for (name, road) in [(FIRST, "first"), (SECOND, "second")] {
        let mut rows = vec![super::stand::sample(), entry("vetta", "isolate")];
        for execution in ["isolate", "sandbox"] {
            rows.push(entry(&format!("{execution}-whole"), execution));
            let mut poor = entry(&format!("{execution}-poor"), execution);
            poor["capabilities"]["approvals"] = json!(false);
            poor["capabilities"]["structured_output"] = json!(false);
            rows.push(poor);
        }
        let rows = rows.into_iter().map(|row| (row, road)).collect();
        let place =
            make(driver, &format!("make {road}"), Made { rows, reserved: vec!["to-come".to_owned()] })
                .await?;
        let needs =
            [Need::Catalogue, Need::Admission, Need::FixtureRow, Need::ReservedIds, Need::ExpectedCatalogue];
        suite.run(driver, name, &place, &needs, CASES).await?;
    }
    Ok(())
}

fn verdicts_are_the_same(recording: &Recording, _: &Spec) -> Judged {
    let made = [recording.one("make first")?, recording.one("make second")?];
    let (first, second) = (rulings(recording, FIRST, PASSES_MIN)?, rulings(recording, SECOND, 1)?);
    if first.len() != second.len() {
        return Err(Verdict::Error {
            reason: "other checks were run on the one road than on the other".to_owned(),
        });
    }
    let mut witness: Witness = made[0].witness().and(made[1].witness());
    for (one, other) in first.iter().zip(&second) {
        if one.check != other.check || one.status() != other.status() {
            let expected = format!("`{}`, as on the first road, from {}", one.status(), one.check);
            return Err(other.seen.finding(ROAD_COUNTS, expected).into());
        }
        witness = witness.and(one.seen.witness()).and(other.seen.witness());
    }
    Ok(witness)
}
