//! Groups of generated windows (OAO-270).

use std::collections::{BTreeMap, BTreeSet};

use engine::{Case, Check, Driver, Drove, Halt, Kind, Property};
use proptest::prelude::*;
use recording::{CaseView, Judged};
use serde_json::{Value, json};
use spec::{Contract, Spec};

use super::{
    plant::{lifecycle, need_agent, plant_and_look},
    view::{Console, text},
};

/// The property check of this topic.
pub(super) const PROPERTIES: &[Check] =
    &[Check { id: "OAO-270-p", contract: Contract::Oao, kind: Kind::Property(&COMPONENTS) }];

const COMPONENTS: Property = Property {
    prelude: |driver| Box::pin(agent(driver)),
    strategy: |known, number| {
        let agent = known.clone();
        if let Some((rule, windows, groups)) = tabled(number) {
            return Just(case(&agent, &rule, &windows, json!(groups))).boxed();
        }
        let windows = proptest::collection::vec(window(), 2..7);
        windows.prop_map(move |windows| generated(&agent, &windows)).boxed()
    },
    drive: |driver, case| Box::pin(one_case(driver, case)),
    judge: components_of_overlap,
};

/// A window in tenths of a second: its beginning, and its end unless it has not come yet.
type Window = (u64, Option<u64>);
/// Windows by the ids of their calls.
type Windows = Vec<(String, Window)>;
/// The ids of the members of each group, all in order.
type Groups = Vec<Vec<String>>;

fn window() -> impl Strategy<Value = Window> {
    // Few instants, so that windows touch often.
    let window = (1..12_u64, proptest::option::weighted(0.9, 0..6_u64));
    window.prop_map(|(start, took)| (start, took.map(|took| start + took)))
}

async fn agent(driver: &Driver<'_>) -> Result<Value, Halt> {
    Ok(json!(need_agent(driver).await?.id))
}

/// The case of that number from the table that observers are tested with, too.
fn tabled(number: u64) -> Option<(String, Windows, Groups)> {
    let text = include_str!("../../../../../fixtures/oao/observer/windows.json");
    let table: Value = serde_json::from_str(text).ok()?;
    let case = table["cases"].get(usize::try_from(number).ok()?)?;
    let window = |window: &Value| {
        Some((window["id"].as_str()?.to_owned(), (window["start"].as_u64()?, window["end"].as_u64())))
    };
    let windows = case["windows"].as_array()?.iter().filter_map(window).collect();
    Some((case["name"].as_str()?.to_owned(), windows, serde_json::from_value(case["groups"].clone()).ok()?))
}

fn generated(agent: &Value, windows: &[Window]) -> Case {
    let named: Vec<(String, Window)> =
        windows.iter().enumerate().map(|(at, window)| (format!("w{at}"), *window)).collect();
    case(agent, "generated windows", &named, json!(components(&named)))
}

fn case(agent: &Value, rule: &str, windows: &[(String, Window)], expected: Value) -> Case {
    let windows: Vec<Value> =
        windows.iter().map(|(id, (start, end))| json!({"id": id, "start": start, "end": end})).collect();
    Case { rule: rule.to_owned(), input: json!({"agent": agent, "windows": windows}), expected }
}

/// The components of half-open overlap, pair by pair, with two members at least.
fn components(windows: &[(String, Window)]) -> Vec<Vec<String>> {
    let meet = |one: Window, other: Window| {
        let end = |window: Window| window.1.unwrap_or(u64::MAX);
        one.0 < end(other) && other.0 < end(one)
    };
    let mut left: Vec<usize> = (0..windows.len()).collect();
    let mut groups = Vec::new();
    while let Some(seed) = left.pop() {
        let (mut group, mut edge) = (vec![seed], vec![seed]);
        while let Some(at) = edge.pop() {
            let (met, rest): (Vec<usize>, Vec<usize>) =
                left.iter().partition(|other| meet(windows[at].1, windows[**other].1));
            edge.extend(&met);
            group.extend(met);
            left = rest;
        }
        if group.len() > 1 {
            let mut ids: Vec<String> = group.into_iter().map(|at| windows[at].0.clone()).collect();
            ids.sort();
            groups.push(ids);
        }
    }
    groups.sort();
    groups
}

async fn one_case(driver: &Driver<'_>, case: &Case) -> Drove {
    let windows = case.input["windows"].as_array().cloned().unwrap_or_default();
    let events: Vec<Value> = windows
        .iter()
        .flat_map(|window| {
            let at = |name: &str| window[name].as_u64().map(|tenths| tenths * 100);
            lifecycle(text(window, "id"), at("start").unwrap_or_default(), at("end"))
        })
        .collect();
    plant_and_look(driver, "view", text(&case.input, "agent"), &events).await
}

/// Members that share a group, by the group that `group_of` finds for each.
fn grouped<'v>(members: impl Iterator<Item = (&'v str, Option<&'v str>)>) -> Vec<Vec<String>> {
    let mut groups: BTreeMap<&str, BTreeSet<String>> = BTreeMap::new();
    for (member, group) in members {
        if let Some(group) = group {
            groups.entry(group).or_default().insert(member.to_owned());
        }
    }
    let mut lists: Vec<Vec<String>> = groups.into_values().map(|group| group.into_iter().collect()).collect();
    lists.sort();
    lists
}

fn components_of_overlap(case: &CaseView<'_>, _: &Spec) -> Judged {
    let console = Console::read(case, "view")?;
    let expected: Vec<Vec<String>> =
        serde_json::from_value(case.label().expected.clone()).unwrap_or_default();
    let call_of = |modal: &Value| {
        let found = console.modals().iter().find(|each| each["id"] == *modal);
        found.map_or("", |modal| text(modal, "toolCallId"))
    };
    let group = |of: &'_ Value| of.pointer("/parallel/group").and_then(Value::as_str).map(str::to_owned);
    let rows: Vec<(&str, Option<String>)> =
        console.invocations().map(|row| (call_of(&row["opens"]), group(row))).collect();
    let modals: Vec<(&str, Option<String>)> =
        console.modals().iter().map(|modal| (text(modal, "toolCallId"), group(modal))).collect();
    let mut bars = Vec::new();
    for (at, slot) in console.slots().iter().enumerate() {
        let of_slot = slot.get("bars").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
        let shared = (of_slot.len() > 1).then(|| at.to_string());
        bars.extend(of_slot.iter().filter_map(|bar| {
            let row = console.invocations().find(|row| row["id"] == bar["row"])?;
            Some((call_of(&row["opens"]), shared.clone()))
        }));
    }
    let windows = case.label().input["windows"].as_array().map_or(0, Vec::len);
    if modals.len() != windows {
        let got = format!("{} modals", modals.len());
        return Err(console.finding("an invocation has no modal", format!("{windows} modals"), got).into());
    }
    for (place, members) in [("rows", rows), ("timeline", bars), ("modals", modals)] {
        let found = grouped(members.iter().map(|(member, group)| (*member, group.as_deref())));
        if found != expected {
            let message = "parallel groups are not the components of half-open overlap";
            return Err(console
                .finding(message, format!("{expected:?}"), format!("{place}: {found:?}"))
                .into());
        }
    }
    Ok(case.seen().witness().and(console.seen.witness()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_agrees_with_what_is_computed() {
        let mut number = 0;
        while let Some((rule, windows, groups)) = tabled(number) {
            assert_eq!(components(&windows), groups, "{rule}");
            number += 1;
        }
        assert!(number > 8, "{number} cases");
    }
}
