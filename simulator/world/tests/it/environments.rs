//! Environments that are made through the control port.

use serde_json::{Value, json};
use spec::Contract;
use wire::{Net, http::Request};

use crate::worlds::{ask, plan};

fn environment(name: &str) -> Value {
    json!({
        "name": name,
        "rows": [{
            "harness": {
                "base": "only", "label": "Only", "location": "hosted", "billing": "usage", "status": "ga",
                "execution": "isolate", "runnable": true,
                "capabilities": {
                    "approvals": true, "structured_output": true, "streaming_deltas": true, "injected_tools": true,
                },
            },
            "facts": {"road": "first", "can_submit": true},
        }],
        "reserved": [],
        "models": [{"id": "m", "label": "M"}],
    })
}

async fn list(net: &Net, key: &str) -> (u16, usize) {
    let request = Request::new("GET", "/v1/harnesses").header("authorization", format!("Bearer {key}"));
    let answer = ask(net, &request).await.unwrap();
    let body: Value = serde_json::from_slice(&answer.body).unwrap();
    (answer.status, body["data"].as_array().map_or(0, Vec::len))
}

#[tokio::test(start_paused = true)]
async fn an_environment_is_made_once_and_the_others_stay() {
    let net = Net::memory();
    let _running = proofhouse_world::start(plan(&net, Contract::Vetta, &[])).await.unwrap();
    let before = list(&net, "sk_sim_ada").await;
    let make = |body: Value| Request::new("POST", "/_control/environments").json(body.to_string());
    let answer = ask(&net, &make(environment("lab"))).await.unwrap();
    let made: Value = serde_json::from_slice(&answer.body).unwrap();
    assert_eq!((answer.status, &made), (201, &json!({"name": "lab", "key": "sk_sim_ada_lab"})));
    assert_eq!(list(&net, "sk_sim_ada_lab").await, (200, 1));
    for (body, reason) in [
        (environment("lab"), "already"),
        (environment("default"), "already"),
        (json!({"name": "x"}), "missing field"),
        (json!([]), "invalid"),
    ] {
        let answer = ask(&net, &make(body)).await.unwrap();
        let text = String::from_utf8_lossy(&answer.body).into_owned();
        assert!(answer.status == 400 && text.contains(reason), "{reason}: {text}");
    }
    assert_eq!(list(&net, "sk_sim_ada").await, before);
}
