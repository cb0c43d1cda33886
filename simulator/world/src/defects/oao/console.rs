//! Wrong ways to show a session. What shows too much is in `console_content`.

use std::{
    collections::BTreeMap,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};

use futures_util::{FutureExt, StreamExt, stream};
use oao::{Parts, observer::Event};
use serde_json::{Value, json};

use super::super::Edit;

pub(super) const DEFECTS: &[Edit<Parts>] = &[
    Edit { id: "row-per-event", edit: |parts| dress(parts, a_row_for_the_end_too) },
    Edit {
        id: "invocations-merged",
        edit: |parts| {
            dress(parts, |_, view| {
                let mut titles = Vec::new();
                keep(view, "rows", |row| {
                    let title = row["title"].clone();
                    let alone = row["kind"] == "invocation" && row["parallel"].is_null();
                    let is_new = !alone || !titles.contains(&title);
                    titles.push(title);
                    is_new
                });
            });
        },
    },
    Edit { id: "inner-turns-in-transcript", edit: |parts| dress(parts, steps_as_rows) },
    Edit {
        id: "modal-missing-validation",
        edit: |parts| {
            dress(parts, |_, view| {
                let completed = |modal: &&mut Value| modal["status"] == "completed";
                list(view, "modals").iter_mut().filter(completed).for_each(|modal| {
                    modal["resultValidated"] = Value::Null;
                });
            });
        },
    },
    Edit {
        id: "failed-shown-valid",
        edit: |parts| {
            dress(parts, |_, view| {
                for modal in list(view, "modals") {
                    let handed_in = list(modal, "steps").iter().any(|step| step["title"] == "finish");
                    if handed_in {
                        modal["resultValidated"] = json!(true);
                    }
                }
            });
        },
    },
    Edit {
        id: "badge-on-one-only",
        edit: |parts| {
            dress(parts, |_, view| {
                let mut groups = Vec::new();
                for row in list(view, "rows").iter_mut().filter(|row| !row["parallel"].is_null()) {
                    let group = row["parallel"]["group"].clone();
                    if groups.contains(&group) {
                        row["parallel"]["badge"] = Value::Null;
                    }
                    groups.push(group);
                }
            });
        },
    },
    Edit { id: "badge-by-batch", edit: |parts| dress(parts, rails_by_model_turn) },
    Edit { id: "group-logic-diverges", edit: |parts| dress(parts, rails_of_windows_that_touch) },
    Edit { id: "equal-length-bars", edit: |parts| parts.observer.bar_width = |_, _| 100.0 },
    Edit {
        id: "bar-opens-first",
        edit: |parts| {
            dress(parts, |_, view| {
                for slot in list(view, "timeline") {
                    let first = slot["bars"][0]["opens"].clone();
                    list(slot, "bars").iter_mut().for_each(|bar| bar["opens"] = first.clone());
                }
            });
        },
    },
    Edit {
        id: "position-missing",
        edit: |parts| {
            dress(parts, |_, view| {
                for modal in list(view, "modals").iter_mut().filter(|modal| !modal["parallel"].is_null()) {
                    modal["parallel"]["position"] = Value::Null;
                }
            });
        },
    },
    Edit { id: "ui-group-drives-execution", edit: watching_serialises },
    Edit { id: "group-merges-conversations", edit: |parts| dress(parts, one_list_per_group) },
    Edit {
        id: "raw-event-passed-to-view",
        edit: |parts| {
            dress(parts, |events, view| {
                for modal in list(view, "modals") {
                    let own = events
                        .iter()
                        .filter(|event| event.text("toolCallId") == modal["toolCallId"].as_str());
                    modal["raw"] =
                        own.map(|event| json!({"kind": event.kind, "payload": event.payload})).collect();
                }
            });
        },
    },
    Edit {
        id: "legacy-guess-by-time",
        edit: |parts| {
            parts.observer.among = |at, windows| {
                windows.iter().min_by_key(|(_, window)| (at - window.start_ms).abs()).map(|(at, _)| *at)
            };
        },
    },
    Edit { id: "legacy-never-attributed", edit: |parts| dress(parts, only_what_names_its_owner) },
    Edit { id: "legacy-step-duplicated", edit: |parts| dress(parts, loose_rows_in_partial_modals) },
    Edit {
        id: "notice-always-shown",
        edit: |parts| {
            dress(parts, |_, view| {
                list(view, "modals").iter_mut().for_each(|modal| modal["attribution"] = json!("partial"));
            });
        },
    },
    Edit {
        id: "old-version-shows-latest",
        edit: |parts| {
            parts.observer.shown = |named, all| all.last().unwrap_or(named).clone();
        },
    },
    Edit {
        id: "branch-from-old-version",
        edit: |parts| {
            parts.observer.dress_version.push(|is_latest, view| {
                if !is_latest {
                    view["actions"] = json!(["add_operation"]);
                }
            });
        },
    },
    Edit {
        id: "touching-windows-grouped",
        edit: |parts| parts.observer.meets = |start, furthest| start <= furthest,
    },
    Edit {
        id: "shared-end-goes-to-the-later",
        edit: |parts| {
            parts.observer.holds =
                |window, at| window.start_ms <= at && window.end_ms.is_none_or(|end| at < end);
        },
    },
    Edit {
        // A second of grace on either side.
        id: "strays-pulled-in",
        edit: |parts| {
            parts.observer.holds = |window, at| {
                window.start_ms - 1_000 <= at && window.end_ms.is_none_or(|end| at <= end + 1_000)
            };
        },
    },
    Edit {
        id: "first-terminal-wins",
        edit: |parts| parts.observer.terminal = |events| events.first().copied(),
    },
    Edit { id: "row-needs-started-event", edit: |parts| dress(parts, only_what_was_started) },
    Edit {
        id: "time-beats-owner",
        edit: |parts| {
            parts.observer.believes = |event, window| match (event.at_ms, window) {
                (Some(at), Some(window)) => {
                    window.start_ms <= at && window.end_ms.is_none_or(|end| at <= end)
                }
                _ => true,
            };
        },
    },
    Edit {
        id: "hairline-bars",
        edit: |parts| {
            parts.observer.bar_width =
                |took, longest| if longest > 0.0 { 100.0 * took / longest } else { 100.0 };
        },
    },
    Edit {
        id: "steps-in-order-of-arrival",
        edit: |parts| {
            dress(parts, |_, view| {
                for modal in list(view, "modals") {
                    list(modal, "steps").sort_by_key(|step| step["at"].to_string());
                }
            });
        },
    },
    Edit {
        id: "cancelled-shown-failed",
        edit: |parts| {
            dress(parts, |_, view| {
                let cancelled = |modal: &&mut Value| modal["status"] == "cancelled";
                list(view, "modals").iter_mut().filter(cancelled).for_each(|modal| {
                    modal["status"] = json!("failed");
                });
            });
        },
    },
];

