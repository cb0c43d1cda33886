//! Whatever a feature of the control port is asked that it cannot do, it names the field and changes nothing.

use std::{cell::Cell, time::Duration};

use model::{Host, Script};
use oao::keys::{DEMO_KEY, DEMO_PROJECT};
use proofhouse_world::{Plan, Running, start};
use serde_json::{Value, json};
use spec::Contract;
use wire::{Clock, Net, Seed, http::Request};

use crate::worlds::{ask, plan};

const CONTROL: &str = "/_control";

/// A world with a model that says one thing, and a client.
struct Client {
    net: Net,
    _running: Running,
    asked: Cell<u32>,
}

impl Client {
    async fn new() -> Self {
        let net = Net::memory();
        let host = Host::new(Clock::virtual_time(), Seed::of_run(1));
        let turns = json!([{"id": "words", "answer": {"text": "Done."}, "repeat": true}]);
        host.load("k", Script::from_json(&json!({"script": 1, "name": "words", "turns": turns})).unwrap());
        let listener = net.listen("model.test:80").await.unwrap();
        tokio::spawn(model::serve(host, listener, std::future::pending()));
        let url = "http://model.test:80/s/k/v1".parse().unwrap();
        let running = start(Plan { model: Some(url), ..plan(&net, Contract::Oao, &[]) }).await.unwrap();
        Self { net, _running: running, asked: Cell::new(0) }
    }

    /// What the control port says: the status and the body.
    async fn control(&self, method: &str, path: &str, body: &str) -> (u16, Value) {
        let request = Request::new(method, format!("{CONTROL}{path}"));
        let request = if method == "GET" { request } else { request.json(body.to_owned()) };
        let answer = ask(&self.net, &request).await.unwrap();
        (answer.status, serde_json::from_slice(&answer.body).unwrap_or_default())
    }

    async fn told(&self, method: &str, path: &str, body: &Value) -> Value {
        self.asked.set(self.asked.get() + 1);
        let mut request = Request::new(method, format!("/v1/projects/{DEMO_PROJECT}{path}"))
            .header("authorization", format!("Bearer {DEMO_KEY}"));
        if !body.is_null() {
            request = request.header("idempotency-key", self.asked.get().to_string()).json(body.to_string());
        }
        let answer = ask(&self.net, &request).await.unwrap();
        assert!((200..300).contains(&answer.status), "{answer:?}");
        serde_json::from_slice(&answer.body).unwrap()
    }

    /// Publishes an agent and gives its id.
    async fn agent(&self) -> String {
        let config = json!({
            "systemPrompt": "Answer.", "modelPreset": "project-model-v1", "tools": [],
            "sandbox": {"enabled": false, "provider": "p", "network": "none"},
            "limits": {"maxTurns": 32, "timeoutMs": 60_000},
        });
        let agent = self.told("POST", "/agents", &json!({"name": "a", "config": config})).await;
        agent["id"].as_str().unwrap().to_owned()
    }

    /// Runs a session and gives what can be seen of it: the state of its run and the kinds of its events.
    async fn run(&self, agent: &str) -> Value {
        let body = json!({"agentId": agent, "initialMessage": "Begin."});
        let session = self.told("POST", "/sessions", &body).await;
        // Nothing in here takes virtual time, unless a worker dies or a run is held.
        Clock::virtual_time().pause(Duration::from_millis(500)).await;
        let path = format!("/sessions/{}", session["id"].as_str().unwrap());
        let detail = self.told("GET", &path, &Value::Null).await;
        let kinds = detail["debug"]["productEvents"].as_array().unwrap().iter();
        let kinds: Vec<&Value> = kinds.map(|event| &event["eventKind"]).collect();
        json!({"state": detail["runs"][0]["state"], "kinds": kinds})
    }

