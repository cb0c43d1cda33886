//! Publishing agents and versions.

use serde_json::{Value, json};

use crate::world::{World, config, operation, path, tool};

fn with(field: &str, value: Value) -> Value {
    let mut operation = operation("a");
    operation[field] = value;
    config(&[operation])
}

#[tokio::test(start_paused = true)]
async fn the_documented_pair_reads_back() {
    let world = World::new().await;
    let text = include_str!("../../../../fixtures/oao/documents/shipment-operations.json");
    let document: Value = serde_json::from_str(text).unwrap();
    let mut sent = config(&[]);
    sent["harnessOperations"] = document["harnessOperations"].clone();
    let agent = world.publish(&sent).await.expect(201);
    assert_eq!((agent["version"].as_u64(), agent["status"].as_str()), (Some(1), Some("published")));
    let at = path(&format!(
        "agents/{}/versions/{}",
        agent["id"].as_str().unwrap(),
        agent["latestVersionId"].as_str().unwrap()
    ));
    let version = world.get(&at).await.expect(200);
    let read = &version["config"]["harnessOperations"];
    for (index, sent) in document["harnessOperations"].as_array().unwrap().iter().enumerate() {
        for field in ["key", "description", "instructions", "timeoutMs"] {
            assert_eq!(read[index][field], sent[field]);
        }
        let mut expected = sent["resultSchema"].clone();
        let mut required: Vec<String> = serde_json::from_value(expected["required"].clone()).unwrap();
        required.sort();
        expected["required"] = json!(required);
        assert_eq!(read[index]["resultSchema"], expected);
    }
    assert_eq!(version["contentHash"].as_str().unwrap().len(), 64);
    assert_eq!(version["config"]["delegates"], json!([]));
}

#[tokio::test(start_paused = true)]
async fn operations_may_be_left_out_and_are_counted() {
    let world = World::new().await;
    let mut none = config(&[]);
    none.as_object_mut().unwrap().remove("harnessOperations");
    world.publish(&none).await.expect(201);
    let many = |count: usize| config(&(0..count).map(|at| operation(&format!("op{at}"))).collect::<Vec<_>>());
    world.publish(&many(32)).await.expect(201);
    world.publish(&many(33)).await.refused(400, "bad_request");
    for wrong in [json!(null), json!({}), json!(["a"]), json!("a")] {
        let mut config = config(&[]);
        config["harnessOperations"] = wrong;
        world.publish(&config).await.refused(400, "bad_request");
    }
}

#[tokio::test(start_paused = true)]
async fn definitions_that_break_a_rule_are_refused_and_nothing_is_published() {
    let world = World::new().await;
    let mut bad = vec![
        with("key", json!("A")),
        with("key", json!("read")),
        with("description", json!("")),
        with("timeoutMs", json!(999)),
        with("model", json!("x")),
        with("skills", json!([])),
        with("resultSchema", json!(true)),
        with("resultSchema", json!(null)),
        with("instructions", json!("a\u{0}b")),
        config(&[operation("a"), operation("a")]),
    ];
    let mut shadow = config(&[operation("a")]);
    shadow["tools"] = json!([tool("a")]);
    bad.push(shadow);
    for name in ["apiKey", "token", "reasoning"] {
        bad.push(with("resultSchema", json!({"type": "object", "properties": {name: {"type": "string"}}})));
    }
    for field in ["key", "description", "instructions", "resultSchema", "timeoutMs"] {
        let mut operation = operation("a");
        operation.as_object_mut().unwrap().remove(field);
        bad.push(config(&[operation]));
    }
    // A good operation before a bad one is not published either.
    bad.push(config(&[operation("good"), with("timeoutMs", json!(0))["harnessOperations"][0].clone()]));
    for config in bad {
        world.publish(&config).await.refused(400, "bad_request");
    }
    let agents = world.get(&path("agents")).await.expect(200);
    assert_eq!(agents["data"], json!([]));
    assert!(world.events().await.is_empty());
}

