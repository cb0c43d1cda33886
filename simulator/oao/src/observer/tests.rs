//! Tables of windows and events, and what holds for all of them.

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;
use serde_json::{Value, json};

use super::{ObserverParts, View, project, timeline};

const WINDOWS: &str = include_str!("../../../../fixtures/oao/observer/windows.json");
const LEGACY: &str = include_str!("../../../../fixtures/oao/observer/legacy.json");
const BARS: &str = include_str!("../../../../fixtures/oao/observer/bars.json");
/// What times are counted from.
const BASE: &str = "2026-01-05T09:00:00Z";

fn cases(text: &str) -> Vec<Value> {
    let table: Value = serde_json::from_str(text).unwrap();
    table["cases"].as_array().unwrap().clone()
}

fn time(at_ms: i64) -> String {
    let base: jiff::Timestamp = BASE.parse().unwrap();
    format!("{:.3}", base + jiff::SignedDuration::from_millis(at_ms))
}

fn event(id: &str, kind: &str, at_ms: i64, payload: Value) -> Value {
    json!({"id": id, "eventKind": kind, "aggregateId": "run", "occurredAt": time(at_ms), "publicPayload": payload})
}

/// The lifecycle events of a window: an end of `None` is not reached.
fn lifecycle(id: &str, start: i64, end: Option<i64>) -> Vec<Value> {
    let payload = json!({"operationKey": "look", "toolCallId": id, "taskCharacters": 3, "timeoutMs": 1000});
    let mut events = vec![event(&format!("{id}-0"), "harness.operation_started", start, payload.clone())];
    if let Some(end) = end {
        let mut ended = payload;
        ended["resultValidated"] = json!(true);
        events.push(event(&format!("{id}-1"), "harness.operation_completed", end, ended));
    }
    events
}

fn of_windows(case: &Value) -> Vec<Value> {
    let windows = case["windows"].as_array().unwrap().iter();
    let of = |window: &Value| {
        lifecycle(window["id"].as_str().unwrap(), window["start"].as_i64().unwrap(), window["end"].as_i64())
    };
    windows.flat_map(of).collect()
}

/// Numbers the events in this order and looks at them.
fn look(events: &[Value]) -> View {
    let numbered: Vec<Value> = events
        .iter()
        .enumerate()
        .map(|(at, event)| {
            let mut event = event.clone();
            event["projectPosition"] = json!((at + 1).to_string());
            event
        })
        .collect();
    shown(&numbered)
}

fn shown(events: &[Value]) -> View {
    project(&ObserverParts::default(), &json!({"id": "s", "debug": {"productEvents": events}}))
}

/// The groups that rows, timeline and modals show, which have to be the same.
fn grouped(view: &View) -> Vec<Vec<String>> {
    let mut by_row: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for row in &view.rows {
        if let Some(rail) = &row.parallel {
            by_row.entry(&rail.group).or_default().push(&row.id);
        }
    }
    let mut by_modal: BTreeMap<&str, Vec<(usize, &str)>> = BTreeMap::new();
    for modal in &view.modals {
        if let Some(place) = &modal.parallel {
            by_modal.entry(&place.group).or_default().push((place.position, &modal.id));
        }
    }
    let in_slots: BTreeMap<&str, Vec<&str>> = view
        .timeline
        .iter()
        .filter_map(|slot| {
            Some((slot.parallel.as_deref()?, slot.bars.iter().map(|bar| bar.row.as_str()).collect()))
        })
        .collect();
    assert_eq!(by_row, in_slots);
    for (group, members) in &mut by_modal {
        members.sort_unstable();
        let positions: Vec<usize> = members.iter().map(|(position, _)| *position).collect();
        assert_eq!(positions, (1..=members.len()).collect::<Vec<_>>(), "{group}");
        let ids: BTreeSet<&str> = members.iter().map(|(_, id)| *id).collect();
        assert_eq!(ids, by_row[group].iter().copied().collect());
    }
    assert_eq!(by_modal.len(), by_row.len());
    let id = |row: &&str| row.trim_start_matches("harness:").to_owned();
    let mut groups: Vec<Vec<String>> = by_row.values().map(|rows| rows.iter().map(id).collect()).collect();
    groups.iter_mut().for_each(|group| group.sort());
    groups.sort();
    groups
}

