//! One vocabulary of events on every loop (VET-02-c).

use std::collections::BTreeSet;

use engine::{Driver, Drove};
use recording::{Judged, Recording, Seen};
use serde_json::Value;
use spec::Spec;

use super::{
    agents::Agent,
    environments::{Environment, starts_here},
    evidence::{Evidence, by_base},
    talk::{Talk, happened, listed, load, must_ask, saying, turn_name},
    words::kind,
};
use crate::table::checks;

checks! { Vetta:
    "VET-02-c" => every_loop_answers, all_use_one_vocabulary;
}

const NOT_ASKED: &str = "a message did not reach the model";
const NO_EVENT: &str = "a turn was played on a loop and no event tells of it";
const OTHER_WORDS: &str = "the events of one loop have other type names than those of another";

fn told(base: &str) -> String {
    format!("say-hello-on-{base};")
}

async fn every_loop_answers(driver: &Driver<'_>) -> Drove {
    let environment = Environment::primary(driver).await?;
    let bases = environment.pick_all("hosted loop that is runnable", starts_here)?;
    load(driver, "hello", bases.iter().map(|base| saying(&turn_name(base), &told(base), "Hello to you.")))?;
    for base in &bases {
        let agent = environment.need_agent("agent", &Agent::on(&environment, base)).await?;
        let session = environment.need_session("start", &agent).await?;
        let mut talk = Talk::open(&environment, &session, &format!(": {base}")).await;
        talk.turn(&told(base)).await?;
        talk.close().await;
    }
    driver.record_model("model")
}

/// The events, streamed and listed, deltas aside. A target may list what comes after the end of the turn,
/// and need not stream at all, so both count.
fn named<'r>(recording: &'r Recording, base: &str) -> Vec<(Seen<'r>, Value)> {
    let of = format!(": {base}");
    let events = happened(recording, &of).into_iter().chain(listed(recording, &of));
    events.filter(|(_, event)| kind(event) != "message.delta").collect()
}

fn all_use_one_vocabulary(recording: &Recording, _: &Spec) -> Judged {
    let mut evidence = Evidence::default();
    let said = by_base(recording, "say")?;
    let mut first: Option<(&str, BTreeSet<String>)> = None;
    for (base, say) in said {
        let of = format!(": {base}");
        evidence.see(&must_ask(recording, (&turn_name(base), &of), NOT_ASKED)?.0);
        let events = named(recording, base);
        let names: BTreeSet<String> = events.iter().map(|(_, event)| kind(event).to_owned()).collect();
        if names.is_empty() {
            return Err(say.finding(NO_EVENT, "events, streamed or listed").into());
        }
        let Some((other, wanted)) = &first else {
            first = Some((base, names));
            continue;
        };
        if names != *wanted {
            let strange = events.iter().find(|(_, event)| !wanted.contains(kind(event)));
            let seen = strange.map_or(say, |(seen, _)| *seen);
            let expected = format!("on `{base}` the types that `{other}` has: {}", join(wanted));
            return Err(seen.finding_got(OTHER_WORDS, expected, join(&names)).as_warning());
        }
        events.last().into_iter().for_each(|(seen, _)| evidence.see(seen));
    }
    evidence.judged()
}

fn join(names: &BTreeSet<String>) -> String {
    names.iter().map(String::as_str).collect::<Vec<_>>().join(", ")
}
