//! What a session holds between its turns (VET-14, 15).

use engine::{Driver, Drove, Halt};
use recording::{Judged, Recording, Seen, Verdict, View};
use serde_json::Value;
use spec::Spec;

use super::{
    agents::Agent,
    environments::{Environment, starts_here},
    evidence::{Evidence, by_base},
    rows::text,
    talk::{Talk, calling, load, must_ask, turn_name},
    words::Words,
};
use crate::table::checks;

checks! { Vetta:
    "VET-14-a" => isolates_work_and_rest, they_hold_nothing;
    "VET-15-a" => sandboxes_work_and_rest, they_keep_their_machine;
    "VET-15-b" => sandboxes_work_and_rest, files_survive;
}

const NOT_ASKED: &str = "a message did not reach the model, or its tool gave no result";
const HELD: &str = "an idle session of an isolate holds a sandbox";
const NOT_HELD: &str = "an idle session of a sandbox loop holds no sandbox";
const CHANGED: &str = "a session has another sandbox after its second turn";
const LOST: &str = "a file that one turn wrote is gone in the next";

const PATH: &str = "kept-note.txt";
const CONTENT: &str = "this-note-outlives-its-turn";

fn writes(base: &str) -> (String, String) {
    (turn_name(&format!("{base}-writes")), format!("write-a-note-on-{base};"))
}

fn reads(base: &str) -> (String, String) {
    (turn_name(&format!("{base}-reads")), format!("read-the-note-on-{base};"))
}

async fn isolates_work_and_rest(driver: &Driver<'_>) -> Drove {
    two_turns(driver, "isolate").await
}

async fn sandboxes_work_and_rest(driver: &Driver<'_>) -> Drove {
    two_turns(driver, "sandbox").await
}

/// One turn writes a file with the loop's own tool, the next one reads it; the session is read after each.
async fn two_turns(driver: &Driver<'_>, execution: &str) -> Drove {
    let environment = Environment::primary(driver).await?;
    let what = format!("hosted loop that is runnable and whose execution is `{execution}`");
    let bases = environment.pick_all(&what, |row| starts_here(row) && text(row, "execution") == execution)?;
    let words = Words(driver.facts());
    let turns = bases.iter().flat_map(|base| {
        let ((write, told), (read, asked)) = (writes(base), reads(base));
        let written = (words.text("write_tool"), words.arguments("write_arguments", &[PATH, CONTENT]));
        let wanted = (words.text("read_tool"), words.arguments("read_arguments", &[PATH]));
        let writes = calling(&write, &told, written, "It is written.");
        writes.into_iter().chain(calling(&read, &asked, wanted, "It is read."))
    });
    load(driver, "two turns", turns)?;
    for base in &bases {
        let agent = environment.need_agent("agent", &Agent::on(&environment, base)).await?;
        let session = environment.need_session("start", &agent).await?;
        let mut talk = Talk::open(&environment, &session, &format!(": {base}")).await;
        talk.turn(&writes(base).1).await?;
        need_idle(&talk, "first rest").await?;
        talk.turn(&reads(base).1).await?;
        need_idle(&talk, "second rest").await?;
    }
    driver.record_model("model")
}

async fn need_idle(talk: &Talk<'_>, label: &str) -> Result<(), Halt> {
    let reply = talk.read(label).await;
    if reply.is_success() {
        return Ok(());
    }
    Err(talk.driver().setup_failed(&reply, "read a session", "a 2xx answer"))
}

/// One session of a loop: both rests, after both turns called their tools and had the results.
struct Rested<'r> {
    base: &'r str,
    rests: [(Seen<'r>, Value); 2],
    told: Seen<'r>,
    note: String,
}

fn rested<'r>(recording: &'r Recording, evidence: &mut Evidence) -> Result<Vec<Rested<'r>>, Verdict> {
    let mut all = Vec::new();
    for (base, first) in by_base(recording, "first rest")? {
        let of = format!(": {base}");
        let second = recording.one(&format!("second rest{of}"))?;
        let (write, read) = (format!("{}-told", writes(base).0), format!("{}-told", reads(base).0));
        evidence.see(&must_ask(recording, (&write, &of), NOT_ASKED)?.0);
        let (told, turn) = must_ask(recording, (&read, &of), NOT_ASKED)?;
        let call = format!("call-{}", reads(base).0);
        let messages = turn.request["messages"].as_array().cloned().unwrap_or_default();
        let results = messages.iter().filter(|message| text(message, "tool_call_id") == call);
        let note = results.map(|message| text(message, "text")).collect();
        let rests = [(first, first.json()?), (second, second.json()?)];
        all.push(Rested { base, rests, told, note });
    }
    Ok(all)
}

/// What a rest shows of a sandbox. Where neither shows whether there is one, the target is not concerned
/// (open point U40).
fn shown<'v>(words: Words<'_>, rested: &'v Rested<'_>) -> Result<[&'v Value; 2], Verdict> {
    let pointer = words.text("sandbox");
    let of = |at: usize| rested.rests[at].1.pointer(pointer);
    match (of(0), of(1)) {
        (Some(first), Some(second)) => Ok([first, second]),
        _ => Err(Verdict::NotApplicable {
            reason: "a session does not show whether it holds a sandbox".to_owned(),
            evidence: Some(rested.rests[1].0.witness()),
        }),
    }
}

fn they_hold_nothing(recording: &Recording, _: &Spec) -> Judged {
    let mut evidence = Evidence::default();
    let words = Words(&recording.target);
    for rested in rested(recording, &mut evidence)? {
        for (sandbox, (seen, _)) in shown(words, &rested)?.into_iter().zip(&rested.rests) {
            if !sandbox.is_null() {
                let expected = format!("no sandbox between turns on `{}`", rested.base);
                return Err(seen.finding(HELD, expected).into());
            }
            evidence.see(seen);
        }
    }
    evidence.judged()
}

fn they_keep_their_machine(recording: &Recording, _: &Spec) -> Judged {
    let mut evidence = Evidence::default();
    let words = Words(&recording.target);
    for rested in rested(recording, &mut evidence)? {
        let [first, second] = shown(words, &rested)?;
        for (sandbox, (seen, _)) in [first, second].into_iter().zip(&rested.rests) {
            if sandbox.is_null() {
                let expected = format!("a sandbox between turns on `{}`", rested.base);
                return Err(seen.finding(NOT_HELD, expected).into());
            }
            evidence.see(seen);
        }
        if text(first, "id") != text(second, "id") || text(first, "id").is_empty() {
            let expected = format!("the sandbox `{}` on `{}`", text(first, "id"), rested.base);
            return Err(rested.rests[1].0.finding(CHANGED, expected).into());
        }
    }
    evidence.judged()
}

fn files_survive(recording: &Recording, _: &Spec) -> Judged {
    let mut evidence = Evidence::default();
    for rested in rested(recording, &mut evidence)? {
        if !rested.note.contains(CONTENT) {
            let expected = format!("{CONTENT:?} as the result of reading it on `{}`", rested.base);
            return Err(rested.told.finding_got(LOST, expected, format!("{:?}", rested.note)).into());
        }
        evidence.see(&rested.told);
    }
    evidence.judged()
}