/// Changes what is shown of a session.
pub(super) fn dress(parts: &mut Parts, change: fn(&[Event], &mut Value)) {
    parts.observer.dress.push(Arc::new(change));
}

/// The list `name` of `value`; an empty one where there is none.
pub(super) fn list<'v>(value: &'v mut Value, name: &str) -> &'v mut [Value] {
    value.get_mut(name).and_then(Value::as_array_mut).map_or(&mut [], |list| list)
}

fn keep(view: &mut Value, name: &str, wanted: impl FnMut(&Value) -> bool) {
    if let Some(Value::Array(items)) = view.get_mut(name) {
        items.retain(wanted);
    }
}

fn push(view: &mut Value, name: &str, more: Vec<Value>) {
    if let Some(Value::Array(items)) = view.get_mut(name) {
        items.extend(more);
    }
}

fn a_row_for_the_end_too(_: &[Event], view: &mut Value) {
    let ended = |row: &&mut Value| row["kind"] == "invocation" && row["status"] != "pending";
    let ends = list(view, "rows").iter_mut().filter(ended).map(|row| {
        let mut end = row.clone();
        end["id"] = json!(format!("{}:end", end["id"].as_str().unwrap_or_default()));
        let events = std::mem::take(&mut row["events"]);
        let (first, rest) = events.as_array().and_then(|ids| ids.split_first()).unzip();
        row["events"] = first.into_iter().cloned().collect();
        end["events"] = rest.into_iter().flatten().cloned().collect();
        end
    });
    let ends = ends.collect();
    push(view, "rows", ends);
}

fn steps_as_rows(_: &[Event], view: &mut Value) {
    let mut rows = Vec::new();
    for modal in list(view, "modals") {
        rows.extend(list(modal, "steps").iter().map(|step| {
            let mut row = json!({"opens": null, "parallel": null, "text": null});
            for name in ["id", "kind", "title", "status", "summary", "at", "events"] {
                row[name] = step[name].clone();
            }
            row
        }));
    }
    push(view, "rows", rows);
}

