//! Defects of the entries.

use ::vetta::{
    Parts,
    catalogue::View,
    environment::Row,
    harness::{Billing, Execution, Location},
};
use serde_json::{Value, json};

use super::{
    super::Edit,
    rows::{SPARE, edit_environments, rewrite_entries, rewrite_list},
};

pub(super) const DEFECTS: &[Edit<Parts>] = &[
    Edit {
        id: "missing-execution",
        edit: |parts| {
            rewrite_entries(parts, |row, _, entry| {
                let is_isolate = row.harness.execution == Execution::Isolate;
                retain(entry, |name, _| !(is_isolate && name == "execution"));
            });
        },
    },
    Edit {
        id: "stringly-boolean",
        edit: |parts| {
            rewrite_entries(parts, |row, _, entry| {
                set(row, entry, "runnable", json!(row.harness.runnable.to_string()));
            });
        },
    },
    Edit {
        id: "null-for-unknown",
        edit: |parts| rewrite_entries(parts, |row, _, entry| set(row, entry, "runnable", Value::Null)),
    },
    Edit { id: "duplicate-base", edit: |parts| rewrite_list(parts, |_, _, rows| list_each_version(rows)) },
    Edit {
        id: "location-synonym",
        edit: |parts| rewrite_entries(parts, |row, _, entry| set(row, entry, "location", json!("cloud"))),
    },
    Edit {
        id: "billing-synonym",
        edit: |parts| rewrite_entries(parts, |row, _, entry| set(row, entry, "billing", json!("byok"))),
    },
    Edit {
        id: "status-overloaded",
        edit: |parts| {
            rewrite_entries(parts, |row, _, entry| {
                if !row.harness.runnable {
                    insert(entry, "status", json!("disabled"));
                }
            });
        },
    },
    Edit {
        id: "execution-copied-from-location",
        edit: |parts| {
            rewrite_entries(parts, |row, _, entry| {
                let location = entry["location"].clone();
                set(row, entry, "execution", location);
            });
        },
    },
    Edit {
        id: "axes-contradict",
        edit: |parts| rewrite_entries(parts, |row, _, entry| set(row, entry, "execution", json!("local"))),
    },
    Edit {
        id: "local-billed-as-usage",
        edit: |parts| {
            edit_environments(parts, |environment| {
                let local = environment.rows.iter_mut().filter(|row| row.harness.location == Location::Local);
                local.for_each(|row| row.harness.billing = Billing::Usage);
            });
        },
    },
    Edit {
        id: "capability-omitted-when-false",
        edit: |parts| {
            rewrite_entries(parts, |_, _, entry| {
                let mut flags = entry["capabilities"].clone();
                retain(&mut flags, |_, flag| *flag != json!(false));
                insert(entry, "capabilities", flags);
            });
        },
    },
    Edit {
        id: "item-view-trims-capabilities",
        edit: |parts| {
            rewrite_entries(parts, |_, view, entry| {
                if view == View::Read {
                    let flags = entry["capabilities"].as_object().into_iter().flatten();
                    let held = flags.filter(|(_, flag)| **flag == json!(true)).map(|(name, _)| name.clone());
                    let held = held.collect();
                    insert(entry, "capabilities", held);
                }
            });
        },
    },
    Edit { id: "undeclared-mute-base", edit: publish_a_mute_base },
];

/// Sets a member in the entry of the spare row.
fn set(row: &Row, entry: &mut Value, name: &str, value: Value) {
    if row.harness.base == SPARE {
        insert(entry, name, value);
    }
}

fn insert(object: &mut Value, name: &str, value: Value) {
    if let Some(members) = object.as_object_mut() {
        members.insert(name.to_owned(), value);
    }
}

fn retain(object: &mut Value, keeps: impl Fn(&str, &Value) -> bool) {
    if let Some(members) = object.as_object_mut() {
        members.retain(|name, value| keeps(name, value));
    }
}

/// The spare loop has two versions, and each is a row with the same base.
fn list_each_version(rows: &mut Vec<Row>) {
    if let Some(at) = rows.iter().position(|row| row.harness.base == SPARE) {
        let version = rows[at].clone();
        rows.insert(at, version);
    }
}

fn publish_a_mute_base(parts: &mut Parts) {
    edit_environments(parts, |environment| {
        let spare = environment.row(SPARE).cloned();
        environment.rows.extend(spare.map(|mut row| {
            row.harness.base = "mute".to_owned();
            row.harness.label = "Mute".to_owned();
            row.harness.capabilities.injected_tools = false;
            row
        }));
    });
}
