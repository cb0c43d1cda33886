//! Wrong ways to grant the powers of a sandbox, and to tell of them.

use std::sync::Arc;

use oao::{Grant, Parts, operations::Inherited, publication::config::CAPABILITIES, runs::RunContext};
use serde_json::{Map, Value, json};

use super::super::Edit;

pub(super) const DEFECTS: &[Edit<Parts>] = &[
    Edit { id: "op-escalates-tools", edit: |parts| inside(parts, with_all_capabilities) },
    Edit { id: "op-escalates-sandbox", edit: |parts| inside(parts, with_network) },
    Edit {
        id: "capabilities-ignored",
        edit: |parts| {
            let of_grant = parts.mounting.tools.clone();
            parts.mounting.tools = Arc::new(move |grant| {
                of_grant(&Grant { config: &with_all_capabilities(grant.config), ..*grant })
            });
        },
    },
    Edit {
        id: "command-text-in-events",
        edit: |parts| {
            let payload = parts.events.payloads.command.clone();
            parts.events.payloads.command = Arc::new(move |event| {
                let mut payload = payload(event);
                payload["command"] = json!(event.command.text);
                payload
            });
        },
    },
];

/// Mounts the tools of scratch loops under another configuration than that of the run.
fn inside(parts: &mut Parts, other: fn(&Map<String, Value>) -> Map<String, Value>) {
    let inherit = parts.operations.inherit.clone();
    parts.operations.inherit = Arc::new(move |run: &RunContext, operation| {
        let tools = run.tools_in(&other(&run.version.config), &run.sandbox);
        Inherited { tools, ..inherit(run, operation) }
    });
}

fn with_all_capabilities(config: &Map<String, Value>) -> Map<String, Value> {
    let mut config = config.clone();
    config["sandbox"]["capabilities"] = json!(CAPABILITIES);
    config
}

fn with_network(config: &Map<String, Value>) -> Map<String, Value> {
    let mut config = config.clone();
    config["sandbox"]["network"] = json!("restricted");
    config
}