#[tokio::test(start_paused = true)]
async fn names_say_what_is_wrong_with_them() {
    let world = World::new().await;
    let reserved = world.publish(&with("key", json!("activate_skill"))).await;
    assert!(reserved.body["error"]["message"].as_str().unwrap().contains("reserved"));
    let twice = world.publish(&config(&[operation("a"), operation("a")])).await;
    assert!(twice.body["error"]["message"].as_str().unwrap().contains("collides"));
    assert!(twice.body["error"].get("details").is_none());
}

#[tokio::test(start_paused = true)]
async fn a_fault_in_a_schema_names_its_place() {
    let world = World::new().await;
    let mut second = operation("b");
    second["resultSchema"]["properties"]["answer"]["format"] = json!("hostname");
    let answer = world.publish(&config(&[operation("a"), second])).await;
    answer.refused(400, "bad_request");
    let place = "harnessOperations[1].resultSchema.properties.answer.format";
    assert_eq!(answer.body["error"]["details"]["path"], place);
    assert!(answer.body["error"]["message"].as_str().unwrap().starts_with(place));
    let mut own = config(&[]);
    own["tools"] = json!([tool("t")]);
    own["tools"][0]["outputSchema"] = json!({"type": "object", "pattern": "x"});
    let answer = world.publish(&own).await;
    assert_eq!(answer.body["error"]["details"]["path"], "tools[0].outputSchema.pattern");
}

#[tokio::test(start_paused = true)]
async fn tools_and_operations_take_the_same_schemas() {
    let world = World::new().await;
    let vectors = [
        json!({"type": "object"}),
        json!({"type": "object", "properties": {"a": {"type": ["null", "string"]}}}),
        json!({"type": "object", "additionalProperties": {}}),
        json!({"type": "array", "items": {"type": "string"}}),
        json!({"type": "object", "properties": {"a": {"anyOf": []}}}),
        json!({"type": "object", "$ref": "#"}),
        json!({"type": "object", "properties": {"a": {"const": null}}}),
        json!(null),
    ];
    for (index, schema) in vectors.into_iter().enumerate() {
        let as_result = world.publish(&with("resultSchema", schema.clone())).await.status;
        let mut own = config(&[]);
        own["tools"] = json!([tool("t")]);
        own["tools"][0]["outputSchema"] = schema.clone();
        own["systemPrompt"] = json!(format!("{index}"));
        assert_eq!(world.publish(&own).await.status, as_result, "{schema}");
    }
}

#[tokio::test(start_paused = true)]
async fn the_configuration_around_the_operations_is_strict() {
    let world = World::new().await;
    for (name, value) in [
        ("systemPrompt", json!("")),
        ("modelPreset", json!("nobody")),
        ("tools", json!(null)),
        ("tools", json!({})),
        ("extra", json!(1)),
        ("skillVersionIds", json!(["x"])),
        ("skillVersionIds", json!(["a0000000-0000-4000-8000-000000000099"])),
        ("mcpBindings", json!([{"namespace": "a"}])),
        ("delegates", json!([{}])),
        ("sandbox", json!(null)),
        ("sandbox", json!({"enabled": true, "provider": "p", "network": "none"})),
        ("sandbox", json!({"enabled": false, "provider": "p", "network": "all"})),
        ("sandbox", json!({"enabled": false, "provider": "p", "network": "none", "capabilities": ["fly"]})),
        ("limits", json!({"maxTurns": 0, "timeoutMs": 1000})),
        ("limits", json!({"maxTurns": 257, "timeoutMs": 1000})),
        ("limits", json!({"maxTurns": 1, "timeoutMs": 999})),
        ("limits", json!({"maxTurns": 1})),
    ] {
        let mut config = config(&[]);
        config[name] = value.clone();
        let answer = world.publish(&config).await;
        assert_eq!(answer.status, 400, "{name} {value}");
    }
    for missing in ["systemPrompt", "modelPreset", "tools", "sandbox", "limits"] {
        let mut config = config(&[]);
        config.as_object_mut().unwrap().remove(missing);
        world.publish(&config).await.refused(400, "bad_request");
    }
    let mut plain = config(&[]);
    plain["sandbox"] = json!({"enabled": false, "provider": "p", "network": "restricted"});
    let agent = world.publish(&plain).await.expect(201);
    assert_eq!(agent["sandbox"]["capabilities"], json!(["filesystem_read", "filesystem_write", "shell"]));
}

