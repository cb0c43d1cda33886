//! Deltas and whole answers, as far as admission goes (VET-35).

use engine::{Call, Driver, Drove, Halt};
use recording::{Judged, Recording, Seen, View};
use serde_json::{Value, json};
use spec::Spec;

use super::{
    agents::Agent,
    environments::{Environment, starts_here},
    evidence::Evidence,
    rows::{flag, text},
};
use crate::{percent::encoded, table::checks};

checks! { Vetta:
    "VET-35-a" => loop_without_deltas_is_followed, start_and_stream_are_accepted;
}

const START_REFUSED: &str = "a loop without deltas was refused at start";
const STREAM_REFUSED: &str = "the events of a loop without deltas cannot be followed";

async fn loop_without_deltas_is_followed(driver: &Driver<'_>) -> Drove {
    let environment = Environment::primary(driver).await?;
    let streams = |row: &Value, on: bool| starts_here(row) && flag(row, "streaming_deltas") == Some(on);
    let row =
        environment.pick("hosted loop that is runnable and has no deltas", |row| streams(row, false))?;
    let agent = environment.need_agent("agent", &Agent::on(&environment, text(&row, "base"))).await?;
    let start = environment.start("start", &agent, &json!({})).await;
    if let Some(session) = start.text("/id").filter(|_| start.is_success()) {
        events_are_read(&environment, "", session).await?;
    }
    // How the events of other loops can be read tells a target that offers no streams at all (open point
    // U24) from one that refuses them here.
    if let Some(row) = environment.find(|row| streams(row, true)) {
        let (_, session) = environment.need_twin(text(&row, "base")).await?;
        events_are_read(&environment, "twin's ", &session).await?;
    }
    Ok(())
}

async fn events_are_read(environment: &Environment<'_>, whose: &str, session: &str) -> Result<(), Halt> {
    let path = format!("/v1/sessions/{}/events", encoded(session));
    environment.listen(&format!("{whose}stream"), &path).await;
    environment.send(&format!("{whose}events"), Call::get(path)).await;
    Ok(())
}

fn start_and_stream_are_accepted(recording: &Recording, _: &Spec) -> Judged {
    let mut evidence = Evidence::default();
    evidence.accepted(&recording.one("start")?, START_REFUSED)?;
    let (stream, events) = (recording.one("stream")?, recording.one("events")?);
    if is_event_stream(&stream) {
        evidence.see(&stream);
        return evidence.judged();
    }
    let polls_only = recording.labelled("twin's stream").first().is_some_and(|twin| !is_event_stream(twin));
    if polls_only && events.is_success() && is_page(&events) {
        evidence.see(&events);
        evidence.note("events are polled, on loops with deltas too");
        return evidence.judged();
    }
    stream.answer()?;
    Err(stream.finding(STREAM_REFUSED, "2xx with the content type `text/event-stream`").into())
}

/// Whether the head is that of an event stream.
/// Events that are polled come as a list.
fn is_page(seen: &Seen<'_>) -> bool {
    seen.body().is_some_and(|body| body.get("data").unwrap_or(&body).is_array())
}

fn is_event_stream(head: &Seen<'_>) -> bool {
    let kind = head.header("content-type").and_then(|value| value.split(';').next()).unwrap_or_default();
    head.is_success() && kind.trim().eq_ignore_ascii_case("text/event-stream")
}
