//! How versions keep their operations (OAO-41, 42, 55).

use engine::{Call, Driver, Drove};
use recording::{Finding, Judged, Recording, Seen, View, Witness};
use serde_json::{Value, json};
use spec::Spec;

use super::{
    agents::{self, Agent},
    canonical,
    operations::{by_key, key_of, operation},
    refusal::{self, Refused},
};
use crate::table::checks;

checks! { Oao:
    "OAO-41-a" => instructions_edited, earlier_version_unchanged;
    "OAO-41-b" => added_and_removed, a_version_each;
    "OAO-42-b" => writes_tried, nothing_written;
    "OAO-55-a" => second_is_faulty, nothing_of_either;
}

const FIRST: &str = "publish a first version";
const SECOND: &str = "publish a second version";

/// An operation with other instructions than the one of the same key.
fn edited(key: &str) -> Value {
    let mut edited = operation(key);
    edited["instructions"] = json!("Open the order that the task names and report its sum in cents.");
    edited
}

/// The id that a publication gave to its version.
fn id_of(published: &Seen<'_>, pointer: &str) -> Result<String, Finding> {
    let status = published.answer()?.status;
    let body = published.json()?;
    match body.pointer(pointer).and_then(Value::as_str) {
        Some(id) if (200..300).contains(&status) => Ok(id.to_owned()),
        _ => Err(published.finding(
            "a further version was not published",
            format!("a 2xx with the version at `{pointer}`"),
        )),
    }
}

/// The operations of a version that was read, in the form in which they are compared.
fn operations(read: &Seen<'_>, id: &str) -> Result<Vec<Value>, Finding> {
    let operations = agents::operations_of(read, id)?;
    Ok(by_key(&operations).into_iter().map(|(_, each)| canonical::numbers(each)).collect())
}

async fn instructions_edited(driver: &Driver<'_>) -> Drove {
    let config = |operation: Value| agents::config(driver, &json!([operation]));
    let agent = agents::need_agent(driver, "first", &config(operation("total")), FIRST).await?;
    let before = agents::read_version(driver, "before", &agent.id, &agent.version).await;
    driver.need(&before, "read the first version")?;
    let second = agents::publish(driver, "second", &agent.id, &config(edited("total"))).await;
    agents::read_version(driver, "after", &agent.id, &agent.version).await;
    if let Some(id) = second.text("/id") {
        agents::read_version(driver, "the new one", &agent.id, id).await;
    }
    Ok(())
}

fn earlier_version_unchanged(recording: &Recording, _: &Spec) -> Judged {
    let (first, second) = (recording.one("first")?, recording.one("second")?);
    let (old, new) = (id_of(&first, "/latestVersionId")?, id_of(&second, "/id")?);
    if old == new {
        return Err(second
            .finding("a publication gave the id of the version before", format!("another id than {old}"))
            .into());
    }
    let (before, after) = (recording.one("before")?, recording.one("after")?);
    if operations(&before, &old)? != operations(&after, &old)? {
        let expected = "the definitions that it was published with";
        return Err(after
            .finding("an earlier version changed when a further one was published", expected)
            .into());
    }
    let read = recording.one("the new one")?;
    let shown = operations(&read, &new)?;
    let instructions = shown.first().and_then(|operation| operation["instructions"].as_str());
    if instructions != edited("total")["instructions"].as_str() {
        return Err(read.finding("the new version does not have the edit", "the edited instructions").into());
    }
    Ok(second.witness().and(before.witness()).and(after.witness()).and(read.witness()))
}

async fn added_and_removed(driver: &Driver<'_>) -> Drove {
    let config = |keys: &[&str]| {
        let operations: Vec<Value> = keys.iter().map(|key| operation(key)).collect();
        agents::config(driver, &json!(operations))
    };
    let agent = agents::need_agent(driver, "first", &config(&["total"]), FIRST).await?;
    // What stays is the one that was added: with the other one, the third version would be the first again.
    for (label, keys) in [("added", &["total", "order"][..]), ("removed", &["order"])] {
        let published = agents::publish(driver, label, &agent.id, &config(keys)).await;
        if let Some(id) = published.text("/id") {
            agents::read_version(driver, &format!("read {label}"), &agent.id, id).await;
        }
    }
    agents::list_versions(driver, "versions", &agent.id).await;
    Ok(())
}