    /// Sends what is bad, and looks at what it is told.
    async fn refused(&self, method: &str, path: &str, bad: &[(&str, u16, &str)]) {
        for (body, status, field) in bad {
            let (got, error) = self.control(method, path, body).await;
            assert_eq!(got, *status, "{method} {path} {body}: {error}");
            let code = if *status == 404 { "not_found" } else { "bad_request" };
            assert_eq!(error["error"]["code"], code, "{method} {path} {body}");
            let message = error["error"]["message"].as_str().unwrap_or_default();
            assert!(message.contains(field), "{method} {path} {body}: `{field}` is not named in: {message}");
        }
    }
}

/// Bodies that are no object of the feature at all.
fn no_object(shape: &'static str) -> Vec<(&'static str, u16, &'static str)> {
    ["", "{", "null", "[]", "7", "\"text\"", "{\"more\": 1}"].map(|body| (body, 400, shape)).into()
}

#[tokio::test(start_paused = true)]
async fn a_death_that_cannot_be_ordered_kills_nobody() {
    let client = Client::new().await;
    let agent = client.agent().await;
    let before = client.run(&agent).await;
    assert_eq!(before["state"], "completed");
    let mut bad = no_object("\"point\"");
    bad.extend([
        ("{}", 400, "`point`"),
        (r#"{"point": 7}"#, 400, "point: invalid type"),
        (r#"{"point": "message.before_apend"}"#, 400, "point: `message.before_apend` is no crash point"),
        (r#"{"point": "message.before_append", "nth": 0}"#, 400, "nth: 1 or more"),
        (r#"{"point": "message.before_append", "nth": -1}"#, 400, "nth: invalid value"),
        (r#"{"point": "message.before_append", "nth": 1.5}"#, 400, "nth: invalid type"),
        (r#"{"point": "message.before_append", "call": 7}"#, 400, "call: invalid type"),
        (r#"{"point": "message.before_append", "run": "r"}"#, 400, "`run`"),
    ]);
    client.refused("POST", "/crash", &bad).await;
    assert_eq!(client.run(&agent).await, before);
    // The same order without the fault is carried out.
    let order = r#"{"point": "message.before_append"}"#;
    assert_eq!(client.control("POST", "/crash", order).await.0, 204);
    assert_eq!(client.run(&agent).await["state"], "running");
}

#[tokio::test(start_paused = true)]
async fn steps_and_records_are_those_of_something_that_is_there() {
    let client = Client::new().await;
    client.refused("GET", "/steps/nobody", &[("", 404, "run: there is no run `nobody`")]).await;
    for (query, status, words) in [
        ("", 400, "session: "),
        ("?", 400, "session: "),
        ("?sesion=a", 400, "session: "),
        ("?session=a&run=b", 400, "session: "),
        ("?session=a&session=b", 400, "session: "),
        ("?session=", 404, "session: there is no session ``"),
        ("?session=nobody", 404, "session: there is no session `nobody`"),
    ] {
        client.refused("GET", &format!("/records{query}"), &[("", status, words)]).await;
    }
}

#[tokio::test(start_paused = true)]
async fn a_default_that_is_none_leaves_the_old_one() {
    let client = Client::new().await;
    let mut bad = no_object("\"preset\"");
    bad.extend([
        ("{}", 400, "`preset`"),
        (r#"{"preset": null}"#, 400, "preset: invalid type"),
        (r#"{"preset": 7}"#, 400, "preset: invalid type"),
        (r#"{"preset": ""}"#, 400, "preset: `` is no approved preset"),
        (r#"{"preset": "nobody-v1"}"#, 400, "preset: `nobody-v1` is no approved preset"),
        (r#"{"preset": "project-model-v2", "project": "p"}"#, 400, "`project`"),
    ]);
    client.refused("PUT", "/default-preset", &bad).await;
    let good = r#"{"preset": "project-model-v2"}"#;
    let (status, told) = client.control("PUT", "/default-preset", good).await;
    assert_eq!((status, &told["previous"]), (200, &json!("project-model-v1")), "nothing was changed before");
}

#[tokio::test(start_paused = true)]
async fn a_queue_that_cannot_be_held_lets_everybody_through() {
    let client = Client::new().await;
    let agent = client.agent().await;
    let before = client.run(&agent).await;
    let bodies = [
        format!(r#"{{"agentId": "{agent}"}}"#),
        format!(r#"{{"agentId": "{agent}", "held": "true"}}"#),
        format!(r#"{{"agentId": "{agent}", "held": null}}"#),
        format!(r#"{{"agentId": "{agent}", "held": true, "run": "r"}}"#),
        format!(r#"{{"agentId": ["{agent}"], "held": true}}"#),
        r#"{"held": true}"#.to_owned(),
        r#"{"agentId": "nobody", "held": true}"#.to_owned(),
    ];
    let told = [
        (400, "`held`"),
        (400, "held: invalid type"),
        (400, "held: invalid type"),
        (400, "`run`"),
        (400, "agentId: invalid type"),
        (400, "`agentId`"),
        (404, "agentId: there is no agent `nobody`"),
    ];
    let mut bad = no_object("\"agentId\"");
    bad.extend(bodies.iter().zip(told).map(|(body, (status, field))| (body.as_str(), status, field)));
    client.refused("PUT", "/queue", &bad).await;
    assert_eq!(client.run(&agent).await, before);
    let hold = format!(r#"{{"agentId": "{agent}", "held": true}}"#);
    assert_eq!(client.control("PUT", "/queue", &hold).await.0, 204);
    assert_eq!(client.run(&agent).await["state"], "queued");
}

#[tokio::test(start_paused = true)]
async fn a_session_that_cannot_be_planted_leaves_no_trace() {
    let client = Client::new().await;
    let agent = client.agent().await;
    let event = r#"{"kind": "k", "occurredAt": "2026-01-05T09:00:00.000Z", "payload": {}}"#;
    let of = |events: &str| format!(r#"{{"agentId": "{agent}", "events": {events}}}"#);
    let with = |from: &str, to: &str| of(&format!("[{event}, {}]", event.replace(from, to)));
    let bodies = [
        r#"{"events": []}"#.to_owned(),
        r#"{"agentId": 7, "events": []}"#.to_owned(),
        r#"{"agentId": "nobody", "events": []}"#.to_owned(),
        of("null"),
        of("{}"),
        of(r#"["k"]"#),
        of("[]").replace("\"events\"", "\"evnts\""),
        with(r#""kind": "k", "#, ""),
        with("\"k\"", "\"\""),
        with("\"k\"", "7"),
        with(r#""occurredAt": "2026-01-05T09:00:00.000Z", "#, ""),
        with("2026-01-05T09:00:00.000Z", "yesterday"),
        with("\"2026-01-05T09:00:00.000Z\"", "7"),
        with("{}}", "[]}"),
        with("\"kind\"", "\"id\": 1, \"kind\""),
    ];
    let told = [
        (400, "`agentId`"),
        (400, "agentId: invalid type"),
        (404, "agentId: there is no agent `nobody`"),
        (400, "events: invalid type"),
        (400, "events: invalid type"),
        (400, "events[0]: invalid type"),
        (400, "`evnts`"),
        (400, "events[1]: missing field `kind`"),
        (400, "events[1].kind: "),
        (400, "events[1].kind: invalid type"),
        (400, "events[1]: missing field `occurredAt`"),
        (400, "events[1].occurredAt: "),
        (400, "events[1].occurredAt: invalid type"),
        (400, "events[1].payload: invalid type"),
        (400, "events[1].id: unknown field `id`"),
    ];
    let mut bad = no_object("\"agentId\"");
    bad.extend(bodies.iter().zip(told).map(|(body, (status, field))| (body.as_str(), status, field)));
    client.refused("POST", "/plant-events", &bad).await;
    let sessions = client.told("GET", "/sessions", &Value::Null).await;
    assert_eq!(sessions["data"], json!([]));
    let (status, planted) = client.control("POST", "/plant-events", &of(&format!("[{event}]"))).await;
    assert_eq!((status, planted["events"].as_array().map(Vec::len)), (201, Some(1)), "{planted}");
    let sessions = client.told("GET", "/sessions", &Value::Null).await;
    assert_eq!(sessions["data"][0]["id"], planted["session"]);
}
