//! Playing a scenario against the simulator, in virtual time.

use std::{collections::BTreeMap, time::Duration};

use engine::{Launch, ModelPort, Opened};
use serde_json::{Value, json};
use spec::Contract;
use targets::Simulator;
use wire::{
    Seed,
    http::{Limits, Request, send},
};

use crate::{
    names::Names,
    scenario::{Asked, Scenario, Step},
    shown,
};

/// The model's session.
const SESSION: &str = "scenario";
const SEED: u64 = 1;
/// Between two looks at a session.
const LOOK: Duration = Duration::from_millis(50);
/// Looks until a session must rest.
const LOOKS_MAX: usize = 4_000;
/// What anything may take.
const WAIT: Duration = Duration::from_secs(60);

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
        let simulator = Simulator::new(Contract::Vetta, &[] as &[&str]).unwrap();
        let opened = simulator.open(Seed::of_run(SEED)).await.unwrap();
        let mut client = Client {
            opened,
            names: Names::new(),
            traffic: String::new(),
            events: String::new(),
            agents: BTreeMap::new(),
            session: String::new(),
        };
        client.play(scenario).await
    })
}

struct Client {
    opened: Opened,
    names: Names,
    traffic: String,
    events: String,
    /// The ids of agents, by their names in the scenario.
    agents: BTreeMap<String, String>,
    session: String,
}

impl Client {
    async fn play(&mut self, scenario: &Scenario) -> Played {
        for step in &scenario.steps {
            self.take(step, &scenario.model).await;
        }
        self.write_events().await;
        let journal = self.model().journal(SESSION);
        Played {
            events: std::mem::take(&mut self.events),
            model: shown::model(&mut self.names, &journal),
            traffic: std::mem::take(&mut self.traffic),
        }
    }

    async fn take(&mut self, step: &Step, script: &Value) {
        match step {
            Step::Agent(name, body) => {
                let body = self.filled(body);
                let agent = self.tell("POST", "/v1/agents", Some(&body)).await;
                self.agents.insert(name.clone(), text(&agent, "/id"));
            }
            Step::Start(name, with) => {
                // Everything that the script may refer to is there now.
                let script = self.filled(script);
                self.model().load(SESSION, &script).unwrap();
                let mut body = json!({"agent": self.agents[name]});
                for (member, value) in with.as_object().into_iter().flatten() {
                    body[member] = value.clone();
                }
                let session = self.tell("POST", "/v1/sessions", Some(&body)).await;
                self.session = text(&session, "/id");
            }
            Step::Say(content) => {
                self.tell("POST", &self.path("/messages"), Some(&json!({ "content": content }))).await;
            }
            Step::Request(asked) => self.ask_freely(asked).await,
            Step::Decide(decision) => self.decide(decision).await,
            Step::Rests => self.rests().await,
            Step::Quiet => {
                let idle = self.model().wait_until_idle(SESSION);
                self.opened.clock.within(WAIT, idle).await.unwrap();
                self.opened.clock.pause(LOOK).await;
            }
            Step::Held(gate) => {
                let held = self.model().wait_for_held(SESSION, gate, 1);
                self.opened.clock.within(WAIT, held).await.unwrap();
            }
            Step::Release(gate) => self.model().release(SESSION, gate),
            Step::Read(below) => {
                self.tell("GET", &self.path(below), None).await;
            }
            Step::Endpoint(asked) => self.ask_endpoint(asked).await,
        }
    }

    fn model(&self) -> &dyn ModelPort {
        self.opened.model.as_deref().unwrap()
    }

    fn path(&self, below: &str) -> String {
        format!("/v1/sessions/{}{below}", self.session)
    }

    /// `value` with the ids of agents in place of `$NAME`.
    fn filled(&self, value: &Value) -> Value {
        match value {
            Value::String(text) => {
                let id = text.strip_prefix('$').and_then(|name| self.agents.get(name));
                Value::from(id.unwrap_or(text).as_str())
            }
            Value::Array(items) => items.iter().map(|item| self.filled(item)).collect(),
            Value::Object(members) => Value::Object(
                members.iter().map(|(name, member)| (name.clone(), self.filled(member))).collect(),
            ),
            other => other.clone(),
        }
    }

