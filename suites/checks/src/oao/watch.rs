//! Watching a run from the outside: its events as they come, until something has been seen.

use std::{
    collections::{BTreeMap, BTreeSet},
    time::Duration,
};

use engine::{Call, Driver, Drove, Received};
use serde_json::{Value, json};

use super::{
    agents::project,
    runs::{SETTLED, STREAMS_MAX, Started, TERMINAL, is_about},
};

/// How long the last events of operations may come after the run is over (D20).
const TRAIL: Duration = Duration::from_secs(3);
/// How long a request that was called off may take to be seen as such by the model.
const IDLE: Duration = Duration::from_secs(3);
/// Until the model must have been asked for what the check waits for.
const ASKED: Duration = Duration::from_secs(10);
/// How long silence is listened to.
const QUIET: Duration = Duration::from_millis(400);
/// The name under which the place in the feed is kept from run to run.
const CURSOR: &str = "event cursor";

/// What was seen of a run so far.
#[derive(Debug, Default)]
pub(crate) struct Progress {
    /// The state that the run said last.
    pub(crate) state: Option<String>,
    /// Calls that have started and not ended.
    pub(crate) open: BTreeSet<String>,
    /// Calls that have ended, with the kind of their terminal event.
    pub(crate) ended: BTreeMap<String, String>,
}

impl Progress {
    /// Whether the run is over.
    pub(crate) fn is_over(&self) -> bool {
        self.state.as_deref().is_some_and(|state| TERMINAL.contains(&state))
    }

    fn take(&mut self, event: &Value) {
        let kind = event["kind"].as_str().unwrap_or_default();
        let payload = &event["publicPayload"];
        if kind == "run.state_changed" {
            self.state = payload["state"].as_str().map(str::to_owned);
        }
        let Some(call) = payload["toolCallId"].as_str().filter(|_| kind.starts_with("harness.")) else {
            return;
        };
        if kind == "harness.operation_started" {
            if !self.ended.contains_key(call) {
                self.open.insert(call.to_owned());
            }
        } else {
            self.open.remove(call);
            self.ended.insert(call.to_owned(), kind.to_owned());
        }
    }
}

/// Follows one run. What is read is recorded as `events`.
pub(crate) struct Watch<'d, 'a> {
    driver: &'d Driver<'a>,
    started: Started,
    progress: Progress,
}

impl<'d, 'a> Watch<'d, 'a> {
    /// Follows the run that was started.
    pub(crate) fn of(driver: &'d Driver<'a>, started: &Started) -> Self {
        Self { driver, started: started.clone(), progress: Progress::default() }
    }

    /// Reads on until `wanted` says so of what was seen; false when `within` has passed before.
    pub(crate) async fn until(
        &mut self,
        within: Duration,
        mut wanted: impl FnMut(&Progress) -> bool,
    ) -> bool {
        if wanted(&self.progress) {
            return true;
        }
        let driver = self.driver;
        let whole = async {
            for _ in 0..STREAMS_MAX {
                if self.follow(within, &mut wanted).await {
                    return true;
                }
            }
            false
        };
        driver.clock().within(within, whole).await.unwrap_or(false)
    }

    /// Reads one stream from where the last one ended.
    async fn follow(&mut self, within: Duration, wanted: &mut impl FnMut(&Progress) -> bool) -> bool {
        let Self { driver, started, progress } = self;
        let mut call = Call::get(format!("{}/events", project(driver)));
        if let Some(id) = driver.remembered(CURSOR) {
            call = call.header("last-event-id", id);
        }
        let about = |event: &Received| is_about(&event.data, started);
        let Some(mut feed) = driver.listen_for("events", call, about).await else { return false };
        let seen = |event: &Received| {
            if let Some(id) = &event.id {
                driver.remember(CURSOR, id.clone());
            }
            progress.take(&event.data);
            wanted(progress)
        };
        feed.until(within, seen).await.is_some()
    }

    /// Waits until a call has its terminal event.
    pub(crate) async fn until_ended(&mut self, calls: &[&str]) -> bool {
        self.until(SETTLED, |seen| calls.iter().all(|call| seen.ended.contains_key(*call))).await
    }

    /// Waits until the run is over and the operations that started in it have ended. A run that does neither
    /// is judged by what was seen of it.
    pub(crate) async fn until_over(&mut self) {
        if self.until(SETTLED, Progress::is_over).await {
            self.until(TRAIL, |seen| seen.open.is_empty()).await;
        }
    }

    /// Waits until the run is over, and records the run as `label` and the details of its session as `detail`.
    pub(crate) async fn settle(mut self, label: &str) {
        self.until_over().await;
        let Self { driver, started, .. } = self;
        driver.get(label, format!("{}/runs/{}", project(driver), started.run)).await;
        driver.get("detail", format!("{}/sessions/{}", project(driver), started.session)).await;
    }

    /// Asks for the run to be cancelled, and records that as `cancel`.
    pub(crate) async fn cancel(&self) {
        let call =
            Call::post(format!("{}/runs/{}/cancel", project(self.driver), self.started.run), &json!({}));
        self.driver.send("cancel", call.header("idempotency-key", self.driver.fresh())).await;
    }
}

/// Waits until `count` requests are held at `gate`; a target that does not ask so often is judged by what it
/// asked.
pub(crate) async fn until_held(driver: &Driver<'_>, gate: &str, count: usize) -> Result<bool, engine::Halt> {
    let held = driver.model()?.wait_for_held(driver.token(), gate, count);
    Ok(driver.clock().within(ASKED, held).await.is_some())
}

/// Opens `gate` and listens whether anything follows.
pub(crate) async fn let_go(driver: &Driver<'_>, gate: &str) -> Drove {
    driver.model()?.release(driver.token(), gate);
    driver.clock().pause(QUIET).await;
    Ok(())
}

/// Records what the model was asked as `model`, once requests that were called off had the time to be seen as
/// such.
pub(crate) async fn record_requests(driver: &Driver<'_>) -> Drove {
    // What is still under way then is recorded as that.
    let _ = driver.clock().within(IDLE, driver.model()?.wait_until_idle(driver.token())).await;
    driver.record_model("model")
}

/// Follows a run to its end and records everything: `events`, `run`, `detail` and `model`.
pub(crate) async fn to_the_end(driver: &Driver<'_>, started: &Started) -> Drove {
    Watch::of(driver, started).settle("run").await;
    record_requests(driver).await
}
