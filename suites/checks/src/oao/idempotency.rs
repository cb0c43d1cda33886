//! One effect per idempotency key (OAO-230 to 233).

use std::time::Duration;

use engine::{Call, Driver, Drove, Reply};
use recording::{Judged, Lane, Recording, Seen, Verdict, View, Witness};
use serde_json::{Value, json};
use spec::Spec;

use super::{
    agents::{self, config_without_operations, project},
    callers::refused,
    refusal::numbered,
};
use crate::table::checks;

checks! { Oao:
    "OAO-230-a" => the_same_is_sent_twice, it_is_done_once;
    "OAO-230-b" => the_same_is_sent_in_another_order, it_is_done_once;
    "OAO-231-a" => a_key_is_used_for_something_else, that_is_a_conflict;
    "OAO-232-a" => no_key_is_sent, nothing_is_done;
    "OAO-232-b" => the_longest_key_and_a_longer_one, only_the_longer_one_is_refused;
    "OAO-233-a" => the_same_is_sent_a_day_later, it_is_done_once;
}

/// As long as a key may be.
const KEY_MAX: usize = 200;
/// A little less than the 24 hours for which a key is remembered.
const WITHIN_THE_WINDOW: Duration = Duration::from_secs(23 * 60 * 60 + 50 * 60);

/// A further agent, called `name`.
fn agent(driver: &Driver<'_>, name: &str) -> Value {
    json!({"name": name, "initialConfig": config_without_operations(driver)})
}

async fn post(driver: &Driver<'_>, label: &str, key: Option<&str>, body: String) -> Reply {
    let call = Call::new("POST", format!("{}/agents", project(driver))).json_text(body);
    let call = match key {
        Some(key) => call.header("idempotency-key", key),
        None => call,
    };
    driver.send(label, call).await
}

/// Lists agents until the one that was published as a landmark before everything under test.
async fn list(driver: &Driver<'_>, landmark: &str) {
    agents::list_agents(driver, "agents", landmark).await;
}

async fn landmark(driver: &Driver<'_>) -> Result<String, engine::Halt> {
    let config = config_without_operations(driver);
    Ok(agents::need_agent(driver, "landmark", &config, "publish a minimal agent").await?.id)
}

/// How many agents carry the name that this check gives to what it publishes under test.
fn named(view: &impl View) -> Result<(usize, Witness), Verdict> {
    let name = view.fact("name")?.clone();
    let rows = agents::listed_on_all(view, "agents")?;
    let pages = view.labelled("agents");
    let witness = Witness::all(pages.iter().map(Seen::witness));
    let count = rows.iter().filter(|row| row["name"].as_str().is_some_and(|own| json!(own) == name)).count();
    Ok((count, witness.unwrap_or(view.one("agents")?.witness())))
}

async fn the_same_is_sent_twice(driver: &Driver<'_>) -> Drove {
    let landmark = landmark(driver).await?;
    let (name, key) = (driver.fresh(), driver.fresh());
    driver.fact("name", json!(name));
    for label in ["first", "again"] {
        post(driver, label, Some(&key), agent(driver, &name).to_string()).await;
    }
    list(driver, &landmark).await;
    Ok(())
}

async fn the_same_is_sent_in_another_order(driver: &Driver<'_>) -> Drove {
    let landmark = landmark(driver).await?;
    let (name, key) = (driver.fresh(), driver.fresh());
    driver.fact("name", json!(name));
    let (name, config) = (json!(name), config_without_operations(driver));
    post(driver, "first", Some(&key), format!("{{\"name\":{name},\"initialConfig\":{config}}}")).await;
    post(driver, "again", Some(&key), format!("{{ \"initialConfig\": {config},\n \"name\": {name} }}")).await;
    list(driver, &landmark).await;
    Ok(())
}

