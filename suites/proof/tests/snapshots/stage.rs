//! Playing a scenario against the simulator, in virtual time.

use std::time::Duration;

use engine::{Launch, Opened};
use serde_json::{Value, json};
use spec::Contract;
use targets::Simulator;
use wire::{
    Seed,
    http::{Limits, Request, send},
};

use crate::{
    names::Names,
    scenario::{Scenario, Step},
    shown,
};

/// The model's session.
const SESSION: &str = "scenario";
const SEED: u64 = 1;
/// Between two looks at a run.
pub(crate) const LOOK: Duration = Duration::from_millis(50);
/// Looks until something must have happened.
pub(crate) const LOOKS_MAX: usize = 4_000;

/// What was seen, as text.
pub(crate) struct Played {
    pub(crate) traffic: String,
    pub(crate) model: String,
    pub(crate) events: String,
}

/// Plays `scenario`.
pub(crate) fn play(scenario: &Scenario) -> Played {
    let runtime =
        tokio::runtime::Builder::new_current_thread().enable_all().start_paused(true).build().unwrap();
    tokio::task::LocalSet::new().block_on(&runtime, async {
        let simulator = Simulator::new(Contract::Oao, &[] as &[&str]).unwrap();
        let opened = simulator.open(Seed::of_run(SEED)).await.unwrap();
        let mut client = Client {
            opened,
            names: Names::new(),
            traffic: String::new(),
            asked: 0,
            run: None,
            call: None,
            fence: None,
        };
        client.play(scenario).await
    })
}

pub(crate) struct Client {
    pub(crate) opened: Opened,
    names: Names,
    traffic: String,
    asked: usize,
    /// The latest run.
    pub(crate) run: Option<String>,
    /// The tool call that was found open.
    pub(crate) call: Option<String>,
    /// What its claim was given.
    pub(crate) fence: Option<String>,
}

impl Client {
    async fn play(&mut self, scenario: &Scenario) -> Played {
        let model = self.opened.model.as_ref().unwrap();
        model.load(SESSION, &scenario.model).unwrap();
        self.names.bind("project", &self.setting("project"));
        let agent = self.publish(scenario).await;
        let mut session = String::new();
        for step in &scenario.steps {
            match step {
                Step::Start(message) => {
                    let body = json!({"agentId": agent, "initialMessage": message});
                    let started = self.tell("POST", &self.path("sessions"), Some(&body)).await;
                    session = text(&started, "/id");
                    self.run = Some(text(&started, "/run/id"));
                }
                Step::Say(message) => {
                    let path = self.path(&format!("sessions/{session}/runs"));
                    let run = self.tell("POST", &path, Some(&json!({"message": message}))).await;
                    self.run = Some(text(&run, "/id"));
                }
                Step::Settle => self.settle().await,
                Step::Held(gate) => {
                    let held = self.opened.model.as_ref().unwrap().wait_for_held(SESSION, gate, 1);
                    self.opened.clock.within(Duration::from_secs(60), held).await.unwrap();
                }
                Step::Cancel => {
                    let path = self.path(&format!("runs/{}/cancel", self.run.clone().unwrap()));
                    self.tell("POST", &path, None).await;
                }
                Step::Publish(operations) => {
                    let config = self.config(scenario, operations);
                    let path = self.path(&format!("agents/{agent}/versions"));
                    self.tell("POST", &path, Some(&json!({"config": config}))).await;
                }
                Step::Called(tool) => self.called(tool).await,
                Step::Claim => self.claim().await,
                Step::HandIn(result) => self.hand_in(result).await,
                Step::Decide(status) => self.decide(status).await,
            }
        }
        let run = self.path(&format!("runs/{}", self.run.clone().unwrap()));
        self.tell("GET", &run, None).await;
        let events = self.events().await;
        let journal = self.opened.model.as_ref().unwrap().journal(SESSION);
        Played {
            events: shown::events(&mut self.names, &events),
            model: shown::model(&mut self.names, &journal),
            traffic: std::mem::take(&mut self.traffic),
        }
    }