/// Invocations that follow one model turn of the parent have one rail, whenever they ran.
fn rails_by_model_turn(_: &[Event], view: &mut Value) {
    let mut turn = Value::Null;
    let mut members: BTreeMap<String, usize> = BTreeMap::new();
    let rows = list(view, "rows");
    let turns: Vec<String> = rows
        .iter()
        .map(|row| {
            if row["kind"] == "model" {
                turn = row["id"].clone();
            }
            turn.to_string()
        })
        .collect();
    let is_member = |row: &Value, turn: &str| row["kind"] == "invocation" && turn != "null";
    for (_, turn) in rows.iter().zip(&turns).filter(|(row, turn)| is_member(row, turn)) {
        *members.entry(turn.clone()).or_default() += 1;
    }
    for (row, turn) in rows.iter_mut().zip(&turns).filter(|(row, turn)| is_member(row, turn)) {
        let count = members[turn];
        row["parallel"] = if count > 1 {
            json!({"group": format!("turn:{turn}"), "badge": format!("{count} parallel")})
        } else {
            Value::Null
        };
    }
}

/// The rail is drawn where one window ends when another begins; timeline and modals do not know of it.
fn rails_of_windows_that_touch(_: &[Event], view: &mut Value) {
    let modals: Vec<Value> = list(view, "modals").to_vec();
    for pair in modals.windows(2).filter(|pair| pair[0]["endedAt"] == pair[1]["startedAt"]) {
        let ids = [&pair[0]["id"], &pair[1]["id"]];
        let alone = |row: &&mut Value| row["parallel"].is_null() && ids.contains(&&row["opens"]);
        for row in list(view, "rows").iter_mut().filter(alone) {
            row["parallel"] = json!({"group": format!("touching:{}", ids[0]), "badge": "2 parallel"});
        }
    }
}

fn one_list_per_group(_: &[Event], view: &mut Value) {
    let modals = list(view, "modals");
    let mut lists: BTreeMap<String, Vec<Value>> = BTreeMap::new();
    for modal in modals.iter_mut().filter(|modal| !modal["parallel"].is_null()) {
        let group = modal["parallel"]["group"].to_string();
        lists.entry(group).or_default().extend(list(modal, "steps").to_vec());
    }
    for modal in modals.iter_mut().filter(|modal| !modal["parallel"].is_null()) {
        let steps = &lists[&modal["parallel"]["group"].to_string()];
        modal["steps"] = json!(steps);
    }
}

/// Once somebody has looked at a session, the calls of a batch wait for each other.
fn watching_serialises(parts: &mut Parts) {
    let watched = Arc::new(AtomicBool::new(false));
    let seen = watched.clone();
    parts.observer.dress.push(Arc::new(move |_, _| seen.store(true, Ordering::Relaxed)));
    let batch = parts.runs.habits.batch.clone();
    parts.runs.habits.batch = Arc::new(move |calls| {
        if watched.load(Ordering::Relaxed) {
            stream::iter(calls).then(|call| call).collect::<Vec<_>>().boxed()
        } else {
            batch(calls)
        }
    });
}

/// Steps whose events name no owner are in no modal, and nowhere else.
fn only_what_names_its_owner(events: &[Event], view: &mut Value) {
    let owned = |id: &Value| events.iter().any(|event| *id == event.id.as_str() && event.owner().is_some());
    for modal in list(view, "modals") {
        keep(modal, "steps", |step| step["events"].as_array().is_some_and(|ids| ids.iter().any(owned)));
    }
}

fn loose_rows_in_partial_modals(_: &[Event], view: &mut Value) {
    let is_loose = |row: &&Value| row["kind"] == "tool" || row["kind"] == "model";
    let loose: Vec<Value> = list(view, "rows").iter().filter(is_loose).cloned().collect();
    let partial = |modal: &&mut Value| modal["attribution"] == "partial";
    for modal in list(view, "modals").iter_mut().filter(partial) {
        let steps = loose.iter().map(|row| {
            let mut step = json!({});
            for name in ["id", "kind", "title", "status", "summary", "at", "events"] {
                step[name] = row[name].clone();
            }
            step
        });
        let steps = steps.collect();
        push(modal, "steps", steps);
    }
}

fn only_what_was_started(events: &[Event], view: &mut Value) {
    let started = |call: &Value| {
        let is_start = |event: &&Event| event.kind == "harness.operation_started";
        events.iter().filter(is_start).any(|event| event.text("toolCallId") == call.as_str())
    };
    keep(view, "modals", |modal| started(&modal["toolCallId"]));
    let left: Vec<Value> = list(view, "modals").iter().map(|modal| modal["id"].clone()).collect();
    keep(view, "rows", |row| row["kind"] != "invocation" || left.contains(&row["opens"]));
}
