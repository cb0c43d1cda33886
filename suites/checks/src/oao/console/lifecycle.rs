//! How a lifecycle is read (OAO-272, 273, 276, 277), and the least length of a bar (OAO-275).

use engine::{Driver, Drove};
use recording::{Judged, Recording};
use serde_json::Value;
use spec::Spec;

use super::{
    plant::{ended, lifecycle, show, started, step, time},
    view::{Console, steps, text},
};
use crate::table::checks;

checks! { Oao:
    "OAO-272-a" => two_terminal_events, the_latest_counts;
    "OAO-273-a" => no_started_event, shown_all_the_same;
    "OAO-275-a" => ten_milliseconds_beside_ten_seconds, long_enough_to_click;
    "OAO-276-a" => steps_out_of_order, in_the_order_of_their_indexes;
    "OAO-277-a" => every_ending, each_status_as_reported;
}

const CALL: &str = "planted_a";

/// The later one comes first in the feed.
async fn two_terminal_events(driver: &Driver<'_>) -> Drove {
    let events =
        [started(CALL, 1_000), ended(CALL, "completed", 4_000, 3_000), ended(CALL, "failed", 2_000, 1_000)];
    show(driver, &events).await
}

/// Whether a member is the instant so many milliseconds after the one that planted sessions count from.
fn is_at(modal: &Value, name: &str, at_ms: u64) -> bool {
    let parse = |text: &str| text.parse::<jiff::Timestamp>().ok();
    parse(text(modal, name)).is_some_and(|found| Some(found) == parse(&time(at_ms)))
}

fn the_latest_counts(recording: &Recording, _: &Spec) -> Judged {
    let console = Console::read(recording, "view")?;
    let modal = console.modal(CALL)?;
    if modal["status"] == "completed" && is_at(modal, "endedAt", 4_000) {
        return Ok(console.seen.witness());
    }
    let message = "another terminal event than the latest counts";
    let got = format!("{} at {}", modal["status"], modal["endedAt"]);
    Err(console.finding(message, format!("completed at {}", time(4_000)), got).into())
}

async fn no_started_event(driver: &Driver<'_>) -> Drove {
    let mut events = vec![ended(CALL, "completed", 2_000, 500)];
    events.extend(lifecycle("planted_b", 5_000, Some(6_000)));
    show(driver, &events).await
}

fn shown_all_the_same(recording: &Recording, _: &Spec) -> Judged {
    let message = "an invocation whose started event is missing is not shown";
    let console = Console::read(recording, "view")?;
    let shown = console.modals().iter().find(|modal| modal["toolCallId"] == CALL);
    let Some(modal) = shown.filter(|modal| console.invocations().any(|row| row["opens"] == modal["id"]))
    else {
        return Err(console.finding(message, "a row and a modal", "none").into());
    };
    if !is_at(modal, "startedAt", 2_000) || modal["status"] != "completed" {
        let message = "an invocation whose started event is missing does not begin with its terminal event";
        let got = format!("{} since {}", modal["status"], modal["startedAt"]);
        return Err(console.finding(message, format!("completed since {}", time(2_000)), got).into());
    }
    Ok(console.seen.witness())
}

/// Lasts as long as the longer one, but took 10 ms by itself.
async fn ten_milliseconds_beside_ten_seconds(driver: &Driver<'_>) -> Drove {
    let mut events = lifecycle("planted_b", 1_000, Some(11_000));
    events.extend([started(CALL, 1_000), ended(CALL, "completed", 11_000, 10)]);
    show(driver, &events).await
}

/// The least length of a bar, in per cent of its slot.
const WIDTH_MIN: f64 = 16.0;

fn long_enough_to_click(recording: &Recording, _: &Spec) -> Judged {
    let console = Console::read(recording, "view")?;
    let row = text(console.row(CALL)?, "id");
    let bars = console.slots().iter().filter_map(|slot| slot.get("bars")?.as_array()).flatten();
    let widths: Vec<f64> =
        bars.filter(|bar| bar["row"] == row).filter_map(|bar| bar.get("width")?.as_f64()).collect();
    if matches!(widths.as_slice(), [width] if *width >= WIDTH_MIN) {
        return Ok(console.seen.witness());
    }
    let message = "a bar is shorter than the least length";
    Err(console.finding(message, format!("one bar of at least {WIDTH_MIN} %"), format!("{widths:?}")).into())
}

const STEPS: [&str; 3] = ["zeroth", "first", "second"];

async fn steps_out_of_order(driver: &Driver<'_>) -> Drove {
    let mut events = lifecycle(CALL, 1_000, Some(5_000));
    for (index, at_ms) in [(2, 2_000), (0, 4_000), (1, 3_000)] {
        events.push(step(CALL, STEPS[index], index as u64, at_ms));
    }
    show(driver, &events).await
}

fn in_the_order_of_their_indexes(recording: &Recording, _: &Spec) -> Judged {
    let console = Console::read(recording, "view")?;
    let titles: Vec<&str> = steps(console.modal(CALL)?).iter().map(|step| text(step, "title")).collect();
    if titles == STEPS {
        return Ok(console.seen.witness());
    }
    let message = "the steps of an invocation are not in the order of their indexes";
    Err(console.finding(message, format!("{STEPS:?}"), format!("{titles:?}")).into())
}

const ENDINGS: [&str; 4] = ["completed", "failed", "cancelled", "timed_out"];

async fn every_ending(driver: &Driver<'_>) -> Drove {
    let mut events = Vec::new();
    for (how, start) in ENDINGS.into_iter().zip([1_000, 3_000, 5_000, 7_000]) {
        events.extend([started(how, start), ended(how, how, start + 1_000, 1_000)]);
    }
    events.push(started("running", 9_000));
    show(driver, &events).await
}

fn each_status_as_reported(recording: &Recording, _: &Spec) -> Judged {
    let console = Console::read(recording, "view")?;
    for how in ENDINGS.into_iter().chain(["running"]) {
        let modal = console.modal(how)?;
        if modal["status"] != how || (modal["resultValidated"] == true && how != "completed") {
            let message = "the status of a modal is not the one that was reported";
            let got = format!("{}, resultValidated {}", modal["status"], modal["resultValidated"]);
            return Err(console.finding(message, how, got).into());
        }
    }
    Ok(console.seen.witness())
}
