//! The views over HTTP: their shape, who may read them, and that they are the contract's own data seen again.

use std::{fs, path::PathBuf};

use proofhouse_oao::{
    PlantedEvent,
    keys::{DEMO_OTHER_PROJECT, DEMO_PROJECT},
};
use serde_json::{Value, json};

use crate::{
    model::{call, finish, text},
    world::{World, config, operation, path},
};

fn view(rest: &str) -> String {
    format!("/_view/projects/{DEMO_PROJECT}/{rest}")
}

/// Holds `value` against the schema of the view, or against one of its parts.
#[track_caller]
fn fits(part: Option<&str>, value: &Value) {
    let file = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../spec/control/console-view.schema.json");
    let mut schema: Value = serde_json::from_str(&fs::read_to_string(file).unwrap()).unwrap();
    if let Some(part) = part {
        schema = json!({"$defs": schema["$defs"], "$ref": format!("#/$defs/{part}")});
    }
    let validator = jsonschema::validator_for(&schema).unwrap();
    let wrong: Vec<String> =
        validator.iter_errors(value).map(|error| format!("{}: {error}", error.instance_path())).collect();
    assert!(wrong.is_empty(), "{wrong:#?} in {value:#}");
}

/// A session in which two operations ran at the same time, one of which reads a file first.
async fn session() -> (World, Value, Value) {
    let world = World::with(Box::new(|asked| match (asked.operation.as_deref(), asked.turn) {
        (Some("a"), 0) => call(&[("r", "read", json!({"path": "notes/x.txt"}))]).after(40),
        (Some(_), _) => finish("f", "secret result").after(60),
        (None, 0) => call(&[("c1", "a", json!({"task": "secret task"})), ("c2", "b", json!({"task": "t"}))]),
        (None, _) => text("done"),
    }))
    .await;
    let agent = world.publish(&config(&[operation("a"), operation("b")])).await.expect(201);
    let session = world.session(&agent, "Begin.").await;
    (world, agent, session)
}

#[tokio::test(start_paused = true)]
async fn a_session_is_shown_in_the_shape_of_the_schema() {
    let (world, _, session) = session().await;
    let shown = world.get(&view(&format!("sessions/{}", session["id"].as_str().unwrap()))).await.expect(200);
    fits(None, &shown);
    let text = shown.to_string();
    assert!(!text.contains("secret") && text.contains("read \u{b7} notes/x.txt"), "{text}");
    let titles: Vec<&Value> = shown["rows"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|row| row["kind"] == "invocation")
        .map(|row| &row["title"])
        .collect();
    assert_eq!(titles, ["Harness \u{b7} a", "Harness \u{b7} b"]);
    let [a, b] = shown["modals"].as_array().unwrap().as_slice() else { panic!("{shown:#}") };
    let lengths = |modal: &Value| (modal["durationMs"].clone(), modal["steps"].as_array().unwrap().len());
    assert_eq!((lengths(a), lengths(b)), ((json!(100.0), 4), (json!(60.0), 2)));
    let place = |modal: &Value| (modal["parallel"]["position"].clone(), modal["attribution"].clone());
    assert_eq!((place(a), place(b)), ((json!(1), json!("complete")), (json!(2), json!("complete"))));
    let stacked: Vec<&Value> =
        shown["timeline"].as_array().unwrap().iter().filter(|slot| !slot["parallel"].is_null()).collect();
    assert_eq!(stacked.len(), 1);
    assert_eq!(
        (&stacked[0]["bars"][0]["width"], &stacked[0]["bars"][1]["width"]),
        (&json!(100.0), &json!(60.0))
    );
}

#[tokio::test(start_paused = true)]
async fn a_view_is_read_like_everything_else_of_its_project() {
    let (world, _, session) = session().await;
    let at = view(&format!("sessions/{}", session["id"].as_str().unwrap()));
    let mut nobody = world.request("GET", &at);
    nobody.headers.retain(|(name, _)| name != "authorization");
    world.ask(&nobody).await.refused(401, "unauthenticated");
    world.get(&at.replace(DEMO_PROJECT, DEMO_OTHER_PROJECT)).await.refused(403, "forbidden");
    world.get(&view("sessions/x")).await.refused(400, "bad_request");
    world.get(&view("sessions/b0000000-0000-4000-8000-000000000001")).await.refused(404, "not_found");
    // The contract's own path space has nothing of it.
    world
        .get(&path(&format!("sessions/{}/console", session["id"].as_str().unwrap())))
        .await
        .refused(404, "not_found");
}

#[tokio::test(start_paused = true)]
async fn only_the_latest_version_can_be_edited() {
    let (world, agent, _) = session().await;
    let agents = format!("agents/{}/versions", agent["id"].as_str().unwrap());
    let second = json!({"config": config(&[operation("c")])});
    let second = world.post(&path(&agents), &second).await.expect(201);
    for (version, keys, editable) in
        [(&agent["latestVersionId"], vec!["a", "b"], false), (&second["id"], vec!["c"], true)]
    {
        let shown = world.get(&view(&format!("{agents}/{}", version.as_str().unwrap()))).await.expect(200);
        fits(Some("version"), &shown);
        let of: Vec<&str> = shown["operations"]
            .as_array()
            .unwrap()
            .iter()
            .map(|each| each["key"].as_str().unwrap())
            .collect();
        assert_eq!((of, shown["actions"] != json!([])), (keys, editable));
    }
    let other = agents.replace(agent["id"].as_str().unwrap(), "b0000000-0000-4000-8000-000000000001");
    let foreign = format!("{other}/{}", second["id"].as_str().unwrap());
    world.get(&view(&foreign)).await.refused(404, "not_found");
}

#[tokio::test(start_paused = true)]
async fn a_planted_session_is_a_session_like_any_other() {
    let (world, agent, _) = session().await;
    let event = |kind: &str, at: &str| PlantedEvent {
        kind: format!("harness.operation_{kind}"),
        occurred_at: format!("2025-01-01T00:00:{at}Z"),
        payload: json!({"operationKey": "a", "toolCallId": "old"}),
    };
    let events = vec![event("started", "01"), event("failed", "02.5")];
    let planted = world.service.plant(agent["id"].as_str().unwrap(), events).unwrap();
    assert_eq!(planted.events.len(), 2);
    let detail = world.get(&path(&format!("sessions/{}", planted.session))).await.expect(200);
    assert_eq!((&detail["latestRunId"], &detail["status"]), (&json!(planted.run), &json!("completed")));
    let shown = world.get(&view(&format!("sessions/{}", planted.session))).await.expect(200);
    fits(None, &shown);
    let modal = &shown["modals"][0];
    assert_eq!((&modal["status"], &modal["durationMs"]), (&json!("failed"), &json!(1_500.0)));
    assert!(world.service.plant("b0000000-0000-4000-8000-000000000001", Vec::new()).is_err());
}
