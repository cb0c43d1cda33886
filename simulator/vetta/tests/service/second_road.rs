//! Contributed tools on both roads, under one policy.

use std::sync::{Arc, Mutex};

use serde_json::{Map, Value, json};
use vetta::mcp::{Client, HttpChannel, McpError};

use crate::{
    desk::{ADA, AUTHORITY},
    mcp_client::server,
    table::{Table, calls, says},
};

/// An MCP server with the tools `a` and `b`, and an agent on `base` with it and a connection.
async fn session(table: &Table, base: &str, tools: Value) -> (String, Arc<Mutex<Vec<(String, Value)>>>) {
    let seen = server(&table.desk.net).await;
    let agent = json!({
        "harness": base, "tools": tools, "connections": ["conn_1"],
        "mcp_servers": [{"name": "tools", "url": "http://tools.test/mcp"}],
    });
    let agent = table.desk.agent(ADA, agent).await;
    let (status, session) = table.desk.post("/v1/sessions", json!({"agent": agent})).await;
    assert_eq!(status, 201, "{session}");
    (session["id"].as_str().unwrap().to_owned(), seen)
}

fn called(seen: &Mutex<Vec<(String, Value)>>) -> Vec<Value> {
    let seen = seen.lock().unwrap();
    let calls = seen.iter().filter(|(_, message)| message["method"] == "tools/call");
    calls.map(|(_, message)| message["params"]["name"].clone()).collect()
}

async fn client(table: &Table, session: &str) -> Client {
    let (path, token) = table.desk.service.tool_endpoint(session).unwrap();
    let url = format!("http://{AUTHORITY}{path}").parse().unwrap();
    let bearer = vec![("authorization".to_owned(), format!("Bearer {token}"))];
    Client::open(Arc::new(HttpChannel::new(table.desk.net.clone(), url)), bearer).await.unwrap()
}

#[tokio::test(start_paused = true)]
async fn each_road_offers_what_it_should_and_the_call_arrives() {
    let contributed = ["a", "b", "contacts_find", "contacts_add"];
    for (base, second) in [("pi", false), ("sim-cli", true)] {
        let turns = json!([calls("t", &[("c1", "a", json!({"x": 1}))]), says("u", "Done.")]);
        let table = Table::laid(turns).await;
        let (session, seen) = session(&table, base, json!(null)).await;
        table.say(&session, "go").await;
        let events = table.desk.stream(&session, None).await.until("session.status").await;
        let offered = table.offered(0);
        for name in contributed.into_iter().chain(["shell", "read", "grep"]) {
            assert!(offered.contains(&name.to_owned()), "{base}: {name} in {offered:?}");
        }
        assert_eq!(offered.contains(&"publish_file".to_owned()), !second, "{base}");
        assert_eq!(called(&seen), [json!("a")], "{base}");
        assert_eq!(table.told(1, "c1"), "[image]");
        let told: Vec<&Value> = events.iter().filter(|event| event["type"] == "tool.requested").collect();
        assert_eq!((told.len(), &told[0]["name"]), (1, &json!("a")), "{base}: one road, one story");
        assert_eq!(table.effects(&session), ["a"]);
    }
}

#[tokio::test(start_paused = true)]
async fn at_the_endpoint_what_is_denied_or_would_be_asked_for_is_not_there() {
    let table = Table::laid(json!([says("u", "-")])).await;
    let tools = json!({"permission": "allow", "overrides": {"a": "deny", "contacts_add": "ask"}});
    let (session, seen) = session(&table, "sim-cli", tools).await;
    let client = client(&table, &session).await;
    let names: Vec<String> = client.tools().await.unwrap().into_iter().map(|tool| tool.name).collect();
    assert_eq!(names, ["b", "contacts_find"]);
    for name in ["a", "contacts_add", "publish_file", "shell", "nothing"] {
        let refused = client.call(name, &Map::new()).await.unwrap_err();
        assert!(matches!(refused, McpError::Refused { code: -32602, .. }), "{name}: {refused}");
    }
    assert!(called(&seen).is_empty());
    assert_eq!(table.effects(&session), [""; 0]);
    let found = client.call("contacts_find", &Map::new()).await.unwrap();
    assert_eq!(found.to_text(), "Ada Example <ada@example.com>");
    let whole = client.call("b", &Map::new()).await.unwrap();
    assert_eq!((whole.content, whole.is_error), (vec![json!({"type": "image"})], true), "nothing is lost");
    assert_eq!(table.effects(&session), ["contacts_find", "b"]);
    assert_eq!(table.shown(&session).await["status"], "idle", "nothing is left to decide");
}

#[tokio::test(start_paused = true)]
async fn a_turn_whose_contributed_tools_cannot_be_had_fails_in_the_open() {
    for (base, code) in [("pi", "mcp_server_unavailable"), ("sim-cli", "tool_endpoint_unavailable")] {
        let table = Table::laid(json!([says("u", "-")])).await;
        let servers = json!([{"name": "gone", "url": "http://gone.test/mcp"}]);
        let agent = table.desk.agent(ADA, json!({"harness": base, "mcp_servers": servers})).await;
        let (_, session) = table.desk.post("/v1/sessions", json!({"agent": agent})).await;
        let session = session["id"].as_str().unwrap().to_owned();
        table.say(&session, "go").await;
        let events = table.desk.stream(&session, None).await.until("session.status").await;
        let failed = events.iter().find(|event| event["type"] == "turn.failed").unwrap();
        assert_eq!(failed["error"]["code"], code);
        assert!(failed["error"]["message"].as_str().unwrap().contains("`gone`"), "{failed}");
    }
}
