//! Further runs of a session.

use std::time::Duration;

use engine::{Call, Driver, Halt};
use serde_json::{Value, json};

use super::{agents::project, runs::Started};

/// Until a run must have settled.
const SETTLED: Duration = Duration::from_secs(60);
/// A healthy stream closes now and then; this many times it is opened again.
const STREAMS_MAX: usize = 8;
const TERMINAL: [&str; 4] = ["completed", "failed", "cancelled", "timed_out"];

/// Waits until a run that is only a step before the one under test is over. Its events are recorded as
/// `LABEL events`, the run as `LABEL`.
pub(crate) async fn over(driver: &Driver<'_>, started: &Started, label: &str) -> Result<(), Halt> {
    let mut last: Option<String> = None;
    let whole = async {
        for _ in 0..STREAMS_MAX {
            let mut call = Call::get(format!("{}/events", project(driver)));
            if let Some(id) = last.clone() {
                call = call.header("last-event-id", id);
            }
            let own = |event: &engine::Received| event.data["aggregateId"] == started.run.as_str();
            let Some(mut feed) = driver.listen_for(&format!("{label} events"), call, own).await else {
                return;
            };
            let is_over = |event: &engine::Received| {
                last.clone_from(&event.id);
                let state = event.data.pointer("/publicPayload/state").and_then(Value::as_str);
                event.data["kind"] == "run.state_changed"
                    && state.is_some_and(|state| TERMINAL.contains(&state))
            };
            if feed.until(SETTLED, is_over).await.is_some() {
                return;
            }
        }
    };
    // Whether it is over is seen at the run itself.
    let _ = driver.clock().within(SETTLED, whole).await;
    let run = driver.get(label, format!("{}/runs/{}", project(driver), started.run)).await;
    match run.text("/state") {
        Some(state) if run.is_success() && TERMINAL.contains(&state) => Ok(()),
        _ => Err(driver.setup_failed(&run, "wait for the end of the first run", "a run that has settled")),
    }
}

/// Says `message` in a session whose latest run is over.
pub(crate) async fn say(
    driver: &Driver<'_>,
    label: &str,
    session: &str,
    message: &str,
) -> Result<Started, Halt> {
    let call =
        Call::post(format!("{}/sessions/{session}/runs", project(driver)), &json!({"message": message}));
    let reply = driver.send(label, call.header("idempotency-key", driver.fresh())).await;
    let run = driver.need_text(&reply, "/id", "start a further run")?;
    Ok(Started { session: session.to_owned(), run })
}