#[test]
fn windows_lead_to_groups() {
    for case in cases(WINDOWS) {
        let mut events = of_windows(&case);
        let expected = case["groups"].clone();
        assert_eq!(json!(grouped(&look(&events))), expected, "{}", case["name"]);
        events.reverse();
        assert_eq!(json!(grouped(&look(&events))), expected, "{} reversed", case["name"]);
    }
}

#[test]
fn a_group_is_named_for_its_members() {
    let mut events = lifecycle("b", 0, Some(10));
    events.extend(lifecycle("a", 5, Some(10)));
    let view = look(&events);
    let rail = view.rows[0].parallel.as_ref().unwrap();
    assert_eq!((rail.group.as_str(), rail.badge.as_str()), ("parallel:a:b", "2 parallel"));
    let place = view.modals[1].parallel.as_ref().unwrap();
    assert_eq!((view.modals[1].tool_call_id.as_str(), place.position, place.count), ("a", 2, 2));
}

#[test]
fn events_without_an_owner_go_where_they_certainly_belong() {
    for case in cases(LEGACY) {
        let mut events = of_windows(&case);
        for (at, loose) in case["events"].as_array().unwrap().iter().enumerate() {
            let kind = ["model.invocation_completed", "skill.activated", "harness.operation_step"][at % 3];
            events.push(event(&format!("loose-{at}"), kind, loose["at"].as_i64().unwrap(), json!({})));
        }
        let view = look(&events);
        for (at, loose) in case["events"].as_array().unwrap().iter().enumerate() {
            let place = place_of(&view, &format!("loose-{at}"));
            assert_eq!(place, [loose["place"].as_str().unwrap()], "{} {at}", case["name"]);
        }
        let partial: Vec<&str> = view
            .modals
            .iter()
            .filter(|modal| modal.attribution == "partial")
            .map(|modal| modal.tool_call_id.as_str())
            .collect();
        assert_eq!(json!(partial), case["partial"], "{}", case["name"]);
    }
}

/// Where the event called `id` is shown.
fn place_of(view: &View, id: &str) -> Vec<String> {
    let holds = |events: &[String]| events.iter().filter(|event| *event == id).count();
    let mut places = Vec::new();
    for row in &view.rows {
        let place = if row.kind == "invocation" { "row" } else { "parent" };
        places.extend(std::iter::repeat_n(place.to_owned(), holds(&row.events)));
    }
    for modal in &view.modals {
        let count = modal.steps.iter().map(|step| holds(&step.events)).sum();
        places.extend(std::iter::repeat_n(modal.tool_call_id.clone(), count));
    }
    places
}

fn step(id: &str, owner: &str, at_ms: i64, index: u64) -> Value {
    let payload = json!({
        "operationKey": "look", "harnessToolCallId": owner, "stepKind": "model", "stepId": format!("turn:{id}"),
        "stepIndex": index, "summary": "Requested read.", "status": "success", "inputTokens": 7,
    });
    event(id, "harness.operation_step", at_ms, payload)
}

#[test]
fn a_named_owner_beats_the_time() {
    let mut events = lifecycle("a", 0, Some(10));
    events.extend(lifecycle("b", 20, Some(30)));
    events.push(step("late", "a", 25, 0));
    let view = look(&events);
    assert_eq!(place_of(&view, "late"), ["a"]);
    assert!(view.modals.iter().all(|modal| modal.attribution == "complete"));
}

#[test]
fn what_names_a_step_joins_it() {
    let mut events = lifecycle("a", 0, Some(10));
    events.extend(lifecycle("b", 0, Some(10)));
    events.push(step("t1", "a", 5, 0));
    let model = json!({"harnessToolCallId": "a", "harnessStepId": "turn:t1", "outputTokens": 3});
    events.push(event("model", "model.invocation_completed", 5, model));
    events.push(event("begun", "model.invocation_started", 4, json!({"turnId": "t1"})));
    events.push(event("parents", "model.invocation_completed", 0, json!({})));
    let view = look(&events);
    let [only] = view.modals[0].steps.as_slice() else { panic!("{:?}", view.modals[0].steps) };
    assert_eq!((only.input_tokens, only.output_tokens, only.events.len()), (Some(7), Some(3), 3));
    assert_eq!(place_of(&view, "parents"), ["parent"]);
    assert!(view.modals.iter().all(|modal| modal.attribution == "complete"));
}

