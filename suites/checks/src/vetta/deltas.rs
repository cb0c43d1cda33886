//! Answers in pieces and answers in one piece (VET-33, 34).

use std::collections::BTreeMap;

use engine::{Driver, Drove};
use recording::{Judged, Recording, Seen, Verdict};
use serde_json::{Value, json};
use spec::Spec;

use super::{
    agents::Agent,
    environments::{Environment, starts_here},
    evidence::{Evidence, by_base},
    rows::flag,
    talk::{Talk, happened, load, must_ask, saying_slowly, turn_name},
    words::{Words, kind},
};
use crate::table::checks;

checks! { Vetta:
    "VET-33-a" => streaming_loops_answer, deltas_come_first;
    "VET-33-b" => streaming_loops_answer, deltas_are_the_answer;
    "VET-33-c" => streaming_loops_answer, one_completion_comes_last;
    "VET-34-a" => whole_loops_answer, answer_comes_whole;
    "VET-34-b" => whole_loops_answer, no_deltas_are_made_up;
}

const NOT_ASKED: &str = "a message did not reach the model";
const NO_DELTAS: &str = "a loop with deltas gave its answer without any";
const TEXT_LOST: &str = "the deltas of a message lack text of the answer";
const DRIFT: &str = "the deltas of a message do not add up to the answer";
const NOT_COMPLETED: &str = "a message that was announced in deltas was not completed";
const NOT_LAST: &str = "something of a message came after its completion";
const NOT_WHOLE: &str = "a loop without deltas did not give the whole answer in one completed message";
const MADE_UP: &str = "a loop without deltas sent some";

/// Several sentences, and no two pieces of them alike.
const ANSWER: &str =
    "The first parcel left on Monday. A second one follows on Thursday; nobody signed for it yet.";

async fn streaming_loops_answer(driver: &Driver<'_>) -> Drove {
    loops_answer(driver, "hosted loop that is runnable and has deltas", true).await
}

async fn whole_loops_answer(driver: &Driver<'_>) -> Drove {
    loops_answer(driver, "hosted loop that is runnable and has no deltas", false).await
}

/// One message and its answer on every such loop.
async fn loops_answer(driver: &Driver<'_>, what: &str, deltas: bool) -> Drove {
    let environment = Environment::primary(driver).await?;
    let wanted = |row: &Value| starts_here(row) && flag(row, "streaming_deltas") == Some(deltas);
    let bases = environment.pick_all(what, wanted)?;
    load(
        driver,
        "one answer",
        bases.iter().map(|base| saying_slowly(&turn_name(base), &told(base), ANSWER)),
    )?;
    for base in &bases {
        let agent = environment.need_agent("agent", &Agent::on(&environment, base)).await?;
        let session = environment.need_session("start", &agent).await?;
        let mut talk = Talk::open(&environment, &session, &format!(": {base}")).await;
        talk.turn(&told(base)).await?;
        talk.close().await;
    }
    driver.record_model("model")
}

fn told(base: &str) -> String {
    format!("say-what-is-known-on-{base};")
}

/// The events of a loop, after its model was asked for the answer.
struct Heard<'r> {
    base: &'r str,
    words: Words<'r>,
    asked: Seen<'r>,
    events: Vec<(Seen<'r>, Value)>,
}

fn heard(recording: &Recording) -> Result<Vec<Heard<'_>>, Verdict> {
    let words = Words(&recording.target);
    let said = by_base(recording, "say")?;
    said.into_iter()
        .map(|(base, _)| {
            let of = format!(": {base}");
            let (asked, _) = must_ask(recording, (&turn_name(base), &of), NOT_ASKED)?;
            Ok(Heard { base, words, asked, events: happened(recording, &of) })
        })
        .collect()
}

impl<'r> Heard<'r> {
    /// The message with the scripted answer: its deltas and its completions with their places.
    fn of_message(&self) -> Vec<(usize, &Seen<'r>, &Value)> {
        let about = |event: &Value| matches!(kind(event), "message.delta" | "message.completed");
        let places = self.events.iter().enumerate();
        places.filter(|(_, (_, event))| about(event)).map(|(at, (seen, event))| (at, seen, event)).collect()
    }

    /// Where a finding points when nothing of the kind was seen.
    fn end(&self) -> Seen<'r> {
        self.events.last().map_or(self.asked, |(seen, _)| *seen)
    }
}