async fn the_same_is_sent_a_day_later(driver: &Driver<'_>) -> Drove {
    if driver.facts().lane == Lane::Wall {
        return Err(driver.unmet("a clock that can be moved by a day: only a target in process has one"));
    }
    let landmark = landmark(driver).await?;
    let (name, key) = (driver.fresh(), driver.fresh());
    driver.fact("name", json!(name));
    post(driver, "first", Some(&key), agent(driver, &name).to_string()).await;
    driver.clock().pause(WITHIN_THE_WINDOW).await;
    post(driver, "again", Some(&key), agent(driver, &name).to_string()).await;
    list(driver, &landmark).await;
    Ok(())
}

fn it_is_done_once(recording: &Recording, _: &Spec) -> Judged {
    let message = "a request that was repeated under its key was done again";
    let (first, again) = (recording.one("first")?, recording.one("again")?);
    let (one, other) = (first.json()?, again.json()?);
    if !first.is_success() || first.header("idempotency-replayed") != Some("false") {
        let expected = "2xx with `idempotency-replayed: false`";
        return Err(first.finding("a first request is not answered as the first one", expected).into());
    }
    let same = again.is_success() && one == other;
    if !same || again.header("idempotency-replayed") != Some("true") {
        let expected = "the stored answer with `idempotency-replayed: true`";
        return Err(again.finding(message, expected).into());
    }
    let (count, listed) = named(recording)?;
    if count != 1 {
        let got = format!("{count} agents of this name");
        return Err(recording.one("agents")?.finding_got(message, "one agent of this name", got).into());
    }
    Ok(first.witness().and(again.witness()).and(listed))
}

async fn a_key_is_used_for_something_else(driver: &Driver<'_>) -> Drove {
    let landmark = landmark(driver).await?;
    let (name, key) = (driver.fresh(), driver.fresh());
    driver.fact("name", json!(name));
    post(driver, "first", Some(&key), agent(driver, &driver.fresh()).to_string()).await;
    post(driver, "other", Some(&key), agent(driver, &name).to_string()).await;
    list(driver, &landmark).await;
    Ok(())
}

fn that_is_a_conflict(recording: &Recording, _: &Spec) -> Judged {
    let message = "a key that was used for another request is not a conflict";
    let (first, other) = (recording.one("first")?, recording.one("other")?);
    if !first.is_success() {
        return Err(first.finding("a minimal agent was not published", "2xx").into());
    }
    refused(&other, message, 409, "idempotency_conflict")?;
    let (count, listed) = named(recording)?;
    if count != 0 {
        return Err(recording.one("agents")?.finding(message, "no agent of the refused request").into());
    }
    Ok(first.witness().and(other.witness()).and(listed))
}

async fn no_key_is_sent(driver: &Driver<'_>) -> Drove {
    let landmark = landmark(driver).await?;
    let name = driver.fresh();
    driver.fact("name", json!(name));
    post(driver, "keyless", None, agent(driver, &name).to_string()).await;
    list(driver, &landmark).await;
    Ok(())
}

fn nothing_is_done(recording: &Recording, _: &Spec) -> Judged {
    let message = "a write without an idempotency key was done";
    let keyless = recording.one("keyless")?;
    refused(&keyless, message, 400, "bad_request")?;
    let (count, listed) = named(recording)?;
    if count != 0 {
        return Err(recording.one("agents")?.finding(message, "no agent of this name").into());
    }
    Ok(keyless.witness().and(listed))
}

async fn the_longest_key_and_a_longer_one(driver: &Driver<'_>) -> Drove {
    let key = |length: usize| {
        let start = driver.fresh();
        format!("{start}{}", "k".repeat(length.saturating_sub(start.len())))
    };
    for length in [KEY_MAX, KEY_MAX + 1] {
        let body = agent(driver, &driver.fresh()).to_string();
        post(driver, &format!("key of {length}"), Some(&key(length)), body).await;
    }
    Ok(())
}

fn only_the_longer_one_is_refused(recording: &Recording, _: &Spec) -> Judged {
    let both = numbered(recording.starting_with("key of "), 2, "keys")?;
    let (longest, longer) = (&both[0], &both[1]);
    longest.answer()?;
    if !longest.is_success() {
        return Err(longest.finding("the longest key that is allowed was refused", "2xx").into());
    }
    refused(longer, "a key that is too long was taken", 400, "bad_request")?;
    Ok(longest.witness().and(longer.witness()))
}
