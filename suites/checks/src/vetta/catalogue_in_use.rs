//! The catalogue while it is used, and the loops in preview that it lists (VET-03-a, VET-08-b).

use std::time::Duration;

use engine::{Call, Driver, Drove, Received};
use recording::{Judged, Recording, View};
use serde_json::{Value, json};
use spec::Spec;

use super::{
    agents::Agent,
    environments::{Environment, starts_here},
    evidence::{self, Evidence, all_of},
    rows::{by_base, text},
};
use crate::{percent::encoded, table::checks};

checks! { Vetta:
    "VET-03-a" => catalogue_is_read_around_a_session, catalogue_does_not_move;
    "VET-08-b" => preview_loops_are_started, every_preview_loop_starts;
}

const MOVED: &str = "the catalogue changed with its use";
const PREVIEW_REFUSED: &str = "a preview loop that is listed as runnable did not start";

/// How long a turn is waited for. Whether it ends well is not looked at.
const TURN: Duration = Duration::from_secs(10);

async fn catalogue_is_read_around_a_session(driver: &Driver<'_>) -> Drove {
    let environment = Environment::primary(driver).await?;
    let row = environment.pick("hosted loop that is runnable", starts_here)?;
    let agent = environment.need_agent("agent", &Agent::on(&environment, text(&row, "base"))).await?;
    environment.send("listed again", Call::get("/v1/harnesses")).await;
    let session = environment.need_session("start", &agent).await?;
    environment.send("listed again", Call::get("/v1/harnesses")).await;
    let path = format!("/v1/sessions/{}", encoded(&session));
    let message = json!({"content": format!("Say hello. {}", driver.marker())});
    let sent = environment.send("message", Call::post(format!("{path}/messages"), &message)).await;
    if sent.is_success()
        && let Some(mut stream) = driver.listen("events", Call::get(format!("{path}/events"))).await
    {
        stream.until(TURN, ends_a_turn).await;
    }
    environment.send("end", Call::delete(path)).await;
    environment.send("listed again", Call::get("/v1/harnesses")).await;
    Ok(())
}

/// The names of these events are the vendor's own (open point U20); with others the wait runs out.
fn ends_a_turn(received: &Received) -> bool {
    let kind = received.data.get("type").and_then(Value::as_str).unwrap_or_default();
    ["turn.completed", "turn.failed", "turn.cancelled"].contains(&kind)
}

fn catalogue_does_not_move(recording: &Recording, _: &Spec) -> Judged {
    let mut evidence = Evidence::default();
    let first = recording.one("rows")?;
    let rows = by_base(&first)?;
    for again in all_of(recording, "listed again", 3)? {
        if by_base(&again)? != rows {
            return Err(again.finding(MOVED, "the objects that were listed before").into());
        }
        evidence.see(&again);
    }
    evidence.judged()
}

async fn preview_loops_are_started(driver: &Driver<'_>) -> Drove {
    let environment = Environment::primary(driver).await?;
    let wanted = |row: &Value| starts_here(row) && text(row, "status") == "preview";
    for base in environment.pick_all("hosted loop that is in preview and runnable", wanted)? {
        let agent = environment.need_agent("agent", &Agent::on(&environment, &base)).await?;
        environment.start(&format!("start: {base}"), &agent, &json!({})).await;
    }
    Ok(())
}

fn every_preview_loop_starts(recording: &Recording, _: &Spec) -> Judged {
    let mut evidence = Evidence::default();
    for (_, start) in evidence::by_base(recording, "start")? {
        evidence.accepted(&start, PREVIEW_REFUSED)?;
    }
    evidence.judged()
}