    async fn ask_freely(&mut self, asked: &Asked) {
        let body = asked.body.as_ref().map(|body| self.filled(body));
        let key = self.opened.description.secret(&asked.key).map(str::to_owned);
        assert!(key.is_some() || asked.key == "none", "no credential `{}`", asked.key);
        let (method, path) = (asked.method.as_str(), asked.path.as_str());
        let (status, answer) = self.ask(method, path, body.as_ref(), key.as_deref()).await;
        self.traffic.push_str(&format!("with the key {}: ", asked.key));
        self.write_down((method, path, body.as_ref()), (status, &answer));
        if let Some(name) = &asked.named {
            self.agents.insert(name.clone(), text(&answer, "/id"));
        }
    }

    /// Decides about the call that was held last.
    async fn decide(&mut self, decision: &Value) {
        let events = self.events().await;
        let held = events.iter().rev().find(|event| event["type"] == "tool.confirmation_required");
        let mut body = decision.clone();
        body["tool_call_id"] =
            held.unwrap_or_else(|| panic!("no call was ever held"))["tool_call_id"].clone();
        self.tell("POST", &self.path("/tool_confirmations"), Some(&body)).await;
    }

    async fn ask_endpoint(&mut self, asked: &Value) {
        let control = format!("/_control/tool-endpoint?session={}", self.session);
        let (_, told) = self.ask("GET", &control, None, Some(&self.primary())).await;
        let token = text(&told, "/tool_endpoint/token");
        let mut body = json!({"jsonrpc": "2.0", "id": 1, "method": asked["method"]});
        if let Some(params) = asked.get("params") {
            body["params"] = params.clone();
        }
        let path = self.path("/tools/mcp");
        let (status, answer) = self.ask("POST", &path, Some(&body), Some(&token)).await;
        self.write_down(("POST", &path, Some(&body)), (status, &answer));
    }

    /// Sends a request and writes both it and its answer down.
    async fn tell(&mut self, method: &str, path: &str, body: Option<&Value>) -> Value {
        let key = self.primary();
        let (status, answer) = self.ask(method, path, body, Some(&key)).await;
        self.write_down((method, path, body), (status, &answer));
        answer
    }

    fn write_down(&mut self, asked: (&str, &str, Option<&Value>), answered: (u16, &Value)) {
        let told = shown::exchange(&mut self.names, asked, answered);
        self.traffic.push_str(&told);
    }

    fn primary(&self) -> String {
        self.opened.description.secret("primary").unwrap().to_owned()
    }

    async fn ask(&self, method: &str, path: &str, body: Option<&Value>, token: Option<&str>) -> (u16, Value) {
        let mut request = Request::new(method, path);
        if let Some(token) = token {
            request = request.header("authorization", format!("Bearer {token}"));
        }
        if let Some(body) = body {
            request = request.json(body.to_string());
        }
        let limits = Limits { head: WAIT, whole: WAIT, body_bytes_max: 1 << 24 };
        let response = send(&self.opened.net, &self.opened.authority, &request, limits).await.unwrap();
        (response.status, serde_json::from_slice(&response.body).unwrap_or_default())
    }

    async fn rests(&self) {
        for _ in 0..LOOKS_MAX {
            let (_, session) = self.ask("GET", &self.path(""), None, Some(&self.primary())).await;
            if session["status"] != "running" {
                return;
            }
            self.opened.clock.pause(LOOK).await;
        }
        panic!("the session never rests");
    }

    /// All events of the session; none where none was started.
    async fn events(&self) -> Vec<Value> {
        if self.session.is_empty() {
            return Vec::new();
        }
        let path = self.path("/events?limit=100");
        let (_, page) = self.ask("GET", &path, None, Some(&self.primary())).await;
        assert_eq!(page["has_more"], false, "the scenario has more events than a page takes");
        page["data"].as_array().unwrap().clone()
    }

    async fn write_events(&mut self) {
        let events = self.events().await;
        let text = shown::events(&mut self.names, &events);
        self.events.push_str(&text);
    }
}

fn text(value: &Value, pointer: &str) -> String {
    value
        .pointer(pointer)
        .and_then(Value::as_str)
        .unwrap_or_else(|| panic!("no {pointer} in {value}"))
        .to_owned()
}