#[test]
fn steps_are_sorted_by_index_and_the_operation_itself_is_none() {
    let mut events = lifecycle("a", 0, Some(10));
    events.push(step("second", "a", 3, 1));
    events.push(step("first", "a", 4, 0));
    let mut own = step("own", "a", 5, 2);
    own["publicPayload"]["stepKind"] = json!("tool");
    own["publicPayload"]["toolName"] = json!("look");
    events.push(own);
    let view = look(&events);
    let ids: Vec<&str> = view.modals[0].steps.iter().map(|step| step.id.as_str()).collect();
    assert_eq!(ids, ["turn:first", "turn:second"]);
    assert_eq!(place_of(&view, "own"), ["row"]);
    let summary = view.rows[0].summary.as_deref();
    assert_eq!(summary, Some("2 model turns \u{b7} 0 tool steps \u{b7} validated result"));
}

#[test]
fn the_lifecycle_decides_status_and_window() {
    let of = |kinds: &[(&str, i64)]| {
        let payload = json!({"operationKey": "look", "toolCallId": "a"});
        let events = kinds.iter().enumerate().map(|(at, (kind, time))| {
            event(&at.to_string(), &format!("harness.operation_{kind}"), *time, payload.clone())
        });
        let view = look(&events.collect::<Vec<_>>());
        let (row, modal) = (&view.rows[0], &view.modals[0]);
        assert_eq!((view.rows.len(), row.title.as_str()), (1, "Harness \u{b7} look"));
        (row.status, modal.status, modal.started_at.clone(), modal.ended_at.clone(), modal.duration_ms)
    };
    let start = time(5);
    for (kinds, row, modal, end) in [
        (&[("started", 5)][..], "pending", "running", None),
        (&[("started", 5), ("completed", 9)], "success", "completed", Some(9)),
        (&[("started", 5), ("failed", 9)], "error", "failed", Some(9)),
        (&[("started", 5), ("timed_out", 9)], "error", "timed_out", Some(9)),
        (&[("started", 5), ("cancelled", 9)], "info", "cancelled", Some(9)),
        // The latest terminal event counts, whichever came first.
        (&[("completed", 12), ("failed", 9), ("started", 5)], "success", "completed", Some(12)),
        // One without a started event begins and ends at once.
        (&[("failed", 5)], "error", "failed", Some(5)),
    ] {
        let took = end.map(|end| (end - 5) as f64);
        assert_eq!(of(kinds), (row, modal, start.clone(), end.map(time), took), "{kinds:?}");
    }
}

#[test]
fn a_lifecycle_event_without_a_call_stands_for_itself() {
    let loose = |id: &str| event(id, "harness.operation_completed", 5, json!({"operationKey": "look"}));
    let view = look(&[loose("x"), loose("y")]);
    assert_eq!(
        view.modals.iter().map(|modal| modal.id.as_str()).collect::<Vec<_>>(),
        ["harness:x", "harness:y"]
    );
}

#[test]
fn times_that_cannot_be_read_place_nothing() {
    let mut events = lifecycle("a", 0, Some(10));
    let mut odd = event("odd", "skill.activated", 5, json!({}));
    odd["occurredAt"] = json!("yesterday");
    events.push(odd);
    let mut untimed = lifecycle("b", 0, Some(10));
    untimed.iter_mut().for_each(|event| event["occurredAt"] = json!("?"));
    events.extend(untimed);
    let view = look(&events);
    assert_eq!(place_of(&view, "odd"), ["parent"]);
    assert_eq!((view.modals.len(), grouped(&view).len()), (2, 0));
}

