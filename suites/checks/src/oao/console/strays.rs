//! Where generated events without an owner are shown (OAO-278).

use engine::{Case, Check, Driver, Drove, Halt, Kind, Property};
use proptest::prelude::*;
use recording::{CaseView, Judged};
use serde_json::{Value, json};
use spec::{Contract, Spec};

use super::{
    plant::{lifecycle, loose, need_agent, plant_and_look},
    view::{Console, steps, text},
};

/// The property check of this file.
pub(super) const PROPERTIES: &[Check] =
    &[Check { id: "OAO-278-p", contract: Contract::Oao, kind: Kind::Property(&STRAYS) }];

const STRAYS: Property = Property {
    prelude: |driver| Box::pin(agent(driver)),
    strategy: |known, number| {
        let agent = known.clone();
        if let Some(case) = tabled(&agent, number) {
            return Just(case).boxed();
        }
        let windows = proptest::collection::vec((1..15_u64, proptest::option::weighted(0.9, 0..6_u64)), 1..5);
        let times = proptest::collection::vec(0..22_u64, 1..6);
        (windows, times).prop_map(move |(windows, times)| generated(&agent, &windows, &times)).boxed()
    },
    drive: |driver, case| Box::pin(one_case(driver, case)),
    judge: with_whom_they_certainly_belong,
};

async fn agent(driver: &Driver<'_>) -> Result<Value, Halt> {
    Ok(json!(need_agent(driver).await?.id))
}

/// The case of that number from the table that observers are tested with, too.
fn tabled(agent: &Value, number: u64) -> Option<Case> {
    let text = include_str!("../../../../../fixtures/oao/observer/legacy.json");
    let table: Value = serde_json::from_str(text).ok()?;
    let case = table["cases"].get(usize::try_from(number).ok()?)?;
    let events = case["events"].as_array()?;
    let (times, places): (Vec<&Value>, Vec<&Value>) =
        events.iter().map(|event| (&event["at"], &event["place"])).unzip();
    Some(Case {
        rule: case["name"].as_str()?.to_owned(),
        input: json!({"agent": agent, "windows": case["windows"], "times": times}),
        expected: json!({"places": places, "partial": case["partial"]}),
    })
}

/// Windows are given as a beginning and what they took; all times are in tenths of a second.
fn generated(agent: &Value, windows: &[(u64, Option<u64>)], times: &[u64]) -> Case {
    let id = |at: usize| format!("w{at}");
    let around = |time: u64| -> Vec<usize> {
        let holds =
            |(start, took): (u64, Option<u64>)| start <= time && took.is_none_or(|took| time <= start + took);
        (0..windows.len()).filter(|at| holds(windows[*at])).collect()
    };
    let places: Vec<String> = times
        .iter()
        .map(|time| match around(*time).as_slice() {
            [only] => id(*only),
            _ => "parent".to_owned(),
        })
        .collect();
    let is_unclear =
        |at: &usize| times.iter().any(|time| around(*time).len() > 1 && around(*time).contains(at));
    let partial: Vec<String> = (0..windows.len()).filter(is_unclear).map(id).collect();
    let windows: Vec<Value> = windows
        .iter()
        .enumerate()
        .map(
            |(at, (start, took))| json!({"id": id(at), "start": start, "end": took.map(|took| start + took)}),
        )
        .collect();
    Case {
        rule: "generated windows and events".to_owned(),
        input: json!({"agent": agent, "windows": windows, "times": times}),
        expected: json!({"places": places, "partial": partial}),
    }
}

fn name(at: usize) -> String {
    format!("stray_{at}_")
}

async fn one_case(driver: &Driver<'_>, case: &Case) -> Drove {
    let list = |name: &str| case.input[name].as_array().cloned().unwrap_or_default();
    let ms = |tenths: &Value| tenths.as_u64().map(|tenths| tenths * 100);
    let mut events: Vec<Value> = list("windows")
        .iter()
        .flat_map(|window| {
            lifecycle(text(window, "id"), ms(&window["start"]).unwrap_or_default(), ms(&window["end"]))
        })
        .collect();
    let times = list("times");
    events.extend(times.iter().enumerate().filter_map(|(at, time)| Some(loose(&name(at), ms(time)?))));
    plant_and_look(driver, "view", text(&case.input, "agent"), &events).await
}

/// What belongs to one for certain may stay outside all the same.
fn with_whom_they_certainly_belong(case: &CaseView<'_>, _: &Spec) -> Judged {
    let console = Console::read(case, "view")?;
    let expected = &case.label().expected;
    let places = expected["places"].as_array().cloned().unwrap_or_default();
    let mut kept_outside = false;
    for (at, place) in places.iter().enumerate() {
        let is_it = |value: &&Value| text(value, "title").contains(&name(at));
        let outside = console.rows().iter().filter(is_it).count();
        let holders: Vec<&str> = console
            .modals()
            .iter()
            .flat_map(|modal| steps(modal).iter().filter(is_it).map(|_| text(modal, "toolCallId")))
            .collect();
        kept_outside |= outside == 1 && place != "parent";
        let fits = match (outside, holders.as_slice()) {
            (1, []) => true,
            (0, [holder]) => place == holder,
            _ => false,
        };
        if !fits {
            let message =
                "an event that names no owner is shown with one to which it does not certainly belong";
            let got = format!("{outside} rows, in the modals of {holders:?}");
            return Err(console.finding(message, format!("event {at} once, at {place}"), got).into());
        }
    }
    let mut partial: Vec<&str> = console
        .modals()
        .iter()
        .filter(|modal| modal["attribution"] == "partial")
        .map(|modal| text(modal, "toolCallId"))
        .collect();
    partial.sort_unstable();
    let wanted: Vec<&str> =
        expected["partial"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    let missing = wanted.iter().any(|call| !partial.contains(call));
    if missing || (partial != wanted && !kept_outside) {
        let message = "the notice of a partial attribution is not where it belongs";
        return Err(console.finding(message, format!("{wanted:?}"), format!("{partial:?}")).into());
    }
    Ok(case.seen().witness().and(console.seen.witness()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_agrees_with_what_is_computed() {
        let mut number = 0;
        while let Some(case) = tabled(&json!("a"), number) {
            let windows = case.input["windows"].as_array().unwrap();
            let named = |id: &Value| windows.iter().position(|window| window["id"] == *id);
            let spans: Vec<(u64, Option<u64>)> = windows
                .iter()
                .map(|window| {
                    let start = window["start"].as_u64().unwrap();
                    (start, window["end"].as_u64().map(|end| end - start))
                })
                .collect();
            let times: Vec<u64> =
                case.input["times"].as_array().unwrap().iter().map(|time| time.as_u64().unwrap()).collect();
            let renamed = |list: &Value| -> Vec<String> {
                let of = |id: &Value| named(id).map_or("parent".to_owned(), |at| format!("w{at}"));
                list.as_array().unwrap().iter().map(of).collect()
            };
            let computed = generated(&json!("a"), &spans, &times).expected;
            assert_eq!(json!(renamed(&case.expected["places"])), computed["places"], "{}", case.rule);
            assert_eq!(json!(renamed(&case.expected["partial"])), computed["partial"], "{}", case.rule);
            number += 1;
        }
        assert!(number > 5, "{number} cases");
    }
}
