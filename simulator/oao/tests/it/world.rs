//! A service, its network and a client.

use std::{
    sync::{
        Arc,
        atomic::{AtomicU32, Ordering},
    },
    time::Duration,
};

use proofhouse_oao::{
    Parts, Service, Wiring,
    keys::{DEMO_KEY, DEMO_PROJECT},
};
use serde_json::{Value, json};
use wire::{
    Clock, Ids, Net, Seed,
    http::{Limits, Request, Response, send},
};

use crate::model::{Model, Script};

pub(crate) struct World {
    pub(crate) net: Net,
    pub(crate) authority: String,
    pub(crate) clock: Clock,
    pub(crate) service: Service,
    pub(crate) model: Option<Arc<Model>>,
    counter: AtomicU32,
}

/// An answer with its JSON.
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: Value,
}

impl Answer {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(other, _)| other == name).map(|(_, value)| value.as_str())
    }

    pub(crate) fn code(&self) -> &str {
        self.body["error"]["code"].as_str().unwrap_or_default()
    }

    #[track_caller]
    pub(crate) fn expect(self, status: u16) -> Value {
        assert_eq!(self.status, status, "{}", self.body);
        self.body
    }

    #[track_caller]
    pub(crate) fn refused(&self, status: u16, code: &str) {
        assert_eq!((self.status, self.code()), (status, code), "{:.500}", self.body.to_string());
        assert!(self.body["error"]["message"].is_string() && self.body["error"]["requestId"].is_string());
    }
}

pub(crate) fn path(rest: &str) -> String {
    format!("/v1/projects/{DEMO_PROJECT}/{rest}")
}

impl World {
    pub(crate) async fn new() -> Self {
        Self::of(Parts::default(), None).await
    }

    pub(crate) async fn with(script: Script) -> Self {
        Self::of(Parts::default(), Some(script)).await
    }

    pub(crate) async fn of(parts: Parts, script: Option<Script>) -> Self {
        Self::on(Net::memory(), Clock::virtual_time(), ["oao:80", "model:80"], parts, script).await
    }

    /// A service at the first address, and a model at the second.
    pub(crate) async fn on(
        net: Net,
        clock: Clock,
        at: [&str; 2],
        parts: Parts,
        script: Option<Script>,
    ) -> Self {
        let wiring = Wiring::demo(net.clone());
        let mut model = None;
        if let Some(script) = script {
            let (served, authority) = Model::serve(&net, &clock, at[1], script).await;
            model = Some(served);
            wiring.set_model_url(Some(format!("http://{authority}/v1").parse().unwrap()));
        }
        let service = Service::new(parts, clock.clone(), Ids::new(Seed::of_run(1)), wiring);
        let listener = net.listen(at[0]).await.unwrap();
        let authority = listener.authority().to_owned();
        tokio::spawn(wire::serve::serve(listener, service.router(), None, std::future::pending()));
        Self { net, authority, clock, service, model, counter: AtomicU32::new(0) }
    }

    pub(crate) async fn raw(&self, request: &Request) -> Response {
        let limits =
            Limits { head: Duration::from_secs(60), whole: Duration::from_secs(60), body_bytes_max: 1 << 26 };
        send(&self.net, &self.authority, request, limits).await.unwrap()
    }

    pub(crate) async fn ask(&self, request: &Request) -> Answer {
        let response = self.raw(request).await;
        let body = serde_json::from_slice(&response.body).unwrap_or(Value::Null);
        Answer { status: response.status, headers: response.headers, body }
    }

    pub(crate) fn request(&self, method: &str, path: &str) -> Request {
        Request::new(method, path).header("authorization", format!("Bearer {DEMO_KEY}"))
    }

    /// A mutating request with a fresh idempotency key.
    pub(crate) fn write(&self, method: &str, path: &str, body: &Value) -> Request {
        let key = format!("key-{}", self.counter.fetch_add(1, Ordering::Relaxed));
        self.request(method, path).header("idempotency-key", key).json(body.to_string().into_bytes())
    }

    pub(crate) async fn get(&self, path: &str) -> Answer {
        self.ask(&self.request("GET", path)).await
    }

    pub(crate) async fn post(&self, path: &str, body: &Value) -> Answer {
        self.ask(&self.write("POST", path, body)).await
    }

    /// Publishes a new agent with this configuration.
    pub(crate) async fn publish(&self, config: &Value) -> Answer {
        self.post(&path("agents"), &json!({"name": "an agent", "config": config})).await
    }

    /// Starts a session of the agent and waits until its run is settled. Gives the session.
    pub(crate) async fn session(&self, agent: &Value, message: &str) -> Value {
        let body = json!({"agentId": agent["id"], "initialMessage": message});
        let session = self.post(&path("sessions"), &body).await.expect(201);
        self.settled(session["latestRunId"].as_str().unwrap()).await;
        session
    }

    /// Waits until the run is settled and gives it.
    pub(crate) async fn settled(&self, run_id: &str) -> Value {
        for _ in 0..2000 {
            let run = self.get(&path(&format!("runs/{run_id}"))).await.expect(200);
            if !run["settledAt"].is_null() {
                return run;
            }
            self.clock.pause(Duration::from_millis(500)).await;
        }
        panic!("the run {run_id} is never settled");
    }

    /// All events of the project so far.
    pub(crate) async fn events(&self) -> Vec<Value> {
        let mut events: Vec<Value> = Vec::new();
        let mut cursor = "djE6MA".to_owned();
        loop {
            let path = path(&format!("events?once=true&cursor={cursor}"));
            let page = crate::feed::frames(&self.raw(&self.request("GET", &path)).await.body);
            let Some(last) = page.last() else { return events };
            cursor = last.id.clone().unwrap();
            events.extend(
                page.iter().map(|frame| serde_json::from_str::<Value>(frame.data.as_ref().unwrap()).unwrap()),
            );
        }
    }

    /// Events whose kind begins so.
    pub(crate) async fn events_of(&self, prefix: &str) -> Vec<Value> {
        let of = |event: &Value| event["kind"].as_str().is_some_and(|kind| kind.starts_with(prefix));
        self.events().await.into_iter().filter(of).collect()
    }
}

/// What a sandbox with its three usual capabilities offers.
pub(crate) const SANDBOX_TOOLS: [&str; 6] = ["read", "write", "edit", "bash", "grep", "glob"];

pub(crate) fn operation(key: &str) -> Value {
    json!({
        "key": key,
        "description": format!("Does {key}."),
        "instructions": format!("Instructions of {key}."),
        "resultSchema": {
            "type": "object",
            "properties": {"answer": {"type": "string"}, "path": {"type": "string"}},
            "required": ["answer"],
            "additionalProperties": false,
        },
        "timeoutMs": 60_000,
    })
}

pub(crate) fn config(operations: &[Value]) -> Value {
    json!({
        "systemPrompt": "Coordinate.",
        "modelPreset": "local-default",
        "tools": [],
        "harnessOperations": operations,
        "sandbox": {"enabled": true, "provider": "test", "snapshotId": "base", "network": "none"},
        "limits": {"maxTurns": 64, "timeoutMs": 600_000},
    })
}

pub(crate) fn tool(name: &str) -> Value {
    json!({
        "name": name, "description": "d", "owner": "caller", "approval": "never",
        "inputSchema": {"type": "object"}, "outputSchema": {"type": "object"},
    })
}
