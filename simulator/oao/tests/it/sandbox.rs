//! What a sandbox offers, and what is told of it.

use std::sync::Arc;

use agent::tools::Reaction;
use proofhouse_oao::Parts;
use serde_json::{Value, json};

use crate::{
    model::{call, text},
    world::{SANDBOX_TOOLS, World, config, path},
};

fn with(capabilities: Value) -> Value {
    let mut config = config(&[]);
    config["sandbox"]["capabilities"] = capabilities;
    config
}

#[tokio::test(start_paused = true)]
async fn capabilities_decide_the_tools() {
    let all = config(&[]);
    let mut off = config(&[]);
    off["sandbox"]["enabled"] = json!(false);
    for (config, expected) in [
        (with(json!([])), &[][..]),
        (with(json!(["filesystem_read"])), &["read"]),
        (with(json!(["filesystem_write"])), &["write", "edit"]),
        (with(json!(["shell"])), &["bash", "grep", "glob"]),
        (with(json!(["browser"])), &[]),
        (all, &SANDBOX_TOOLS),
        (off, &[]),
    ] {
        let world = World::with(Box::new(|_| text("done"))).await;
        let agent = world.publish(&config).await.expect(201);
        world.session(&agent, "go").await;
        let asked = world.model.as_ref().unwrap().parent();
        assert_eq!(asked[0].tool_names(), expected, "{}", config["sandbox"]);
    }
}

/// A run with one command that exits and one that cannot be run.
async fn commands() -> (World, Value) {
    let mut parts = Parts::default();
    let mut table = (*parts.mounting.commands).clone();
    table.words.insert("gone".into(), Reaction::Breaks("the sandbox is gone".into()));
    parts.mounting.commands = Arc::new(table);
    let model = |asked: &crate::model::Asked| match asked.turn {
        0 => call(&[
            ("c1", "bash", json!({"command": "nothing --secret-flag"})),
            ("c2", "bash", json!({"command": "gone"})),
        ]),
        _ => text("done"),
    };
    let world = World::of(parts, Some(Box::new(model))).await;
    let agent = world.publish(&config(&[])).await.expect(201);
    let session = world.session(&agent, "go").await;
    (world, session)
}

#[tokio::test(start_paused = true)]
async fn commands_are_told_by_their_ids() {
    let (world, session) = commands().await;
    let events = world.events_of("sandbox.").await;
    let told: Vec<(&str, Vec<&str>)> = events
        .iter()
        .map(|event| {
            assert_eq!(event["aggregateId"], session["latestRunId"]);
            let keys = event["publicPayload"].as_object().unwrap().keys().map(String::as_str);
            (event["kind"].as_str().unwrap(), keys.collect())
        })
        .collect();
    assert_eq!(
        told,
        [
            ("sandbox.command_started", vec!["commandId", "sandboxId"]),
            ("sandbox.command_completed", vec!["commandId", "exitCode", "sandboxId"]),
            ("sandbox.command_started", vec!["commandId", "sandboxId"]),
            ("sandbox.command_failed", vec!["commandId", "sandboxId"]),
        ]
    );
    assert_eq!(events[1]["publicPayload"]["exitCode"], 127);
    assert!(!world.events().await.iter().any(|event| event.to_string().contains("secret-flag")));
}

#[tokio::test(start_paused = true)]
async fn the_details_of_a_session_show_its_sandbox_and_its_commands() {
    let (world, session) = commands().await;
    let id = session["id"].as_str().unwrap();
    let debug = world.get(&path(&format!("sessions/{id}"))).await.expect(200)["debug"].clone();
    let sandboxes = debug["sandboxes"].as_array().unwrap();
    assert_eq!((sandboxes.len(), &sandboxes[0]["provider"]), (1, &json!("test")));
    let rows: Vec<_> = debug["sandboxCommands"]
        .as_array()
        .unwrap()
        .iter()
        .map(|row| {
            assert_eq!(row["sandboxId"], sandboxes[0]["id"]);
            (row["toolCallId"].clone(), row["arguments"]["command"].clone(), row["status"].clone())
        })
        .collect();
    assert_eq!(
        rows,
        [
            (json!("c1"), json!("nothing --secret-flag"), json!("completed")),
            (json!("c2"), json!("gone"), json!("failed")),
        ]
    );
}
