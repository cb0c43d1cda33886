//! Skills and toolsets at run time.

use proofhouse_oao::Parts;
use serde_json::{Value, json};

use crate::{
    model::{Asked, call, finish, text},
    world::{World, config, operation},
};

const INTAKE: &str = "5b1f7a10-3c52-4a8e-9d01-7be0c1a40101";
const NOTES: &str = "5b1f7a10-3c52-4a8e-9d01-7be0c1a40301";
const DESK: &str = "7c20e5d4-91b6-4f0a-8a3e-2d5f6b770001";
const POLICY: &str = "7c20e5d4-91b6-4f0a-8a3e-2d5f6b770002";

fn skilled(operations: &[Value], skills: &[&str]) -> Value {
    let mut config = config(operations);
    config["skillVersionIds"] = json!(skills);
    config
}

/// The parent makes these calls in one batch and says `done`.
async fn parent_calls(config: &Value, calls: &[(&'static str, &'static str, Value)]) -> (World, Value) {
    let calls = calls.to_vec();
    let world =
        World::with(Box::new(move |asked| if asked.turn == 0 { call(&calls) } else { text("done") })).await;
    let agent = world.publish(config).await.expect(201);
    let session = world.session(&agent, "Begin.").await;
    (world, session)
}

fn result<'a>(asked: &'a Asked, id: &str) -> &'a str {
    asked.tool_results().into_iter().find(|(other, _)| *other == id).map(|(_, text)| text).unwrap()
}

#[tokio::test(start_paused = true)]
async fn instructions_come_with_the_activation_and_files_when_they_are_read() {
    let calls = [
        ("a", "activate_skill", json!({"name": "shipment-intake"})),
        ("r", "read_skill_resource", json!({"name": "shipment-intake", "path": "references/checklist.md"})),
    ];
    let (world, _) = parent_calls(&skilled(&[], &[INTAKE, NOTES]), &calls).await;
    let asked = world.model.as_ref().unwrap().asked();
    let system = asked[0].body["messages"][0]["content"].as_str().unwrap();
    assert!(system.contains("- shipment-intake: How a new") && system.contains("- handover-notes: "));
    assert!(!asked[0].body.to_string().contains("amber-heron"));
    assert!(result(&asked[1], "a").contains("amber-heron"));
    assert!(result(&asked[1], "r").contains("granite-otter"));
    let events = world.events_of("skill.").await;
    let said: Vec<_> = events.iter().map(|event| (&event["kind"], &event["publicPayload"])).collect();
    assert_eq!(
        said,
        [
            (
                &json!("skill.activated"),
                &json!({"name": "shipment-intake", "success": true, "durationMs": 0})
            ),
            (
                &json!("skill.resource_read"),
                &json!({
                    "name": "shipment-intake", "path": "references/checklist.md", "success": true, "durationMs": 0,
                })
            ),
        ]
    );
}

#[tokio::test(start_paused = true)]
async fn bad_calls_are_tool_errors_and_published_as_unsuccessful() {
    let calls = [
        ("no-name", "activate_skill", json!({})),
        ("no-text", "activate_skill", json!({"name": ["shipment-intake"]})),
        ("unknown", "activate_skill", json!({"name": "nobody"})),
        ("unmounted", "activate_skill", json!({"name": "carrier-tables"})),
        ("no-path", "read_skill_resource", json!({"name": "shipment-intake"})),
        ("no-file", "read_skill_resource", json!({"name": "shipment-intake", "path": "../SKILL.md"})),
        (
            "elsewhere",
            "read_skill_resource",
            json!({"name": "carrier-tables", "path": "tables/carriers.csv"}),
        ),
    ];
    let (world, session) = parent_calls(&skilled(&[], &[INTAKE]), &calls).await;
    let events = world.events_of("skill.").await;
    assert_eq!(events.len(), calls.len());
    for event in &events {
        assert_eq!(event["publicPayload"]["success"], false, "{event}");
    }
    let run = world.settled(session["latestRunId"].as_str().unwrap()).await;
    assert_eq!(run["state"], "completed");
    let told = world.model.as_ref().unwrap().asked();
    assert!(result(&told[1], "unknown").contains("shipment-intake"), "it says what there is");
}