fn a_version_each(recording: &Recording, _: &Spec) -> Judged {
    let first = recording.one("first")?;
    let mut ids = vec![id_of(&first, "/latestVersionId")?];
    let mut witness = first.witness();
    let steps = [
        ("added", "adding an operation made no new version", &["order", "total"][..]),
        ("removed", "removing an operation made no new version", &["order"]),
    ];
    for (label, message, keys) in steps {
        let published = recording.one(label)?;
        let id = id_of(&published, "/id")?;
        if ids.contains(&id) {
            return Err(published.finding(message, format!("another id than {}", ids.join(", "))).into());
        }
        let read = recording.one(&format!("read {label}"))?;
        let got = agents::operations_of(&read, &id)?;
        let got: Vec<&str> = by_key(&got).into_iter().map(|(key, _)| key).collect();
        if got != keys {
            let expected = format!("the operations {}", keys.join(", "));
            return Err(read
                .finding("a version has other operations than it was published with", expected)
                .into());
        }
        witness = witness.and(published.witness()).and(read.witness());
        ids.push(id);
    }
    let page = recording.one("versions")?;
    let rows = agents::listed(&page)?;
    if ids.iter().all(|id| rows.iter().any(|row| row["id"] == id.as_str())) {
        return Ok(witness.and(page.witness()));
    }
    Err(page.finding("a version is not listed", format!("the versions {}", ids.join(", "))).into())
}

const WRITES: [&str; 4] = ["PUT", "PATCH", "POST", "DELETE"];

async fn writes_tried(driver: &Driver<'_>) -> Drove {
    let config = |operation: Value| agents::config(driver, &json!([operation]));
    let agent = agents::need_agent(driver, "first", &config(operation("total")), FIRST).await?;
    agents::need_version(driver, "second", &agent.id, &config(operation("order")), SECOND).await?;
    let before = agents::read_version(driver, "before", &agent.id, &agent.version).await;
    driver.need(&before, "read the first version")?;
    let path = format!("{}/versions/{}", agents::path_of(driver, &agent.id), agent.version);
    let body = json!({"config": config(edited("total"))});
    for method in WRITES {
        let call = Call::new(method, path.clone()).header("idempotency-key", driver.fresh());
        let call = if method == "DELETE" { call } else { call.json(&body) };
        driver.send(&format!("write by {method}"), call).await;
    }
    agents::read_version(driver, "after", &agent.id, &agent.version).await;
    Ok(())
}

fn nothing_written(recording: &Recording, _: &Spec) -> Judged {
    let writes = refusal::numbered(recording.starting_with("write by "), WRITES.len(), "writes")?;
    for write in &writes {
        match write.answer()?.status {
            400..=499 | 501 => {}
            200..300 => {
                return Err(write
                    .finding("a write to an earlier version was accepted", "a 4xx to any write")
                    .into());
            }
            _ => {
                return Err(write
                    .finding("a write to an earlier version was not refused", "a 4xx to any write")
                    .into());
            }
        }
    }
    let id = id_of(&recording.one("first")?, "/latestVersionId")?;
    let (before, after) = (recording.one("before")?, recording.one("after")?);
    if operations(&before, &id)? != operations(&after, &id)? {
        return Err(after
            .finding("an earlier version changed after a write", "the definitions as before")
            .into());
    }
    let tried = Witness::all(writes.iter().map(Seen::witness));
    Ok(tried.into_iter().fold(before.witness().and(after.witness()), Witness::and))
}

/// The keys of the pair in which the second is faulty. The first carries the token, so that it is found
/// wherever it was left.
fn pair(token: &str) -> [Value; 2] {
    let mut faulty = operation("faulty");
    faulty["description"] = json!("");
    [operation(&format!("sound_{token}")), faulty]
}

async fn second_is_faulty(driver: &Driver<'_>) -> Drove {
    let config = |operations: &[Value]| agents::config(driver, &json!(operations));
    let faults = vec![("the second is faulty", config(&pair(driver.token())))];
    let agent = refusal::attempt_configs(driver, config(&[operation("total")]), faults).await?;
    agents::read_version(driver, "the version", &agent.id, &agent.version).await;
    driver.get("the agent", agents::path_of(driver, &agent.id)).await;
    Ok(())
}

fn nothing_of_either(recording: &Recording, _: &Spec) -> Judged {
    let words = Refused {
        published: "a version with a faulty operation was published",
        expected: "a 4xx for two operations of which one is faulty",
        faults: 1,
    };
    let witness = words.judge(recording)?;
    let agent = Agent::of(&recording.one("twin")?.json()?);
    let version = agent.map(|agent| agent.version).unwrap_or_default();
    let (read, shown) = (recording.one("the version")?, recording.one("the agent")?);
    let [sound, _] = pair(&recording.token);
    let kept = agents::operations_of(&read, &version)?;
    let keys: Vec<&str> = kept.iter().map(key_of).collect();
    if keys != ["total"] {
        return Err(read
            .finding("an earlier version changed by a refused publication", "its own operation only")
            .into());
    }
    let body = shown.json()?;
    let left = shown.text().is_some_and(|text| text.contains(key_of(&sound)));
    if left || body["latestVersionId"] != version.as_str() {
        let expected = format!("`latestVersionId` {version} and no trace of {}", key_of(&sound));
        return Err(shown.finding("an agent changed by a refused publication", expected).into());
    }
    Ok(witness.and(read.witness()).and(shown.witness()))
}
