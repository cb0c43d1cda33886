//! Who may do what, and what is looked at first (OAO-234, 235).

use engine::{Call, Driver, Drove, Halt, Key};
use recording::{Judged, Recording, Seen, Verdict, View, Witness};
use serde_json::{Value, json};
use spec::Spec;

use super::{
    agents::{self, config_without_operations, project},
    callers::refused,
    refusal::numbered,
};
use crate::table::checks;

checks! { Oao:
    "OAO-234-a" => strangers_ask, strangers_are_turned_away;
    "OAO-234-b" => a_key_of_another_project_asks, it_is_turned_away;
    "OAO-234-c" => a_reader_writes, nothing_is_written;
    "OAO-235-a" => faulty_requests_of_all_sorts, the_earlier_fault_is_named;
}

/// Has the form of a key, and is none.
const UNKNOWN: &str = "Bearer oao_unknownprefix_00000000000000000000000000000000";

fn agent(driver: &Driver<'_>) -> Value {
    json!({"name": driver.fresh(), "initialConfig": config_without_operations(driver)})
}

fn agents_path(driver: &Driver<'_>) -> String {
    format!("{}/agents", project(driver))
}

fn write(driver: &Driver<'_>, body: &Value) -> Call {
    Call::post(agents_path(driver), body).header("idempotency-key", driver.fresh())
}

/// The credential called `name`; without it the drive stops here, as `untested`.
fn need_credential(driver: &Driver<'_>, name: &'static str, what: &str) -> Result<(), Halt> {
    if driver.facts().credentials.contains(name) {
        return Ok(());
    }
    Err(driver.unmet(&format!("{what}: give `[credentials] {name}`")))
}

async fn strangers_ask(driver: &Driver<'_>) -> Drove {
    let strangers = [
        Key::Absent,
        Key::Raw("Bearer x".to_owned()),
        Key::Raw("Basic b2FvOm9hbw==".to_owned()),
        Key::Raw(UNKNOWN.to_owned()),
    ];
    for (at, key) in strangers.into_iter().enumerate() {
        let read = Call::get(agents_path(driver)).with_key(key.clone());
        driver.send(&format!("stranger {at} reads"), read).await;
        driver.send(&format!("stranger {at} writes"), write(driver, &agent(driver)).with_key(key)).await;
    }
    Ok(())
}

fn all_refused(
    recording: &Recording,
    prefix: &str,
    count: usize,
    message: &str,
    status: u16,
    code: &str,
) -> Judged {
    let asked = numbered(recording.starting_with(prefix), count, "requests")?;
    for each in &asked {
        refused(each, message, status, code)?;
    }
    let nothing = || Verdict::Error { reason: "nothing was recorded".to_owned() };
    Witness::all(asked.iter().map(Seen::witness)).ok_or_else(nothing)
}

fn strangers_are_turned_away(recording: &Recording, _: &Spec) -> Judged {
    let message = "a request without a valid key was served";
    all_refused(recording, "stranger ", 8, message, 401, "unauthenticated")
}

async fn a_key_of_another_project_asks(driver: &Driver<'_>) -> Drove {
    need_credential(driver, "other_project", "a key of another project")?;
    let by_other = |call: Call| call.key_named("other_project");
    driver.send("other reads", by_other(Call::get(agents_path(driver)))).await;
    driver.send("other writes", by_other(write(driver, &agent(driver)))).await;
    driver.send("other listens", by_other(Call::get(format!("{}/events?once=true", project(driver))))).await;
    Ok(())
}

fn it_is_turned_away(recording: &Recording, _: &Spec) -> Judged {
    let message = "a key of another project was served";
    all_refused(recording, "other ", 3, message, 403, "forbidden")
}

async fn a_reader_writes(driver: &Driver<'_>) -> Drove {
    need_credential(driver, "reader", "a key that may only read")?;
    let own = config_without_operations(driver);
    let landmark = agents::need_agent(driver, "landmark", &own, "publish a minimal agent").await?;
    let body = agent(driver);
    driver.fact("name", body["name"].clone());
    driver.send("reader reads", Call::get(agents_path(driver)).key_named("reader")).await;
    driver.send("reader writes an agent", write(driver, &body).key_named("reader")).await;
    let session = json!({"agentId": landmark.id, "initialMessage": "Hello."});
    let session = Call::post(format!("{}/sessions", project(driver)), &session);
    let session = session.header("idempotency-key", driver.fresh()).key_named("reader");
    driver.send("reader writes a session", session).await;
    agents::list_agents(driver, "agents", &landmark.id).await;
    Ok(())
}

fn nothing_is_written(recording: &Recording, _: &Spec) -> Judged {
    let message = "a key wrote something that it has no scope for";
    let read = recording.one("reader reads")?;
    read.answer()?;
    if !read.is_success() {
        return Err(read.finding("a key that may read could not", "200").into());
    }
    let refused = all_refused(recording, "reader writes", 2, message, 403, "forbidden")?;
    let name = recording.fact("name")?;
    if agents::listed_on_all(recording, "agents")?.iter().any(|row| &row["name"] == name) {
        return Err(recording.one("agents")?.finding(message, "no agent of the refused request").into());
    }
    Ok(read.witness().and(refused))
}

async fn faulty_requests_of_all_sorts(driver: &Driver<'_>) -> Drove {
    need_credential(driver, "other_project", "a key of another project")?;
    need_credential(driver, "reader", "a key that may only read")?;
    let mut faulty = agent(driver);
    faulty["initialConfig"]["limits"] = json!("none");
    let call = || write(driver, &faulty);
    driver.send("stranger", call().with_key(Key::Absent)).await;
    driver.send("other project", call().key_named("other_project")).await;
    driver.send("reader", call().key_named("reader")).await;
    let keyless = Call::post(agents_path(driver), &faulty);
    driver.send("reader without a key", keyless.key_named("reader")).await;
    Ok(())
}

fn the_earlier_fault_is_named(recording: &Recording, _: &Spec) -> Judged {
    let message = "of two faults in a request the later one is named";
    let mut witness = None;
    for (label, status, code) in [
        ("stranger", 401, "unauthenticated"),
        ("other project", 403, "forbidden"),
        ("reader", 400, "bad_request"),
        ("reader without a key", 400, "bad_request"),
    ] {
        let seen = recording.one(label)?;
        refused(&seen, message, status, code)?;
        witness = Some(witness.map_or_else(|| seen.witness(), |before: Witness| before.and(seen.witness())));
    }
    witness.ok_or_else(|| Verdict::Error { reason: "nothing was recorded".to_owned() })
}
