//! What public events never hold (OAO-40), and what they go on saying (OAO-300).

mod callers;
mod pushed;
mod run;
mod shown;

use engine::Check;
use recording::{Finding, Judged, Recording, Seen, Verdict, View, What, Witness};
use serde_json::Value;
use spec::Spec;

use run::{KEEPS, LIMIT_MS, PAPER, a_run_full_of_canaries, a_skill_is_activated};

use super::{
    packages::INTAKE,
    runs::{at, events_of, must_ask, results},
};
use crate::{
    canary::{Canary, Hunt},
    table,
};

/// The checks of this topic.
pub(super) fn checks() -> Vec<Check> {
    [CHECKS, pushed::CHECKS, callers::CHECKS, shown::CHECKS].concat()
}

table::checks! { Oao:
    "OAO-40-a" => a_run_full_of_canaries, neither_task_nor_instructions;
    "OAO-40-b" => a_run_full_of_canaries, no_result;
    "OAO-40-c" => a_skill_is_activated, no_skill_text;
    "OAO-40-d" => a_run_full_of_canaries, no_document;
    "OAO-40-e" => a_run_full_of_canaries, no_invalid_result;
    "OAO-300-a" => a_run_full_of_canaries, nothing_that_was_planted;
    "OAO-300-b" => a_run_full_of_canaries, what_observers_live_on;
}

/// The canaries of those channels, as they were planted.
fn planted(recording: &Recording, wanted: impl Fn(&str) -> bool) -> Result<Vec<Canary>, Verdict> {
    let seen = recording.one("canaries")?;
    let texts = seen.value().and_then(Value::as_object).into_iter().flatten();
    let canaries = texts.filter(|(channel, _)| wanted(channel)).filter_map(|(channel, text)| {
        Some(Canary { channel: channel.clone(), text: text.as_str()?.to_owned() })
    });
    Ok(canaries.collect())
}

/// A public text, and the entry in which it stands.
type Public<'a> = (Seen<'a>, String);

/// Everything public that was read: the events, the run and its timeline, and the heads of the answers.
fn public(recording: &Recording) -> Vec<Public<'_>> {
    let of_entry = |seen: Seen<'_>| match &seen.entry().what {
        What::Event { data, .. } => vec![data.to_string()],
        What::Exchange(_) => seen.text().map(str::to_owned).into_iter().chain([heads(&seen)]).collect(),
        _ => Vec::new(),
    };
    let all = recording.labelled("events").into_iter().chain(recording.labelled("public"));
    all.flat_map(|seen| of_entry(seen).into_iter().map(move |text| (seen, text))).collect()
}

fn heads(seen: &Seen<'_>) -> String {
    let Ok(answer) = seen.answer() else { return String::new() };
    answer.headers.iter().map(|(name, value)| format!("{name}: {value}\n")).collect()
}

/// That the run went through: the model was asked for all turns, and every call has its end on record.
fn went_through(recording: &Recording, turns: &[&str], ends: &[(&str, &str)]) -> Result<Witness, Verdict> {
    let message = NOT_THERE;
    let mut witness = None;
    for turn in turns {
        let (seen, _) = must_ask(recording, turn, message)?;
        witness = Some(witness.map_or(seen.witness(), |witness: Witness| witness.and(seen.witness())));
    }
    for (call, kind) in ends {
        let own = events_of(recording, kind)
            .into_iter()
            .find(|(_, event)| event["publicPayload"]["toolCallId"] == *call);
        let Some((seen, _)) = own else {
            return Err(recording.one("run")?.finding(message, format!("{kind} of `{call}`")).into());
        };
        witness = Some(witness.map_or(seen.witness(), |witness| witness.and(seen.witness())));
    }
    witness.map_or_else(|| Err(recording.one("run")?.finding(message, "a run").into()), Ok)
}

/// Said where the run did not go as it was scripted.
const NOT_THERE: &str = "the run that is looked at did not take place";

const TURNS: [&str; 9] = [
    "parent-writes",
    "parent-calls",
    "keep-reads",
    "keep-errs",
    "keep-ends",
    "give-errs",
    "give-ends",
    "break",
    "parent-ends",
];
const ENDS: [(&str, &str); 3] = [
    ("c_keep", "harness.operation_completed"),
    ("c_give", "harness.operation_failed"),
    ("c_break", "harness.operation_failed"),
];

/// That the big run went through, and that its document was read: else nothing could have leaked.
fn took_place(recording: &Recording) -> Result<Witness, Verdict> {
    let witness = went_through(recording, &TURNS, &ENDS)?;
    the_document_was_read(recording)?;
    Ok(witness)
}

/// Nothing of these channels is in anything public.
fn absent(recording: &Recording, message: &'static str, wanted: impl Fn(&str) -> bool) -> Judged {
    let witness = took_place(recording)?;
    none_of(public(recording), message, &planted(recording, wanted)?)?;
    Ok(witness)
}