#[tokio::test(start_paused = true)]
async fn a_scratch_loop_has_all_of_it() {
    let mut config = skilled(&[operation("sum")], &[INTAKE]);
    config["mcpBindings"] =
        json!([{"toolsetVersionId": DESK, "credentialPolicyVersionId": POLICY, "namespace": "desk"}]);
    let world = World::with(Box::new(|asked| match (&asked.operation, asked.turn) {
        (None, 0) => call(&[("c", "sum", json!({"task": "t"}))]),
        (None, _) => text("done"),
        (Some(_), 0) => call(&[
            ("a", "activate_skill", json!({"name": "shipment-intake"})),
            ("m", "mcp__desk__track_parcel", json!({"parcel": "P-200"})),
        ]),
        _ => finish("f", "42"),
    }))
    .await;
    let agent = world.publish(&config).await.expect(201);
    let session = world.session(&agent, "Begin.").await;
    let model = world.model.as_ref().unwrap();
    let (outside, inside) = (model.parent(), model.inner());
    assert_eq!(outside[0].body["messages"][0], inside[0].body["messages"][0]);
    for name in ["activate_skill", "read_skill_resource", "mcp__desk__track_parcel", "mcp__desk__list_depots"]
    {
        assert!(outside[0].tool_names().contains(&name) && inside[0].tool_names().contains(&name), "{name}");
    }
    assert!(result(&inside[1], "a").contains("amber-heron"));
    assert!(result(&inside[1], "m").contains("Lisbon"));
    // The step comes before what is said of the Skill.
    let kinds: Vec<String> = world.events().await.iter().map(|event| event["kind"].to_string()).collect();
    let place = |kind: &str| kinds.iter().rposition(|other| other.contains(kind)).unwrap();
    let steps: Vec<usize> =
        (0..kinds.len()).filter(|at| kinds[*at].contains("harness.operation_step")).collect();
    assert_eq!(steps[1] + 1, place("skill.activated"));
    // The record of the conversation is kept below the session, and is no session.
    let records = world.service.records().of_session(session["id"].as_str().unwrap());
    assert_eq!(records.len(), 1);
    assert!(records[0].ended && records[0].tool_call_id == "c");
}

#[tokio::test(start_paused = true)]
async fn placeholders_are_filled_and_other_braces_stay() {
    let mut config = config(&[operation("sum")]);
    config["systemPrompt"] =
        json!("In {{session.id}} of {{project.id}}, version {{agent.version}}: {{other}} {x}");
    let (world, session) = parent_calls(&config, &[("c", "sum", json!({"task": ""}))]).await;
    let asked = world.model.as_ref().unwrap().asked();
    let expected = format!(
        "In {} of {}, version 1: {{{{other}}}} {{x}}",
        session["id"].as_str().unwrap(),
        session["projectId"].as_str().unwrap()
    );
    assert!(asked[0].body["messages"][0]["content"].as_str().unwrap().starts_with(&expected));
}

#[tokio::test(start_paused = true)]
async fn what_is_named_has_to_exist() {
    let world = World::of(Parts::default(), None).await;
    let unknown = "5b1f7a10-3c52-4a8e-9d01-7be0c1a49999";
    world.publish(&skilled(&[], &[unknown])).await.refused(400, "bad_request");
    let mut bound = config(&[operation("mcp__desk__track_parcel")]);
    bound["mcpBindings"] =
        json!([{"toolsetVersionId": DESK, "credentialPolicyVersionId": POLICY, "namespace": "desk"}]);
    world.publish(&bound).await.refused(400, "bad_request");
}
