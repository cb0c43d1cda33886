//! A service in this process, and a client that distrusts its answers.

use std::{sync::Arc, time::Duration};

use serde_json::{Value, json};
use vetta::{Parts, Service, Turns, tools::Effects, turns::Scripted};
use wire::{
    Clock, Ids, Net, Seed,
    http::{Limits, Open, Request, Response, open, send},
    serve::serve,
    sse::{Frame, Parser},
};

use crate::schemas;

pub(crate) const ADA: &str = "sk_sim_ada";
pub(crate) const BEN: &str = "sk_sim_ben";
pub(crate) const FUTURE: &str = "sk_sim_ada_future";

pub(crate) const AUTHORITY: &str = "vetta.test:80";
const LIMITS: Limits =
    Limits { head: Duration::from_secs(5), whole: Duration::from_secs(5), body_bytes_max: 1 << 20 };

pub(crate) struct Desk {
    pub(crate) net: Net,
    pub(crate) clock: Clock,
    pub(crate) service: Service,
    pub(crate) effects: Effects,
}

impl Desk {
    /// The service as it ships, answering by echo.
    pub(crate) async fn shipped() -> Self {
        Self::edited(|_| {}).await
    }

    /// The service with edited parts.
    pub(crate) async fn edited(edit: impl FnOnce(&mut Parts)) -> Self {
        let mut parts = Parts::shipped().unwrap();
        edit(&mut parts);
        Self::open(parts, Arc::new(Scripted::echo())).await
    }

    pub(crate) async fn open(parts: Parts, turns: Arc<dyn Turns>) -> Self {
        Self::at(Net::memory(), Clock::virtual_time(), Ids::new(Seed::of_run(1)), parts, turns).await
    }

    pub(crate) async fn at(net: Net, clock: Clock, ids: Ids, parts: Parts, turns: Arc<dyn Turns>) -> Self {
        let service = Service::new(parts, clock.clone(), ids, turns);
        let effects = service.effects().clone();
        let listener = net.listen(AUTHORITY).await.unwrap();
        tokio::spawn(serve(listener, service.router(), service.head_filter(), std::future::pending()));
        Self { net, clock, service, effects }
    }

    pub(crate) async fn send(&self, request: &Request) -> Response {
        send(&self.net, AUTHORITY, request, LIMITS).await.unwrap()
    }

    /// A call with a key, its answer held against its schema.
    pub(crate) async fn call(
        &self,
        key: &str,
        method: &str,
        path: &str,
        body: Option<Value>,
    ) -> (u16, Value) {
        let mut request = Request::new(method, path).header("authorization", format!("Bearer {key}"));
        if let Some(body) = body {
            request = request.json(body.to_string());
        }
        let response = self.send(&request).await;
        let Some(schema) = schemas::of_answer(method, path, response.status) else {
            assert!(response.body.is_empty());
            return (response.status, Value::Null);
        };
        let value: Value = serde_json::from_slice(&response.body).unwrap();
        assert_eq!(schemas::violations(schema, &value), [""; 0], "{method} {path}: {value}");
        (response.status, value)
    }

    pub(crate) async fn get(&self, path: &str) -> (u16, Value) {
        self.call(ADA, "GET", path, None).await
    }

    pub(crate) async fn post(&self, path: &str, body: Value) -> (u16, Value) {
        self.call(ADA, "POST", path, Some(body)).await
    }

    /// Makes an agent and answers its id.
    pub(crate) async fn agent(&self, key: &str, body: Value) -> String {
        let mut whole = json!({"name": "desk", "model": "sim-1"});
        whole.as_object_mut().unwrap().extend(body.as_object().unwrap().clone());
        let (status, agent) = self.call(key, "POST", "/v1/agents", Some(whole)).await;
        assert_eq!(status, 201, "{agent}");
        agent["id"].as_str().unwrap().to_owned()
    }

    /// Starts a session on `base` and answers its id.
    pub(crate) async fn session(&self, base: &str, extra: Value) -> String {
        let agent = self.agent(ADA, json!({"harness": base})).await;
        let mut start = json!({"agent": agent});
        start.as_object_mut().unwrap().extend(extra.as_object().unwrap().clone());
        let (status, session) = self.post("/v1/sessions", start).await;
        assert_eq!(status, 201, "{session}");
        session["id"].as_str().unwrap().to_owned()
    }

    /// Opens the event stream of a session.
    pub(crate) async fn stream(&self, session: &str, last_event_id: Option<&str>) -> Feed {
        let mut request = Request::new("GET", format!("/v1/sessions/{session}/events"))
            .header("authorization", format!("Bearer {ADA}"))
            .header("accept", "text/event-stream");
        if let Some(id) = last_event_id {
            request = request.header("Last-Event-ID", id);
        }
        let open = open(&self.net, AUTHORITY, &request, LIMITS.head).await.unwrap();
        Feed { open, parser: Parser::default(), frames: Vec::new() }
    }

    /// The listed events of a session, all pages.
    pub(crate) async fn events(&self, session: &str) -> Vec<Value> {
        let (_, page) = self.get(&format!("/v1/sessions/{session}/events?limit=100")).await;
        assert_eq!(page["has_more"], false);
        page["data"].as_array().unwrap().clone()
    }
}

/// An open event stream.
pub(crate) struct Feed {
    pub(crate) open: Open,
    parser: Parser,
    frames: Vec<Frame>,
}

impl Feed {
    /// The next frame; `None` at the end of the stream.
    pub(crate) async fn next(&mut self) -> Option<Frame> {
        while self.frames.is_empty() {
            let piece = self.open.next().await?.unwrap();
            self.frames = self.parser.push(&piece);
        }
        Some(self.frames.remove(0))
    }

    /// The next event, held against its schema and its frame; `None` at the end of the stream.
    pub(crate) async fn event(&mut self) -> Option<Value> {
        let mut frame = self.next().await?;
        while frame.data.is_none() {
            frame = self.next().await?;
        }
        let event: Value = serde_json::from_str(&frame.data.unwrap()).unwrap();
        assert_eq!(schemas::violations("event.json", &event), [""; 0], "{event}");
        assert_eq!(
            (frame.id.as_deref(), frame.event.as_deref()),
            (event["id"].as_str(), event["type"].as_str())
        );
        Some(event)
    }

    /// Events up to and with the first of this type.
    pub(crate) async fn until(&mut self, kind: &str) -> Vec<Value> {
        let mut seen = Vec::new();
        while let Some(event) = self.event().await {
            let last = event["type"] == kind;
            seen.push(event);
            if last {
                return seen;
            }
        }
        panic!("the stream ended before {kind}: {seen:?}");
    }
}

/// The types of events, in order.
pub(crate) fn types(events: &[Value]) -> Vec<&str> {
    events.iter().map(|event| event["type"].as_str().unwrap()).collect()
}

/// Status, code and named field of a refusal.
pub(crate) fn refusal((status, body): &(u16, Value)) -> (u16, &str, Option<&str>) {
    (*status, body["error"]["code"].as_str().unwrap(), body["error"]["param"].as_str())
}
