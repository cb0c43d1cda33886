//! Files that come with a message (OAO-200 to OAO-204, 305).

use engine::{Driver, Drove, Halt};
use model::{Answer, Script, Turn};
use recording::{Finding, Judged, Recording, Seen, View, Witness};
use serde_json::{Value, json};
use spec::Spec;

use super::{
    agents::{Agent, listed, project},
    refusal::numbered,
    runs::{BEGIN, at, load, need_end, settle},
    sandboxed::{call, file, need_granted, need_session, one_operation, parent, session, told, words_only},
};
use crate::table::checks;

checks! { Oao:
    "OAO-200-a" => a_file_is_looked_for_at_once, it_is_in_the_folder_of_its_run;
    "OAO-201-a" => nine_files_are_sent, files_that_break_a_rule_are_refused;
    "OAO-202-a" => unsafe_names_are_sent, files_that_break_a_rule_are_refused;
    "OAO-203-a" => other_spellings_are_sent, files_that_break_a_rule_are_refused;
    "OAO-204-a" => nothing_is_sent, a_message_of_nothing_is_refused;
    "OAO-305-a" => a_large_file_is_sent, a_file_that_is_too_large_is_refused;
    "OAO-305-b" => many_bytes_are_sent, files_that_are_too_large_are_refused;
}

/// `hi`
const HI: &str = "aGk=";
const NAME: &str = "note-3361.txt";

async fn a_file_is_looked_for_at_once(driver: &Driver<'_>) -> Drove {
    let find = call("find", "glob", json!({"pattern": format!(".oao/attachments/**/{NAME}")}));
    let script = Script::new(
        "look for the file",
        [
            Turn::new("parent-1", find).when(parent().no_tool_results()),
            Turn::new("parent-2", Answer::new().text("Done.")).when(parent().tool_result_for("find")),
        ],
    );
    load(driver, script)?;
    let agent = need_granted(driver, &one_operation(), &["filesystem_read", "shell"]).await?;
    let files = json!([file(driver, NAME, HI)]);
    let started = need_session(driver, "start", &agent, BEGIN, &files).await?;
    settle(driver, &started).await
}

fn it_is_in_the_folder_of_its_run(recording: &Recording, _: &Spec) -> Judged {
    let message = "a file of a message is not at its place in the first turn";
    let start = recording.one("start")?;
    let body = start.json()?;
    let run = body.pointer("/run/id").and_then(Value::as_str).unwrap_or_default();
    let place = format!(".oao/attachments/{run}/{NAME}");
    let (seen, found) = told(recording, "parent-2", "find", message)?;
    if found.lines().any(|line| line.trim().ends_with(&place)) {
        return Ok(start.witness().and(seen.witness()));
    }
    Err(at(&seen, message, place, found).into())
}

/// Starts a session with `sound` files and `text`, and tries to start others that break a rule: each with
/// what its label says, its text and its files. Then lists the sessions.
async fn attempt(
    driver: &Driver<'_>,
    (text, sound): (&str, &Value),
    faults: &[(&str, &str, Value)],
) -> Result<Agent, Halt> {
    load(driver, words_only())?;
    let agent = need_granted(driver, &one_operation(), &["filesystem_read"]).await?;
    let twin = need_session(driver, "twin", &agent, text, sound).await?;
    need_end(driver, "events of the twin", &twin).await;
    for (label, text, files) in faults {
        let label = format!("fault {label}");
        driver.send(&label, session(driver, &agent, &label, text, files)).await;
    }
    driver.get("sessions", format!("{}/sessions?limit=200", project(driver))).await;
    driver.fact("faults", json!(faults.len()));
    driver.record_model("model")?;
    Ok(agent)
}

async fn nine_files_are_sent(driver: &Driver<'_>) -> Drove {
    let files =
        |count: usize| -> Value { (0..count).map(|at| file(driver, &format!("{at}.txt"), HI)).collect() };
    attempt(driver, (BEGIN, &files(8)), &[("nine files", BEGIN, files(9))]).await.map(|_| ())
}

async fn unsafe_names_are_sent(driver: &Driver<'_>) -> Drove {
    let named = |name: &str| json!([file(driver, name, HI)]);
    let mut faults: Vec<(&str, &str, Value)> =
        ["../x", "a/b", ".", "..", ""].into_iter().map(|name| (name, BEGIN, named(name))).collect();
    let twice = json!([file(driver, "a.txt", HI), file(driver, "a.txt", HI)]);
    faults.push(("one name twice", BEGIN, twice));
    attempt(driver, (BEGIN, &named("a.txt")), &faults).await.map(|_| ())
}

async fn other_spellings_are_sent(driver: &Driver<'_>) -> Drove {
    let spelled = |base64: &str| json!([file(driver, "a.txt", base64)]);
    let faults: Vec<(&str, &str, Value)> =
        ["aGk", "aGl=", "a Gk=", "%%%%"].into_iter().map(|text| (text, BEGIN, spelled(text))).collect();
    attempt(driver, (BEGIN, &spelled(HI)), &faults).await.map(|_| ())
}