    async fn publish(&mut self, scenario: &Scenario) -> String {
        let config = self.config(scenario, &scenario.operations);
        let body = json!({"name": "Scenario", "key": "scenario", "initialConfig": config});
        let agent = self.tell("POST", &self.path("agents"), Some(&body)).await;
        text(&agent, "/id")
    }

    fn setting(&self, name: &str) -> String {
        self.opened.description.facts().text(name).unwrap().to_owned()
    }

    pub(crate) fn path(&self, below: &str) -> String {
        format!("/v1/projects/{}/{below}", self.setting("project"))
    }

    fn config(&self, scenario: &Scenario, operations: &Value) -> Value {
        let mut config = json!({
            "systemPrompt": format!("Coordinate shipments. proofhouse-session:{SESSION}"),
            "modelPreset": self.setting("model_preset"),
            "tools": scenario.tools,
            "harnessOperations": operations,
            "sandbox": {
                "enabled": true,
                "provider": self.setting("sandbox_provider"),
                "snapshotId": self.setting("sandbox_snapshot"),
                "network": "none",
                "capabilities": ["filesystem_read"],
            },
            "limits": {"maxTurns": 32, "timeoutMs": 60_000},
        });
        if scenario.skills.as_array().is_some_and(|skills| !skills.is_empty()) {
            config["skillVersionIds"] = scenario.skills.clone();
        }
        config
    }

    /// Sends a request and writes both it and its answer down.
    pub(crate) async fn tell(&mut self, method: &str, path: &str, body: Option<&Value>) -> Value {
        let (status, answer) = self.ask(method, path, body).await;
        let exchange = shown::Exchange { method, path, body, status, answer: &answer };
        self.traffic.push_str(&shown::exchange(&mut self.names, &exchange));
        answer
    }

    pub(crate) async fn ask(&mut self, method: &str, path: &str, body: Option<&Value>) -> (u16, Value) {
        self.asked += 1;
        let secret = self.opened.description.secret("primary").unwrap().to_owned();
        let mut request = Request::new(method, path)
            .header("authorization", format!("Bearer {secret}"))
            .header("idempotency-key", format!("key-{}", self.asked));
        if let Some(body) = body {
            request = request.json(body.to_string());
        }
        let wait = Duration::from_secs(30);
        let limits = Limits { head: wait, whole: wait, body_bytes_max: 1 << 24 };
        let response = send(&self.opened.net, &self.opened.authority, &request, limits).await.unwrap();
        (response.status, serde_json::from_slice(&response.body).unwrap_or_default())
    }

    async fn settle(&mut self) {
        let path = self.path(&format!("runs/{}", self.run.clone().unwrap()));
        for _ in 0..LOOKS_MAX {
            let (_, run) = self.ask("GET", &path, None).await;
            if !run["settledAt"].is_null() {
                return;
            }
            self.opened.clock.pause(LOOK).await;
        }
        panic!("the run never settles");
    }

    /// All events of the project.
    async fn events(&mut self) -> Vec<Value> {
        let path = self.path("events?once=true");
        let secret = self.opened.description.secret("primary").unwrap().to_owned();
        let request = Request::new("GET", path).header("authorization", format!("Bearer {secret}"));
        let wait = Duration::from_secs(30);
        let limits = Limits { head: wait, whole: wait, body_bytes_max: 1 << 24 };
        let response = send(&self.opened.net, &self.opened.authority, &request, limits).await.unwrap();
        let mut parser = wire::sse::Parser::default();
        let frames = parser.push(&response.body);
        frames.iter().filter_map(|frame| serde_json::from_str(frame.data.as_ref()?).ok()).collect()
    }
}

pub(crate) fn text(value: &Value, pointer: &str) -> String {
    value
        .pointer(pointer)
        .and_then(Value::as_str)
        .unwrap_or_else(|| panic!("no {pointer} in {value}"))
        .to_owned()
}