#[tokio::test(start_paused = true)]
async fn versions_are_added_and_never_changed() {
    let world = World::new().await;
    let agent = world.publish(&config(&[operation("a")])).await.expect(201);
    let versions = path(&format!("agents/{}/versions", agent["id"].as_str().unwrap()));
    let first =
        world.get(&format!("{versions}/{}", agent["latestVersionId"].as_str().unwrap())).await.expect(200);

    // The configuration alone may be the body, and its order makes no difference.
    world.post(&versions, &config(&[operation("a")])).await.refused(409, "conflict");
    let mut edited = config(&[operation("a")]);
    edited["harnessOperations"][0]["instructions"] = json!("Other instructions.");
    let second = world.post(&versions, &json!({"config": edited})).await.expect(201);
    let third = world.post(&versions, &config(&[])).await.expect(201);
    assert_eq!((second["version"].as_u64(), third["version"].as_u64()), (Some(2), Some(3)));

    let at_first = format!("{versions}/{}", first["id"].as_str().unwrap());
    assert_eq!(world.get(&at_first).await.expect(200), first);
    for method in ["PUT", "PATCH", "DELETE", "POST"] {
        let answer = world.ask(&world.write(method, &at_first, &config(&[]))).await;
        assert!([404, 405].contains(&answer.status), "{method}");
    }
    assert_eq!(world.get(&at_first).await.expect(200), first);

    let listed = world.get(&versions).await.expect(200);
    let numbers: Vec<_> = listed["data"]
        .as_array()
        .unwrap()
        .iter()
        .map(|version| version["version"].as_u64().unwrap())
        .collect();
    assert_eq!(numbers, [3, 2, 1]);
    let whole = world.get(&path(&format!("agents/{}", agent["id"].as_str().unwrap()))).await.expect(200);
    assert_eq!(whole["versions"][0]["id"], third["id"]);
    assert_eq!(whole["latestVersionId"], third["id"]);
}

#[tokio::test(start_paused = true)]
async fn agents_have_keys_and_can_be_archived() {
    let world = World::new().await;
    let body = |key: &str, prompt: &str| {
        let mut config = config(&[]);
        config["systemPrompt"] = json!(prompt);
        json!({"name": "n", "key": key, "initialConfig": config, "config": "ignored"})
    };
    let agent = world.post(&path("agents"), &body("k", "1")).await.expect(201);
    assert_eq!((agent["key"].as_str(), agent["description"].as_str()), (Some("k"), Some("")));
    world.post(&path("agents"), &body("k", "2")).await.refused(409, "conflict");
    for wrong in
        [json!({"config": config(&[])}), json!({"name": "", "config": config(&[])}), json!({"name": "n"})]
    {
        world.post(&path("agents"), &wrong).await.refused(400, "bad_request");
    }
    let at = path(&format!("agents/{}", agent["id"].as_str().unwrap()));
    let gone = world.ask(&world.request("DELETE", &at).header("idempotency-key", "d")).await.expect(200);
    assert_eq!(gone, json!({"id": agent["id"], "deleted": true}));
    world.get(&at).await.refused(404, "not_found");
    world.post(&format!("{at}/versions"), &config(&[operation("z")])).await.refused(404, "not_found");
    // The configuration is looked at before the agent is.
    world.post(&format!("{at}/versions"), &json!({})).await.refused(400, "bad_request");
    let version = format!("{at}/versions/{}", agent["latestVersionId"].as_str().unwrap());
    world.get(&version).await.expect(200);
}