fn deltas_come_first(recording: &Recording, _: &Spec) -> Judged {
    let mut evidence = Evidence::default();
    for heard in heard(recording)? {
        let words = heard.words;
        let completed = heard.of_message();
        let completed = completed.iter().find(|(_, _, event)| words.completed(event).is_some());
        let first = heard.of_message().into_iter().find(|(at, _, event)| {
            words.delta(event).is_some_and(|text| !text.is_empty())
                && completed.is_none_or(|(end, _, done)| {
                    at < end && words.message_id(done) == words.message_id(event)
                })
        });
        let Some((_, seen, _)) = first else {
            let expected = format!("a `message.delta` before `message.completed` on `{}`", heard.base);
            return Err(heard.end().finding(NO_DELTAS, expected).into());
        };
        evidence.see(&heard.asked);
        evidence.see(seen);
    }
    evidence.judged()
}

fn deltas_are_the_answer(recording: &Recording, _: &Spec) -> Judged {
    let mut evidence = Evidence::default();
    let mut drift = None;
    for heard in heard(recording)? {
        let words = heard.words;
        let mut pieces: BTreeMap<&str, String> = BTreeMap::new();
        for (_, _, event) in heard.of_message() {
            if let Some(text) = words.delta(event) {
                pieces.entry(words.message_id(event)).or_default().push_str(text);
            }
        }
        let message = heard.of_message();
        let Some((_, seen, event)) = message.iter().find(|(_, _, event)| words.completed(event).is_some())
        else {
            return Err(heard
                .end()
                .finding(NOT_COMPLETED, format!("`message.completed` on `{}`", heard.base))
                .into());
        };
        let whole = words.completed(event).unwrap_or_default();
        let joined = pieces.get(words.message_id(event)).map_or("", String::as_str);
        if joined.is_empty() || (joined != whole && is_within(joined, whole)) {
            return Err(seen.finding_got(TEXT_LOST, format!("{whole:?}"), format!("{joined:?}")).into());
        }
        if joined != whole {
            drift.get_or_insert(seen.finding_got(DRIFT, format!("{whole:?}"), format!("{joined:?}")));
        }
        evidence.see(&heard.asked);
        evidence.see(seen);
    }
    match drift {
        Some(drift) => Err(drift.as_warning()),
        None => evidence.judged(),
    }
}

/// Whether every character of `part` stands in `whole`, in the same order: then what is missing was lost.
fn is_within(part: &str, whole: &str) -> bool {
    let mut rest = whole.chars();
    part.chars().all(|wanted| rest.any(|each| each == wanted))
}

fn one_completion_comes_last(recording: &Recording, _: &Spec) -> Judged {
    let mut evidence = Evidence::default();
    for heard in heard(recording)? {
        let words = heard.words;
        let message = heard.of_message();
        let done: Vec<_> = message.iter().filter(|(_, _, event)| words.completed(event).is_some()).collect();
        let expected =
            format!("one `message.completed` on `{}`, after all deltas of its message", heard.base);
        let Some((at, seen, event)) = done.first() else {
            return Err(heard.end().finding(NOT_COMPLETED, expected).into());
        };
        let id = words.message_id(event);
        let late = message.iter().find(|(other, _, event)| other > at && words.message_id(event) == id);
        if let Some((_, late, _)) = late {
            return Err(late.finding(NOT_LAST, expected).into());
        }
        evidence.see(&heard.asked);
        evidence.see(seen);
    }
    evidence.judged()
}

fn answer_comes_whole(recording: &Recording, _: &Spec) -> Judged {
    let mut evidence = Evidence::default();
    for heard in heard(recording)? {
        let words = heard.words;
        let texts: Vec<(Seen<'_>, String)> = heard
            .events
            .iter()
            .filter_map(|(seen, event)| Some((*seen, words.completed(event)?.to_owned())))
            .collect();
        match texts.as_slice() {
            [(seen, text)] if text == ANSWER => {
                evidence.see(&heard.asked);
                evidence.see(seen);
            }
            _ => {
                let got: Vec<&String> = texts.iter().map(|(_, text)| text).collect();
                let expected = format!("one `message.completed` on `{}` with {ANSWER:?}", heard.base);
                return Err(heard.end().finding_got(NOT_WHOLE, expected, format!("{}", json!(got))).into());
            }
        }
    }
    evidence.judged()
}

fn no_deltas_are_made_up(recording: &Recording, _: &Spec) -> Judged {
    let mut evidence = Evidence::default();
    for heard in heard(recording)? {
        if let Some((seen, _)) = heard.events.iter().find(|(_, event)| heard.words.delta(event).is_some()) {
            let expected = format!("no `message.delta` on `{}`", heard.base);
            return Err(seen.finding(MADE_UP, expected).as_warning());
        }
        // An answer that never came would have no deltas either.
        let Some((seen, _)) = heard.events.iter().find(|(_, event)| heard.words.completed(event).is_some())
        else {
            return Err(heard.end().finding(NOT_WHOLE, format!("an answer on `{}`", heard.base)).into());
        };
        evidence.see(&heard.asked);
        evidence.see(seen);
    }
    evidence.judged()
}
