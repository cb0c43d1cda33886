//! How much is pushed at a time, and when it is pushed again (OAO-306, 307).

use std::{collections::BTreeSet, time::Duration};

use engine::{Driver, Drove, Response};
use recording::{Judged, Lane, Recording, Verdict, View, Witness};
use serde_json::{Value, json};
use spec::Spec;

use super::{
    batch::{self, batch, finish, scratch},
    webhooks::{body, delete, events, pushes, run, wire, wire_to},
};
use crate::table::checks;
use model::Turn;

checks! { Oao:
    "OAO-306-a" => the_endpoint_keeps_failing, the_waits_double;
    "OAO-307-a" => much_is_left_behind, no_push_is_too_large;
}

/// The wait after the first failure, twice as long after each further one, up to the longest.
const FIRST_MS: u64 = 2_000;
const LONGEST_MS: u64 = 300_000;
/// A wait may be so much shorter or longer.
const JITTER_PERCENT: u64 = 20;
/// Less than this is no difference between two clocks.
const EARLY_MS: u64 = 50;
/// So much longer a busy machine may take.
const LATE_MS: u64 = 2_000;

/// Failures in a row: where time costs nothing, until the longest wait is reached.
fn failures(lane: Lane) -> usize {
    match lane {
        Lane::Virtual => 10,
        Lane::Wall => 2,
    }
}

async fn the_endpoint_keeps_failing(driver: &Driver<'_>) -> Drove {
    let failures = failures(driver.facts().lane);
    let wired = wire(driver, vec![Response::status(500); failures], None).await?;
    run(driver, &wired, 1).await?;
    let longest = (1..=failures).map(|at| pause_ms(at) * 2 + LATE_MS).sum();
    wired.receiver.wait_for(failures + 1, Duration::from_millis(longest)).await;
    driver.fact("failures", json!(failures));
    delete(driver, &wired.id).await;
    Ok(())
}

/// The wait after so many failures, give or take.
fn pause_ms(failures: usize) -> u64 {
    let doublings = u32::try_from(failures.saturating_sub(1)).unwrap_or(u32::MAX);
    FIRST_MS.saturating_mul(2_u64.saturating_pow(doublings)).min(LONGEST_MS)
}

fn the_waits_double(recording: &Recording, _: &Spec) -> Judged {
    let message = "a push that fails again and again does not come at growing intervals";
    let failures = recording.fact("failures")?.as_u64().and_then(|count| usize::try_from(count).ok());
    let failures = failures.unwrap_or_default();
    let pushes = pushes(recording)?;
    // There is one push under way at a time, so the first ones are attempts of the same.
    let Some(attempts) = pushes.get(..=failures) else {
        let expected = format!("{} attempts of one push", failures + 1);
        return Err(pushes[0].0.finding_got(message, expected, format!("{}", pushes.len())).into());
    };
    let at = |push: &Value| push["arrivedMs"].as_u64().unwrap_or_default();
    for (number, pair) in attempts.windows(2).enumerate() {
        let waited = at(pair[1].1).saturating_sub(at(pair[0].1));
        let about = pause_ms(number + 1);
        let least = (about - about * JITTER_PERCENT / 100).saturating_sub(EARLY_MS);
        let most = about + about * JITTER_PERCENT / 100 + LATE_MS;
        if !(least..=most).contains(&waited) {
            let expected = format!("about {about} ms after failure {}", number + 1);
            return Err(pair[1].0.finding_got(message, expected, format!("{waited} ms")).into());
        }
    }
    all(attempts.iter().map(|(seen, _)| seen.witness()))
}

fn all(witnesses: impl IntoIterator<Item = Witness>) -> Judged {
    Witness::all(witnesses).ok_or_else(|| Verdict::Error { reason: "nothing was recorded".to_owned() })
}

/// The most events of one push.
const EVENTS_MAX: usize = 100;
const KEY: &str = "look_around";
/// Calls of the operation, and files that each of them looks for. Every look is a step.
const CALLS: [(&str, &str, &str); 5] = [
    ("call_a", KEY, "look-around-first"),
    ("call_b", KEY, "look-around-second"),
    ("call_c", KEY, "look-around-third"),
    ("call_d", KEY, "look-around-fourth"),
    ("call_e", KEY, "look-around-fifth"),
];
const LOOKS: usize = 20;

/// The first push is put off for so long that the events of the whole run gather meanwhile.
const PUT_OFF_S: u64 = 2;

async fn much_is_left_behind(driver: &Driver<'_>) -> Drove {
    let paths: Vec<String> = (0..LOOKS).map(|at| format!("nowhere-{at}.txt")).collect();
    let paths: Vec<&str> = paths.iter().map(String::as_str).collect();
    let turns = CALLS.iter().flat_map(|(call, _, task)| {
        let last = format!("look_{call}_{}", LOOKS - 1);
        [
            Turn::new(format!("looks-{call}"), batch::read(&format!("look_{call}"), &paths))
                .when(scratch(task).no_tool_results()),
            Turn::new(format!("ends-{call}"), finish(call)).when(scratch(task).tool_result_for(last)),
        ]
    });
    let later = Response::status(503).header("retry-after", PUT_OFF_S.to_string());
    let wired = wire_to(driver, KEY, batch(&CALLS, turns.collect()), vec![later]).await?;
    run(driver, &wired, 2).await?;
    driver.clock().pause(Duration::from_secs(PUT_OFF_S)).await;
    wired.receiver.record();
    delete(driver, &wired.id).await;
    Ok(())
}

fn no_push_is_too_large(recording: &Recording, _: &Spec) -> Judged {
    let pushes = pushes(recording)?;
    let mut ids: BTreeSet<String> = BTreeSet::new();
    for (seen, push) in &pushes {
        let events = events(push);
        if events.len() > EVENTS_MAX || body(push).is_null() {
            let message = "a push holds more events than it may";
            let got = format!("{} events", events.len());
            return Err(seen.finding_got(message, format!("{EVENTS_MAX} events at the most"), got).into());
        }
        ids.extend(events.iter().filter_map(|event| event["id"].as_str()).map(str::to_owned));
    }
    // Where no more came, no push could have been too large.
    if ids.len() <= EVENTS_MAX {
        let message = "the events of a long run were not all pushed";
        let expected = format!("more than {EVENTS_MAX} events in all");
        return Err(pushes[0].0.finding_got(message, expected, format!("{}", ids.len())).into());
    }
    all(pushes.iter().map(|(seen, _)| seen.witness()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_double_up_to_the_longest() {
        assert_eq!(
            [1, 2, 3, 8, 9, 10, 99].map(pause_ms),
            [2_000, 4_000, 8_000, 256_000, 300_000, 300_000, 300_000]
        );
    }
}