async fn nothing_is_sent(driver: &Driver<'_>) -> Drove {
    let sound = json!([file(driver, "a.txt", HI)]);
    attempt(driver, ("", &sound), &[("nothing at all", "", Value::Null)]).await.map(|_| ())
}

/// The largest file, in bytes. A message may have twice as much in all.
const FILE_BYTES_MAX: usize = 10 * 1024 * 1024;

/// Canonical base64 of so many zero bytes.
fn zeros(bytes: usize) -> String {
    let mut base64 = "AAAA".repeat(bytes / 3);
    base64.push_str(["", "AA==", "AAA="][bytes % 3]);
    base64
}

async fn a_large_file_is_sent(driver: &Driver<'_>) -> Drove {
    let of = |bytes: usize| json!([file(driver, "a.bin", &zeros(bytes))]);
    let faults = [("one byte more than ten MiB", BEGIN, of(FILE_BYTES_MAX + 1))];
    attempt(driver, (BEGIN, &of(3)), &faults).await.map(|_| ())
}

async fn many_bytes_are_sent(driver: &Driver<'_>) -> Drove {
    let full = |name: &str| file(driver, name, &zeros(FILE_BYTES_MAX));
    let both = json!([full("a.bin"), full("b.bin")]);
    let more = json!([full("a.bin"), full("b.bin"), file(driver, "c.bin", &zeros(1))]);
    attempt(driver, (BEGIN, &both), &[("one byte more than twenty MiB", BEGIN, more)]).await.map(|_| ())
}

fn a_file_that_is_too_large_is_refused(recording: &Recording, _: &Spec) -> Judged {
    refused(recording, "a file of more than ten MiB was taken")
}

fn files_that_are_too_large_are_refused(recording: &Recording, _: &Spec) -> Judged {
    refused(recording, "files of more than twenty MiB in all were taken")
}

fn files_that_break_a_rule_are_refused(recording: &Recording, _: &Spec) -> Judged {
    refused(recording, "a message with files that break a rule was taken")
}

fn a_message_of_nothing_is_refused(recording: &Recording, _: &Spec) -> Judged {
    refused(recording, "a message without text and files was taken")
}

/// Every fault was refused with a 4xx, and of the sessions of this check only the twin is there.
fn refused(recording: &Recording, message: &str) -> Judged {
    let twin = recording.one("twin")?;
    let count = recording.fact("faults")?.as_u64().and_then(|count| usize::try_from(count).ok());
    let attempts =
        numbered(recording.starting_with("fault "), count.unwrap_or(usize::MAX), "faulty messages")?;
    let mut witness = twin.witness();
    for attempt in attempts {
        of_the_request(&attempt, message)?;
        witness = witness.and(attempt.witness());
    }
    Ok(witness.and(nothing_started(recording, &twin)?))
}

/// Statuses that turn a request away for another reason than what it says.
const OTHER_REASONS: [u16; 6] = [401, 403, 404, 405, 408, 429];

fn of_the_request(attempt: &Seen<'_>, message: &str) -> Result<(), Finding> {
    match attempt.answer()?.status {
        200..300 => Err(attempt.finding(message, "a 4xx and no session")),
        status @ 400..500 if !OTHER_REASONS.contains(&status) => Ok(()),
        _ => Err(attempt.finding("a faulty message is not answered as a fault of the request", "a 4xx")),
    }
}

fn nothing_started(recording: &Recording, twin: &Seen<'_>) -> Result<Witness, Finding> {
    let page = recording.labelled("sessions").into_iter().next();
    let page = page.ok_or_else(|| twin.finding("the sessions could not be listed", "a list"))?;
    let own: Vec<Value> = listed(&page)?
        .into_iter()
        .filter(|row| row["title"].as_str().is_some_and(|title| title.contains(&recording.token)))
        .collect();
    let id = twin.json()?["id"].clone();
    if !own.iter().any(|row| row["id"] == id) {
        return Err(page.finding("a session that was started is not listed", format!("`id` {id}")));
    }
    match own.iter().find(|row| row["id"] != id) {
        None => Ok(page.witness()),
        Some(left) => {
            let message = "a refused message left a session behind";
            Err(page.finding_got(message, "no session beside the sound one", left.to_string()))
        }
    }
}

#[cfg(test)]
mod tests {
    use base64::{Engine, engine::general_purpose::STANDARD};

    use super::*;

    #[test]
    fn zeros_are_as_many_as_were_asked_for() {
        for bytes in [0, 1, 2, 3, 4, 5, 6, 1_000, 1_001, 1_002] {
            assert_eq!(zeros(bytes), STANDARD.encode(vec![0; bytes]), "{bytes}");
        }
    }
}