/// Nothing of these canaries is in these texts. A hunt for nothing would find nothing.
fn none_of<'a>(
    texts: impl IntoIterator<Item = Public<'a>>,
    message: &'static str,
    canaries: &[Canary],
) -> Result<(), Verdict> {
    if canaries.is_empty() {
        return Err(Verdict::Error { reason: "no canary of the wanted channels is on record".to_owned() });
    }
    let hunt = Hunt::of(canaries);
    for (seen, text) in texts {
        if let Some(found) = hunt.find(&text) {
            return Err(leak(&seen, message, &found.channel, found.disguise.name()).into());
        }
    }
    Ok(())
}

/// A document that nobody read could not leak.
fn the_document_was_read(recording: &Recording) -> Result<(), Verdict> {
    let (seen, asked) = must_ask(recording, "keep-errs", NOT_THERE)?;
    let document = planted(recording, |channel| channel == "document")?;
    let given = results(asked, "k_read");
    if document.iter().all(|canary| given.iter().any(|text| text.contains(&canary.text))) {
        return Ok(());
    }
    Err(at(&seen, NOT_THERE, "the document as the result of `read`", format!("{given:?}")).into())
}

fn leak(seen: &Seen<'_>, message: &'static str, channel: &str, disguise: &str) -> Finding {
    at(
        seen,
        message,
        format!("nothing of what was planted in {channel}"),
        format!("a piece of it, {disguise}"),
    )
}

fn neither_task_nor_instructions(recording: &Recording, _: &Spec) -> Judged {
    absent(recording, "the task or the instructions are in a public event", |channel| {
        matches!(channel, "task" | "instructions" | "system-prompt")
    })
}

fn no_result(recording: &Recording, _: &Spec) -> Judged {
    absent(recording, "a structured result is in a public event", |channel| channel.starts_with("result-"))
}

fn no_document(recording: &Recording, _: &Spec) -> Judged {
    absent(recording, "the text of a document is in a public event", |channel| channel == "document")
}

fn no_invalid_result(recording: &Recording, _: &Spec) -> Judged {
    absent(recording, "an invalid result is in a public event", |channel| channel == "invalid-result")
}

fn nothing_that_was_planted(recording: &Recording, _: &Spec) -> Judged {
    absent(recording, "what a run was given or said is in something public", |_| true)
}

fn no_skill_text(recording: &Recording, _: &Spec) -> Judged {
    let ends = [("c_keep", "harness.operation_completed")];
    let witness = went_through(recording, &["skill-activates", "skill-ends", "parent-ends"], &ends)?;
    // A Skill that the loop did not get could not leak.
    let (told, asked) = must_ask(recording, "skill-ends", NOT_THERE)?;
    let given = results(asked, "activate");
    if !given.iter().any(|text| text.contains(INTAKE.word)) {
        return Err(at(&told, NOT_THERE, "the Skill's instructions", format!("{given:?}")).into());
    }
    let skill = Canary { channel: "the Skill's instructions".to_owned(), text: INTAKE.word.to_owned() };
    none_of(public(recording), "the text of a Skill is in a public event", &[skill])?;
    Ok(witness)
}

/// Redaction must not make events useless: keys, ids, sizes, times, counts, tool names and paths stay.
fn what_observers_live_on(recording: &Recording, _: &Spec) -> Judged {
    let message = "a public event lacks what observers live on";
    let witness = went_through(recording, &TURNS, &ENDS)?;
    let of = |kind: &str, call: &str| {
        let events = events_of(recording, kind).into_iter();
        let mut own = events.filter(|(_, event)| {
            [&event["publicPayload"]["toolCallId"], &event["publicPayload"]["harnessToolCallId"]]
                .iter()
                .any(|id| **id == call)
        });
        own.next()
    };
    let run = recording.one("run")?;
    let started = of("harness.operation_started", "c_keep");
    let Some((seen, event)) = started else {
        return Err(run.finding(message, "a started event of `c_keep`").into());
    };
    let payload = &event["publicPayload"];
    let size = payload["taskCharacters"].as_u64().unwrap_or_default();
    if payload["operationKey"] != KEEPS || payload["timeoutMs"] != LIMIT_MS || size == 0 {
        let expected = "operationKey, timeoutMs and taskCharacters";
        return Err(at(&seen, message, expected, payload.to_string()).into());
    }
    let Some((seen, event)) = of("harness.operation_completed", "c_keep") else {
        return Err(run.finding(message, "a completed event of `c_keep`").into());
    };
    if !event["publicPayload"]["durationMs"].is_number() || event["publicPayload"]["resultValidated"] != true
    {
        let expected = "durationMs and resultValidated";
        return Err(at(&seen, message, expected, event["publicPayload"].to_string()).into());
    }
    let reads = |event: &Value| {
        let payload = &event["publicPayload"];
        payload["toolName"] == "read" && payload["summary"].as_str().is_some_and(|text| text.contains(PAPER))
    };
    let step = events_of(recording, "harness.operation_step").into_iter().find(|(_, event)| reads(event));
    let Some((step, _)) = step else {
        return Err(run.finding(message, format!("a step of `read` whose summary names {PAPER}")).into());
    };
    Ok(witness.and(seen.witness()).and(step.witness()))
}
