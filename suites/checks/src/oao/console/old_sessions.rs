//! Sessions from before steps named their owners (OAO-68), and what is exact in them (OAO-271, 274).

use engine::{Driver, Drove};
use recording::{Judged, Recording, Verdict};
use serde_json::Value;
use spec::Spec;

use super::{
    plant::{lifecycle, loose, show, step},
    play::{PAIR, pair, play},
    view::{Console, steps, text},
};
use crate::table::checks;

checks! { Oao:
    "OAO-68-a" => inside_two, outside_and_partial;
    "OAO-68-b" => inside_the_only_one, shown_somewhere;
    "OAO-68-c" => inside_two, shown_once;
    "OAO-68-d" => a_new_session, no_notice;
    "OAO-271-a" => on_a_shared_end, outside_there_too;
    "OAO-274-a" => named_and_elsewhere, with_its_owner;
}

const CALLS: [&str; 2] = ["old_a", "old_b"];

/// The name of a tool that nothing else is called.
fn probe(token: &str, number: u64) -> String {
    format!("probe{number}_{token}")
}

async fn inside_two(driver: &Driver<'_>) -> Drove {
    let mut events = lifecycle(CALLS[0], 1_000, Some(4_000));
    events.extend(lifecycle(CALLS[1], 2_000, Some(5_000)));
    events.push(loose(&probe(driver.token(), 1), 3_500));
    show(driver, &events).await
}

/// How often something is shown as a row at the top level, and as a step of each modal.
fn places(console: &Console<'_>, probe: &str) -> (usize, Vec<(String, usize)>) {
    let is_it =
        |value: &&Value| text(value, "title").contains(probe) || text(value, "summary").contains(probe);
    let outside = console.rows().iter().filter(|row| row["kind"] != "invocation").filter(is_it).count();
    let inside = console
        .modals()
        .iter()
        .map(|modal| (text(modal, "toolCallId").to_owned(), steps(modal).iter().filter(is_it).count()));
    (outside, inside.collect())
}

fn total(places: &(usize, Vec<(String, usize)>)) -> usize {
    places.0 + places.1.iter().map(|(_, count)| count).sum::<usize>()
}

/// That what cannot be told apart stays outside, and that both modals say so.
fn stays_outside(recording: &Recording, message: &str) -> Result<recording::Witness, Verdict> {
    let console = Console::read(recording, "view")?;
    let found = places(&console, &probe(&recording.token, 1));
    if found.0 == 0 {
        let expected = "a row at the top level";
        return Err(console.finding(message, expected, format!("steps {:?}", found.1)).into());
    }
    for call in CALLS {
        let attribution = &console.modal(call)?["attribution"];
        if attribution != "partial" {
            let message = "a modal does not say that its attribution is partial";
            let expected = format!("`partial` for `{call}`");
            return Err(console.finding(message, expected, attribution.to_string()).into());
        }
    }
    Ok(console.seen.witness())
}

fn outside_and_partial(recording: &Recording, _: &Spec) -> Judged {
    stays_outside(recording, "an ambiguous step does not remain in the parent's timeline")
}

fn shown_once(recording: &Recording, _: &Spec) -> Judged {
    let console = Console::read(recording, "view")?;
    let found = places(&console, &probe(&recording.token, 1));
    if total(&found) == 1 {
        return Ok(console.seen.witness());
    }
    let message = "an ambiguous step of an old session is not shown exactly once";
    Err(console
        .finding(message, "once over all views", format!("{} rows, steps {:?}", found.0, found.1))
        .into())
}

async fn inside_the_only_one(driver: &Driver<'_>) -> Drove {
    let mut events = lifecycle(CALLS[0], 1_000, Some(4_000));
    events.extend([1, 2].map(|number| loose(&probe(driver.token(), number), 1_000 + 700 * number)));
    show(driver, &events).await
}

fn shown_somewhere(recording: &Recording, _: &Spec) -> Judged {
    let console = Console::read(recording, "view")?;
    console.modal(CALLS[0])?;
    let mut inside = 0;
    for number in [1, 2] {
        let found = places(&console, &probe(&recording.token, number));
        if total(&found) != 1 {
            let message = "a step of an old session is lost or doubled";
            let got = format!("{} rows, steps {:?}", found.0, found.1);
            return Err(console.finding(message, "each step once", got).into());
        }
        inside += 1 - found.0;
    }
    Ok(console.seen.witness().noting(format!("{inside} of 2 steps are in the modal")))
}

async fn a_new_session(driver: &Driver<'_>) -> Drove {
    play(driver, &[PAIR[0].1], pair([300, 200]), &PAIR.map(|(call, _, _)| call)).await
}

fn no_notice(recording: &Recording, _: &Spec) -> Judged {
    let console = Console::read(recording, "view")?;
    for (call, _, _) in PAIR {
        let modal = console.modal(call)?;
        if modal["attribution"] == "partial" {
            let message =
                "a session whose steps name their owners carries the notice of a partial attribution";
            return Err(console.finding(message, "`complete`", modal["attribution"].to_string()).into());
        }
        if steps(modal).is_empty() {
            let message = "a modal does not show the steps that name it as their owner";
            return Err(console.finding(message, "its steps", modal.to_string()).into());
        }
    }
    Ok(console.seen.witness())
}

async fn on_a_shared_end(driver: &Driver<'_>) -> Drove {
    let mut events = lifecycle(CALLS[0], 1_000, Some(3_000));
    events.extend(lifecycle(CALLS[1], 3_000, Some(5_000)));
    events.push(loose(&probe(driver.token(), 1), 3_000));
    show(driver, &events).await
}

fn outside_there_too(recording: &Recording, _: &Spec) -> Judged {
    stays_outside(recording, "an event on the shared end of two windows was given to one of them")
}

/// A step of the first call, at a time when only the second was under way.
async fn named_and_elsewhere(driver: &Driver<'_>) -> Drove {
    let mut events = lifecycle(CALLS[0], 1_000, Some(2_000));
    events.extend(lifecycle(CALLS[1], 3_000, Some(5_000)));
    events.push(step(CALLS[0], &probe(driver.token(), 1), 0, 4_000));
    show(driver, &events).await
}

fn with_its_owner(recording: &Recording, _: &Spec) -> Judged {
    let console = Console::read(recording, "view")?;
    let found = places(&console, &probe(&recording.token, 1));
    let expected = vec![(CALLS[0].to_owned(), 1), (CALLS[1].to_owned(), 0)];
    let mut inside = found.1.clone();
    inside.sort();
    if found.0 == 0 && inside == expected {
        return Ok(console.seen.witness());
    }
    let message = "a step is not in the modal of the invocation that it names";
    Err(console
        .finding(message, format!("{expected:?}"), format!("{} rows, steps {inside:?}", found.0))
        .into())
}
