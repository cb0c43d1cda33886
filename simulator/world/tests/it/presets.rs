//! A preset decides on which wire its model is spoken to.

use std::time::Duration;

use model::{Host, Overall, Script};
use oao::keys::{DEMO_KEY, DEMO_PROJECT};
use proofhouse_world::{Plan, start};
use serde_json::{Value, json};
use spec::Contract;
use wire::{Clock, Net, Seed, http::Request};

use crate::worlds::{ask, plan};

const KEY: &str = "k";

/// The parent calls an operation that writes, reads and finishes; thoughts come before the calls.
fn script() -> Script {
    let thought = json!({"text": "Hm.", "signature": "c2ln", "encrypted": "ZW5j"});
    let calls = |calls: Value| json!({"thinking": thought, "tool_calls": calls});
    let turns = json!([
        {"id": "parent-1", "when": {"user_contains": "begin", "no_tool_results": true},
            "answer": calls(json!([{"id": "outer", "name": "look", "arguments": {"task": "the task"}}]))},
        {"id": "scratch-1", "when": {"user_contains": "the task", "no_tool_results": true},
            "answer": calls(json!([
                {"id": "w", "name": "write", "arguments": {"path": "a", "content": "☃"}},
                {"id": "b", "name": "bash", "arguments": {"command": "pwd"}},
            ]))},
        {"id": "scratch-2", "when": {"tool_result_for": ["w", "b"], "tool_result_contains": "/workspace"},
            "answer": calls(json!([{"id": "f", "name": "finish", "arguments": {"answer": "seen"}}]))},
        {"id": "parent-2", "when": {"tool_result_contains": "{\"answer\":\"seen\"}"}, "answer": {"text": "Done."}},
    ]);
    Script::from_json(&json!({"script": 1, "name": "s", "turns": turns})).unwrap()
}

fn config(preset: &str) -> Value {
    json!({
        "systemPrompt": "Coordinate.", "modelPreset": preset, "tools": [],
        "harnessOperations": [{
            "key": "look", "description": "Looks.", "instructions": "Look.", "timeoutMs": 10_000,
            "resultSchema": {"type": "object", "properties": {"answer": {"type": "string"}}, "required": ["answer"]},
        }],
        "sandbox": {"enabled": true, "provider": "p", "snapshotId": "s", "network": "none"},
        "limits": {"maxTurns": 32, "timeoutMs": 60_000},
    })
}

async fn told(net: &Net, method: &str, path: &str, body: Option<&Value>) -> Value {
    let path = format!("/v1/projects/{DEMO_PROJECT}{path}");
    let mut request = Request::new(method, path).header("authorization", format!("Bearer {DEMO_KEY}"));
    if let Some(body) = body {
        request = request.header("idempotency-key", body.to_string().len().to_string());
        request = request.json(body.to_string());
    }
    let answer = ask(net, &request).await.unwrap();
    assert!((200..300).contains(&answer.status), "{answer:?}");
    serde_json::from_slice(&answer.body).unwrap()
}

#[tokio::test(start_paused = true)]
async fn each_preset_speaks_its_own_wire() {
    for (preset, wire, provider) in [
        ("project-model-v1", "chat", "openai"),
        ("project-model-responses", "responses", "openai"),
        ("project-model-messages", "messages", "anthropic"),
    ] {
        let net = Net::memory();
        let host = Host::new(Clock::virtual_time(), Seed::of_run(1));
        host.load(KEY, script());
        let listener = net.listen("model.test:80").await.unwrap();
        tokio::spawn(model::serve(host.clone(), listener, std::future::pending()));
        let url = format!("http://model.test:80/s/{KEY}/v1").parse().unwrap();
        let _world = start(Plan { model: Some(url), ..plan(&net, Contract::Oao, &[]) }).await.unwrap();
        let agent =
            told(&net, "POST", "/agents", Some(&json!({"name": "a", "config": config(preset)}))).await;
        let begin = json!({"agentId": agent["id"], "initialMessage": "begin"});
        let session = told(&net, "POST", "/sessions", Some(&begin)).await;
        // Nothing in here takes virtual time, so any pause is long enough.
        Clock::virtual_time().pause(Duration::from_secs(1)).await;
        let run =
            told(&net, "GET", &format!("/runs/{}", session["latestRunId"].as_str().unwrap()), None).await;
        assert_eq!(run["state"], "completed", "{preset}: {:#?}", host.journal(KEY));
        let wires: Vec<String> =
            host.journal(KEY).iter().filter_map(|entry| Some(entry.request.as_ref()?.wire.clone())).collect();
        assert_eq!(wires, [wire; 4], "{preset}");
        assert_eq!(host.verdict(KEY).unwrap().overall, Overall::Pass, "{preset}");
        let detail = told(&net, "GET", &format!("/sessions/{}", session["id"].as_str().unwrap()), None).await;
        let turns = detail["debug"]["modelInvocations"].as_array().unwrap();
        assert!(turns.len() == 4 && turns.iter().all(|turn| turn["provider"] == provider), "{turns:#?}");
    }
}
