//! A server of the suite's own, which answers as a check says.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use axum::{
    Router,
    body::{Body, to_bytes},
    extract::Request,
};
use recording::{Lane, What};
use serde_json::{Value, json};
use tokio::task::JoinHandle;
use wire::Clock;

use crate::{Driver, Halt};

/// The largest body that is read.
const BODY_BYTES_MAX: usize = 4 * 1024 * 1024;
/// The most requests that are kept. Whoever asks more often is served all the same.
const KEPT_MAX: usize = 1_000;

/// A request that arrived.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Asked {
    /// Method, in upper case.
    pub method: String,
    /// Path, without the query.
    pub path: String,
    /// Query; empty where there is none.
    pub query: String,
    /// The header `authorization`.
    pub authorization: Option<String>,
    /// Body.
    pub body: String,
    /// How many requests with this method and path came before it.
    pub before: usize,
}

/// An answer in JSON.
#[derive(Clone, Debug, PartialEq)]
pub struct Told {
    /// Status code.
    pub status: u16,
    /// Body.
    pub body: Value,
}

impl Told {
    /// An answer.
    pub fn new(status: u16, body: Value) -> Self {
        Self { status, body }
    }
}

/// How a stand-in answers.
pub type Answering = Arc<dyn Fn(&Asked) -> Told + Send + Sync>;

/// A server that stands in for somebody's; it closes when it is dropped. What it was asked is recorded when
/// the drive says so, as facts `{atMs, method, path, query, authorization, body, answered}` under its label.
pub struct StandIn<'a> {
    driver: &'a Driver<'a>,
    label: String,
    authority: String,
    heard: Arc<Heard>,
    server: JoinHandle<()>,
}

struct Heard {
    clock: Clock,
    answering: Answering,
    kept: Mutex<Vec<(Asked, u64, u16)>>,
}

impl<'a> StandIn<'a> {
    pub(crate) async fn open(
        driver: &'a Driver<'a>,
        label: &str,
        answering: Answering,
    ) -> Result<Self, Halt> {
        let listen = match driver.facts().lane {
            Lane::Virtual => format!("{}.test:80", driver.fresh()),
            Lane::Wall => "127.0.0.1:0".to_owned(),
        };
        let failed = |error| driver.broken(format!("cannot listen at {listen}: {error}"));
        let listener = driver.net().listen(&listen).await.map_err(failed)?;
        let authority = listener.authority().to_owned();
        let heard = Arc::new(Heard { clock: driver.clock().clone(), answering, kept: Mutex::default() });
        let hearing = heard.clone();
        let router = Router::new().fallback(move |request: Request| {
            let hearing = hearing.clone();
            async move { hearing.answer(request).await }
        });
        let server = tokio::spawn(wire::serve::serve(listener, router, None, std::future::pending()));
        Ok(Self { driver, label: label.to_owned(), authority, heard, server })
    }

    /// `host:port`.
    pub fn authority(&self) -> &str {
        &self.authority
    }

    /// Its base URL.
    pub fn url(&self) -> String {
        format!("http://{}", self.authority)
    }

    /// Records what it was asked since the last time.
    pub fn record(&self) {
        let began_ms = self.driver.recorder().began_ms();
        for (asked, at_ms, answered) in std::mem::take(&mut *self.heard.kept()) {
            let heard = json!({
                "atMs": at_ms.saturating_sub(began_ms),
                "method": asked.method,
                "path": asked.path,
                "query": asked.query,
                "authorization": asked.authorization,
                "body": asked.body,
                "answered": answered,
            });
            self.driver.recorder().put(&self.label, What::Fact(heard));
        }
    }
}

impl Drop for StandIn<'_> {
    fn drop(&mut self) {
        self.server.abort();
    }
}

impl Heard {
    fn kept(&self) -> MutexGuard<'_, Vec<(Asked, u64, u16)>> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    async fn answer(&self, request: Request) -> axum::response::Response {
        let (head, body) = request.into_parts();
        let body = to_bytes(body, BODY_BYTES_MAX).await.unwrap_or_default();
        let authorization = head.headers.get("authorization");
        let mut asked = Asked {
            method: head.method.as_str().to_owned(),
            path: head.uri.path().to_owned(),
            query: head.uri.query().unwrap_or_default().to_owned(),
            authorization: authorization.map(|value| String::from_utf8_lossy(value.as_bytes()).into_owned()),
            body: String::from_utf8_lossy(&body).into_owned(),
            before: 0,
        };
        let told = {
            let mut kept = self.kept();
            let alike =
                |each: &&(Asked, u64, u16)| each.0.method == asked.method && each.0.path == asked.path;
            asked.before = kept.iter().filter(alike).count();
            let told = (self.answering)(&asked);
            if kept.len() < KEPT_MAX {
                kept.push((asked, self.clock.elapsed_ms(), told.status));
            }
            told
        };
        let response = axum::http::Response::builder().status(told.status);
        let response = response.header("content-type", "application/json");
        response.body(Body::from(told.body.to_string())).unwrap_or_default()
    }
}
