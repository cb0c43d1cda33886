//! What the console shows of agent versions (OAO-42-a, 44-a).

use engine::{Driver, Drove};
use recording::{Judged, Recording, Seen, Verdict, View};
use serde_json::{Value, json};
use spec::Spec;

use crate::{
    oao::{
        agents::{config, need_agent, need_version},
        canonical,
        operations::{by_key, operation},
    },
    percent::encoded,
    table::checks,
};

checks! { Oao:
    "OAO-42-a" => both_versions_opened, shown_and_not_editable;
    "OAO-44-a" => both_versions_opened, nothing_to_add_with;
}

/// Opens the earlier of two versions, and the latest.
async fn both_versions_opened(driver: &Driver<'_>) -> Drove {
    let Some(template) = driver.facts().text("console_version_view") else {
        return Err(driver.unmet("the data of its console: give `[settings] console_version_view`"));
    };
    let with = |keys: &[&str]| {
        let operations: Vec<Value> = keys.iter().map(|key| operation(key)).collect();
        config(driver, &json!(operations))
    };
    let agent = need_agent(driver, "publish", &with(&["total"]), "publish a first version").await?;
    let step = "publish a second version";
    let latest = need_version(driver, "second", &agent.id, &with(&["total", "order"]), step).await?;
    let project = driver.facts().text("project").unwrap_or("default");
    for (label, version) in [("earlier view", &agent.version), ("latest view", &latest)] {
        let path = template.replace("{project}", &encoded(project)).replace("{agent}", &encoded(&agent.id));
        driver.get(label, path.replace("{version}", &encoded(version))).await;
    }
    Ok(())
}

/// The operations that a view shows and the actions that it offers.
fn shown(seen: &Seen<'_>) -> Result<(Vec<Value>, Vec<Value>), Verdict> {
    let body = seen.json()?;
    let list = |name: &str| body.get(name).and_then(Value::as_array).cloned();
    match (list("operations"), list("actions")) {
        (Some(operations), Some(actions)) if seen.is_success() => Ok((operations, actions)),
        _ => {
            let expected = "200 with the lists `operations` and `actions`";
            Err(seen.finding("what the console shows of a version cannot be read", expected).into())
        }
    }
}

fn forms(operations: &[Value]) -> Vec<Value> {
    by_key(operations).into_iter().map(|(_, each)| canonical::definition(each)).collect()
}

fn shown_and_not_editable(recording: &Recording, _: &Spec) -> Judged {
    let (published, view) = (recording.one("publish")?, recording.one("earlier view")?);
    let sent = [operation("total")];
    let (operations, actions) = shown(&view)?;
    if forms(&operations) != forms(&sent) {
        let message = "the console shows other definitions of an earlier version than it was published with";
        return Err(view.finding(message, Value::from(sent.to_vec()).to_string()).into());
    }
    if actions.iter().any(|action| action == "edit_operation" || action == "remove_operation") {
        let message = "the console offers to edit the definitions of an earlier version";
        return Err(view.finding(message, "nothing to edit them with").into());
    }
    Ok(view.witness().and(published.witness()))
}

fn nothing_to_add_with(recording: &Recording, _: &Spec) -> Judged {
    let (earlier, latest) = (recording.one("earlier view")?, recording.one("latest view")?);
    let offers = |seen: &Seen<'_>| -> Result<bool, Verdict> {
        Ok(shown(seen)?.1.iter().any(|action| action == "add_operation"))
    };
    if offers(&earlier)? {
        let message = "the console offers to add an operation to an earlier version";
        return Err(earlier.finding(message, "no way to add one").into());
    }
    if !offers(&latest)? {
        let message = "the console does not offer to add an operation to the latest version";
        return Err(latest.finding(message, "a way to add one").into());
    }
    Ok(earlier.witness().and(latest.witness()))
}
