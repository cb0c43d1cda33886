//! A client of the fake model on an in-memory network, and golden files.

use std::{path::PathBuf, time::Duration};

use model::{Host, Script};
use serde_json::{Value, json};
use wire::{
    Clock, Net, Seed,
    http::{Failure, Limits, Open, Request, Response},
    sse::Parser,
};

const LIMITS: Limits =
    Limits { head: Duration::from_secs(60), whole: Duration::from_secs(60), body_bytes_max: 16 << 20 };
const CHAT: &str = "/v1/chat/completions";

/// A host that is being served, and its network.
pub(crate) struct World {
    pub(crate) host: Host,
    pub(crate) clock: Clock,
    net: Net,
    authority: String,
}

impl World {
    pub(crate) async fn new() -> Self {
        Self::on(Net::memory(), Clock::virtual_time(), "model").await
    }

    pub(crate) async fn on(net: Net, clock: Clock, listen: &str) -> Self {
        let host = Host::new(clock.clone(), Seed::of_run(7));
        let listener = net.listen(listen).await.unwrap();
        let authority = listener.authority().to_owned();
        tokio::spawn(model::serve(host.clone(), listener, std::future::pending()));
        Self { host, clock, net, authority }
    }

    /// A world whose default session plays a script of `fixtures/scripts`.
    pub(crate) async fn playing(file: &str) -> Self {
        let world = Self::new().await;
        world.host.load(model::DEFAULT_SESSION, fixture(file));
        world
    }

    /// Sends a request; one on the Messages wire has the header that every client of that sends.
    pub(crate) async fn send(&self, request: Request) -> Response {
        self.send_as_it_is(versioned(request)).await
    }

    pub(crate) async fn send_as_it_is(&self, request: Request) -> Response {
        wire::http::send(&self.net, &self.authority, &request, LIMITS).await.unwrap()
    }

    /// Sends a request whose answer may break off.
    pub(crate) async fn try_send(&self, request: Request) -> Result<Response, Failure> {
        wire::http::send(&self.net, &self.authority, &versioned(request), LIMITS).await
    }

    pub(crate) async fn post(&self, path: &str, body: &Value) -> Response {
        self.send(Request::new("POST", path).json(body.to_string())).await
    }

    /// Asks at the chat endpoint of `session`.
    pub(crate) async fn ask(&self, session: &str, body: &Value) -> Response {
        self.post(&format!("/s/{session}{CHAT}"), body).await
    }

    /// The same, up to the head of the answer. Dropping it closes the connection.
    pub(crate) async fn open(&self, session: &str, body: &Value) -> Open {
        let request = Request::new("POST", format!("/s/{session}{CHAT}")).json(body.to_string());
        wire::http::open(&self.net, &self.authority, &request, LIMITS.head).await.unwrap()
    }

    /// Sends a request and leaves as soon as the gate holds it.
    pub(crate) async fn leave_when_held(&self, session: &str, gate: &str, body: &Value) {
        let request = Request::new("POST", format!("/s/{session}{CHAT}")).json(body.to_string());
        let asking = wire::http::send(&self.net, &self.authority, &request, LIMITS);
        tokio::select! {
            biased;
            _ = asking => panic!("the gate did not hold it"),
            held = self.host.wait_for_held(session, gate, 1) => held.unwrap(),
        }
        self.until(|| self.host.held(session, gate) == 0).await;
    }

    /// Lets the other tasks run until something has come about.
    pub(crate) async fn until(&self, done: impl Fn() -> bool) {
        for _ in 0..1000 {
            if done() {
                return;
            }
            tokio::task::yield_now().await;
        }
        panic!("it does not come about");
    }
}

/// A request with the header that every client of the Messages wire sends, if it is on that.
fn versioned(request: Request) -> Request {
    let is_messages = request.method == "POST" && request.path.contains("/v1/messages");
    let has_version = request.headers.iter().any(|(name, _)| name == "anthropic-version");
    if is_messages && !has_version { request.header("anthropic-version", "2023-06-01") } else { request }
}

/// A request of one user message, with these tools offered.
pub(crate) fn user(text: &str, tools: &[&str]) -> Value {
    let tools: Vec<Value> =
        tools.iter().map(|name| json!({"type": "function", "function": {"name": name}})).collect();
    let mut body = json!({"model": "gpt-x", "messages": [{"role": "user", "content": text}]});
    if !tools.is_empty() {
        body["tools"] = tools.into();
    }
    body
}

pub(crate) fn json_of(response: &Response) -> Value {
    serde_json::from_slice(&response.body).unwrap_or_else(|_| panic!("no JSON: {:?}", response.body))
}

/// The data of each event of a stream.
pub(crate) fn events_of(response: &Response) -> Vec<String> {
    Parser::default().push(&response.body).into_iter().filter_map(|frame| frame.data).collect()
}

pub(crate) fn header<'a>(response: &'a Response, name: &str) -> Option<&'a str> {
    response.headers.iter().find(|(found, _)| found == name).map(|(_, value)| value.as_str())
}

/// A path below the root of the repository.
pub(crate) fn at_root(path: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..").join(path)
}

pub(crate) fn fixture(file: &str) -> Script {
    Script::from_path(at_root("fixtures/scripts").join(file)).unwrap_or_else(|error| panic!("{error}"))
}

/// Compares a text with its golden file in `snapshots/model`.
pub(crate) fn golden(name: &str, text: &str) {
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path(at_root("snapshots/model"));
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.bind(|| insta::assert_snapshot!(name, text));
}