#[test]
fn durations_lead_to_bars() {
    for case in cases(BARS) {
        let durations: Vec<f64> =
            case["durations"].as_array().unwrap().iter().map(|each| each.as_f64().unwrap()).collect();
        let rows: Vec<_> = durations.iter().map(|each| (String::new(), None, *each)).collect();
        let slot = timeline::slot(timeline::bar_width, None, &rows);
        let widths: Vec<f64> = slot.bars.iter().map(|bar| bar.width).collect();
        let expected: Vec<f64> =
            case["widths"].as_array().unwrap().iter().map(|each| each.as_f64().unwrap()).collect();
        assert_eq!(widths, expected, "{}", case["name"]);
    }
    for (duration, weight) in [(0.0, 26.0), (500.0, 26.0), (10_000.0, 100.0), (1e9, 140.0)] {
        assert_eq!(
            timeline::slot(timeline::bar_width, None, &[(String::new(), None, duration)]).weight,
            weight
        );
    }
}

type Span = (i64, Option<i64>);

fn spans() -> impl Strategy<Value = Vec<Span>> {
    let span = (0..12_i64, proptest::option::weighted(0.9, 0..6_i64));
    proptest::collection::vec(span.prop_map(|(start, took)| (start, took.map(|took| start + took))), 1..7)
}

/// The components of half-open overlap, pair by pair.
fn components(spans: &[Span]) -> Vec<Vec<String>> {
    let end = |span: &Span| span.1.unwrap_or(i64::MAX);
    let mut of: Vec<usize> = (0..spans.len()).collect();
    for one in 0..spans.len() {
        for other in 0..one {
            if spans[one].0 < end(&spans[other]) && spans[other].0 < end(&spans[one]) {
                let (from, to) = (of[one], of[other]);
                of.iter_mut().filter(|each| **each == from).for_each(|each| *each = to);
            }
        }
    }
    let mut groups: BTreeMap<usize, Vec<String>> = BTreeMap::new();
    of.iter().enumerate().for_each(|(at, root)| groups.entry(*root).or_default().push(format!("c{at}")));
    let mut groups: Vec<_> = groups.into_values().filter(|group| group.len() > 1).collect();
    groups.sort();
    groups
}

/// Loose events, owned steps and lifecycles.
fn scenes() -> impl Strategy<Value = (Vec<Span>, Vec<Value>)> {
    let extra = (0..8_usize, 0..20_i64, 0..6_usize);
    (spans(), proptest::collection::vec(extra, 0..12)).prop_map(|(spans, extras)| {
        let mut events: Vec<Value> = spans
            .iter()
            .enumerate()
            .flat_map(|(at, span)| lifecycle(&format!("c{at}"), span.0, span.1))
            .collect();
        for (at, (kind, time, owner)) in extras.into_iter().enumerate() {
            let id = format!("x{at}");
            events.push(match kind {
                0..3 => step(&id, &format!("c{owner}"), time, at as u64 % 3),
                3 => event(&id, "model.invocation_started", time, json!({"turnId": format!("x{owner}")})),
                4 => event(&id, "model.invocation_completed", time, json!({})),
                5 => event(&id, "tool_call.requested", time, json!({"toolName": "look"})),
                6 => event(&id, "run.state_changed", time, json!({"state": "running"})),
                _ => event(&id, "skill.activated", time, json!({"harnessStepId": format!("turn:x{owner}")})),
            });
        }
        for (at, event) in events.iter_mut().enumerate() {
            event["projectPosition"] = json!((at + 1).to_string());
        }
        (spans, events)
    })
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn groups_are_the_components_of_overlap(spans in spans()) {
        let events: Vec<Value> =
            spans.iter().enumerate().flat_map(|(at, span)| lifecycle(&format!("c{at}"), span.0, span.1)).collect();
        prop_assert_eq!(grouped(&look(&events)), components(&spans));
    }

    #[test]
    fn the_order_of_the_input_changes_nothing(
        (_, events) in scenes(),
        shuffled in any::<prop::sample::Index>(),
    ) {
        let mut turned = events.clone();
        turned.rotate_left(shuffled.index(events.len()));
        let halves = turned.len() / 2;
        turned[..halves].reverse();
        prop_assert_eq!(shown(&turned), shown(&events));
    }

    #[test]
    fn every_event_is_in_exactly_one_place((_, events) in scenes()) {
        let view = shown(&events);
        for event in &events {
            let id = event["id"].as_str().unwrap();
            prop_assert_eq!(place_of(&view, id).len(), 1, "{}", id);
        }
    }
}
