//! An endpoint of the suite's own, to which a target pushes.

use std::{
    collections::VecDeque,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use axum::{
    Router,
    body::{Body, to_bytes},
    extract::Request,
};
use recording::{Lane, What};
use serde_json::{Value, json};
use tokio::{sync::watch, task::JoinHandle};
use wire::Clock;

use crate::{Driver, Halt};

/// The largest push that is read.
const PUSH_BYTES_MAX: usize = 4 * 1024 * 1024;

/// What the endpoint answers to one push.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Response {
    /// Status code.
    pub status: u16,
    /// Headers.
    pub headers: Vec<(&'static str, String)>,
    /// JSON, with its content type; no body without it.
    pub body: Option<Value>,
}

/// From the body of a call, as text, to its answer.
pub type Respond = Box<dyn FnMut(&str) -> Response + Send>;

/// Gives `answers` in turn, and 204 once they are used up.
pub(crate) fn in_turn(answers: Vec<Response>) -> Respond {
    let mut answers = VecDeque::from(answers);
    Box::new(move |_| answers.pop_front().unwrap_or_else(|| Response::status(204)))
}

impl Response {
    /// An answer without headers.
    pub fn status(status: u16) -> Self {
        Self { status, headers: Vec::new(), body: None }
    }

    /// An answer with a JSON body.
    pub fn json(status: u16, body: Value) -> Self {
        Self { body: Some(body), ..Self::status(status) }.header("content-type", "application/json")
    }

    /// One more header.
    #[must_use]
    pub fn header(mut self, name: &'static str, value: impl Into<String>) -> Self {
        self.headers.push((name, value.into()));
        self
    }
}

/// An open endpoint; it closes when it is dropped. What arrives is recorded when the drive waits or asks, as
/// the fact `{arrivedMs, path, headers, body, answered}` under the endpoint's label.
pub struct Receiver<'a> {
    driver: &'a Driver<'a>,
    label: String,
    url: String,
    inbox: Arc<Inbox>,
    server: JoinHandle<()>,
}

struct Inbox {
    clock: Clock,
    arrived: Mutex<Arrived>,
    count: watch::Sender<usize>,
}

struct Arrived {
    respond: Respond,
    unrecorded: Vec<Value>,
}

impl<'a> Receiver<'a> {
    pub(crate) async fn open(driver: &'a Driver<'a>, label: &str, respond: Respond) -> Result<Self, Halt> {
        let facts = driver.facts();
        let listen = match facts.lane {
            Lane::Virtual => format!("{}.test:80", driver.fresh()),
            Lane::Wall => facts.text("receiver_listen").unwrap_or("127.0.0.1:0").to_owned(),
        };
        let listener = driver
            .net()
            .listen(&listen)
            .await
            .map_err(|error| driver.broken(format!("cannot listen at {listen}: {error}")))?;
        let base = facts.text("receiver_url").map(|url| url.trim_end_matches('/').to_owned());
        let base = base.unwrap_or_else(|| format!("http://{}", listener.authority()));
        let inbox = Arc::new(Inbox {
            clock: driver.clock().clone(),
            arrived: Mutex::new(Arrived { respond, unrecorded: Vec::new() }),
            count: watch::Sender::new(0),
        });
        let taking = inbox.clone();
        let router = Router::new().fallback(move |request: Request| {
            let taking = taking.clone();
            async move { taking.take(request).await }
        });
        let server = tokio::spawn(wire::serve::serve(listener, router, None, std::future::pending()));
        let url = format!("{base}/{}", driver.fresh());
        Ok(Self { driver, label: label.to_owned(), url, inbox, server })
    }

    /// The URL to push to.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// Waits until `count` pushes have arrived in all, `within` at most, and records what has.
    pub async fn wait_for(&self, count: usize, within: Duration) {
        let mut seen = self.inbox.count.subscribe();
        let enough = async {
            while *seen.borrow_and_update() < count {
                if seen.changed().await.is_err() {
                    return;
                }
            }
        };
        // What has not arrived by then is for the judge to miss.
        let _ = self.driver.clock().within(within, enough).await;
        self.record();
    }

    /// Records what has arrived since the last time.
    pub fn record(&self) {
        let arrived = std::mem::take(&mut self.inbox.arrived().unrecorded);
        for mut push in arrived {
            let at = push["arrivedMs"].as_u64().unwrap_or_default();
            push["arrivedMs"] = json!(at.saturating_sub(self.driver.recorder().began_ms()));
            let body = self.driver.recorder().redact_json(push["body"].as_str().unwrap_or_default());
            push["body"] = json!(body);
            self.driver.recorder().put(&self.label, What::Fact(push));
        }
    }
}

impl Drop for Receiver<'_> {
    fn drop(&mut self) {
        self.server.abort();
    }
}

impl Inbox {
    fn arrived(&self) -> MutexGuard<'_, Arrived> {
        self.arrived.lock().unwrap_or_else(PoisonError::into_inner)
    }

    async fn take(&self, request: Request) -> axum::response::Response {
        let (head, body) = request.into_parts();
        let body = to_bytes(body, PUSH_BYTES_MAX).await.unwrap_or_default();
        let headers: serde_json::Map<String, Value> = head
            .headers
            .iter()
            .filter(|(name, _)| *name != "authorization")
            .map(|(name, value)| (name.to_string(), json!(String::from_utf8_lossy(value.as_bytes()))))
            .collect();
        let answer = {
            let mut arrived = self.arrived();
            let body = String::from_utf8_lossy(&body);
            let answer = (arrived.respond)(&body);
            arrived.unrecorded.push(json!({
                "arrivedMs": self.clock.elapsed_ms(),
                "method": head.method.as_str(),
                "path": head.uri.path(),
                "headers": headers,
                "body": body,
                "answered": answer.status,
            }));
            answer
        };
        self.count.send_modify(|count| *count += 1);
        let mut response = axum::http::Response::builder().status(answer.status);
        for (name, value) in answer.headers {
            response = response.header(name, value);
        }
        let body = answer.body.map_or_else(Body::empty, |body| Body::from(body.to_string()));
        response.body(body).unwrap_or_default()
    }
}
