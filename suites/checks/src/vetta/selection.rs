//! Choosing the loop of an agent (VET-01, 02).

use engine::{Driver, Drove};
use recording::{Judged, Recording, View};
use serde_json::{Map, Value, json};
use spec::Spec;

use super::{
    agents::{Agent, NAMED_TOOL},
    environments::{Environment, is_hosted},
    evidence::{Evidence, by_base},
    listing::{found, mentions},
    rows::text,
};
use crate::table::checks;

checks! { Vetta:
    "VET-01-a" => one_body_for_every_base, base_is_stored_verbatim;
    "VET-01-b" => labels_as_harness, no_label_selects_a_loop;
    "VET-02-a" => one_body_for_every_base, answers_have_one_form;
    "VET-02-b" => harness_is_patched, the_rest_is_as_it_was;
}

const NOT_WRITTEN: &str = "an agent on a published base could not be written";
const NOT_VERBATIM: &str = "the agent does not have the `harness` that was sent";
const LABEL_SELECTS: &str = "a display label selected a loop as a base does";
const LABEL_NOT_REFUSED: &str = "a display label as `harness` was answered with neither 2xx nor 4xx";
const AGENT_LEFT: &str = "a refused create left an agent behind";
const NOT_EVERYWHERE: &str = "a body that differs in `harness` alone was not accepted on every base";
const OTHER_KEYS: &str = "agents on different bases have different members";
const PATCH_NOT_TAKEN: &str = "a patch of `harness` alone did not change `harness`";
const REST_CHANGED: &str = "a patch of `harness` alone changed other members";

/// The same body for each hosted base, or for each at all where none is hosted, recorded as `create: BASE`, and the agent read back.
async fn one_body_for_every_base(driver: &Driver<'_>) -> Drove {
    let environment = Environment::primary(driver).await?;
    for base in environment.all_preferring(is_hosted) {
        let created = environment.create(&format!("create: {base}"), &Agent::bare(&environment, &base)).await;
        if let Some(id) = created.text("/id").filter(|_| created.is_success()) {
            environment.read(&format!("read: {base}"), id).await;
        }
    }
    Ok(())
}

fn base_is_stored_verbatim(recording: &Recording, _: &Spec) -> Judged {
    let mut evidence = Evidence::default();
    for (base, created) in by_base(recording, "create")? {
        evidence.accepted(&created, NOT_WRITTEN)?;
        let read = recording.one(&format!("read: {base}"))?;
        evidence.accepted(&read, NOT_WRITTEN)?;
        for seen in [created, read] {
            if seen.json()?.get("harness") != Some(&json!(base)) {
                return Err(seen.finding(NOT_VERBATIM, format!("`harness` is `{base}`")).into());
            }
        }
    }
    evidence.judged()
}

fn answers_have_one_form(recording: &Recording, _: &Spec) -> Judged {
    let mut evidence = Evidence::default();
    let mut first: Option<(&str, Vec<String>)> = None;
    for (base, created) in by_base(recording, "create")? {
        let agent = evidence.accepted(&created, NOT_EVERYWHERE)?;
        if !agent.get("name").is_some_and(Value::is_string) {
            return Err(created.finding(NOT_EVERYWHERE, "an agent, with the `name` that was sent").into());
        }
        let keys: Vec<String> = agent.as_object().into_iter().flat_map(Map::keys).cloned().collect();
        match &first {
            None => first = Some((base, keys)),
            Some((_, known)) if *known == keys => {}
            Some((other, known)) => {
                let expected = format!("the members that it has on `{other}`: {}", known.join(", "));
                return Err(created.finding(OTHER_KEYS, expected).into());
            }
        }
    }
    evidence.judged()
}

/// Every label of a hosted row that is no base, as `harness`; and a start where that was accepted.
async fn labels_as_harness(driver: &Driver<'_>) -> Drove {
    let environment = Environment::primary(driver).await?;
    let is_base = |label: &str| environment.rows().iter().any(|row| text(row, "base") == label);
    let says_more =
        |row: &Value| is_hosted(row) && !text(row, "label").is_empty() && !is_base(text(row, "label"));
    let bases = environment.pick_all("hosted loop whose label is no base", says_more)?;
    let twin = environment.need_agent("twin", &Agent::on(&environment, &bases[0])).await?;
    for row in environment.rows().iter().filter(|row| says_more(row)) {
        let label = text(row, "label");
        let agent = Agent::on(&environment, label).with("name", json!(driver.fresh()));
        let created = environment.create(&format!("create: {label}"), &agent).await;
        if let Some(id) = created.text("/id").filter(|_| created.is_success()) {
            environment.start(&format!("start: {label}"), id, &json!({})).await;
        }
    }
    environment.list_agents("agents", &twin).await
}

fn no_label_selects_a_loop(recording: &Recording, _: &Spec) -> Judged {
    let mut evidence = Evidence::default();
    for (label, created) in by_base(recording, "create")? {
        let status = created.answer()?.status;
        if created.is_success() {
            let agent = evidence.accepted(&created, LABEL_SELECTS)?;
            let expected = format!("4xx, or 2xx with the `harness` `{label}` and no session");
            let start = recording.one(&format!("start: {label}"))?;
            start.answer()?;
            if agent.get("harness") != Some(&json!(label)) || start.is_success() {
                return Err(created.finding(LABEL_SELECTS, expected).into());
            }
            evidence.note("an agent with an unpublished `harness` is written and refused at start");
        } else if (400..500).contains(&status) {
            let sent = created.sent().unwrap_or_default();
            let (last, left) = found(recording, "agents", |entry| mentions(entry, text(&sent, "name")))?;
            if let Some(page) = left {
                return Err(page.finding(AGENT_LEFT, "no agent of the refused name").into());
            }
            evidence.see(&created);
            evidence.see(&last);
        } else {
            return Err(created.finding(LABEL_NOT_REFUSED, "4xx").into());
        }
    }
    evidence.judged()
}

async fn harness_is_patched(driver: &Driver<'_>) -> Drove {
    let environment = Environment::primary(driver).await?;
    let bases = environment.all_preferring(is_hosted);
    let [from, to, ..] = bases.as_slice() else { return Err(environment.lacks("second hosted loop")) };
    let agent = Agent::on(&environment, from)
        .with("tools", json!({"permission": "ask", "overrides": {NAMED_TOOL: "ask"}}))
        .with("metadata", json!({"check": driver.token()}));
    let id = environment.need_agent("create", &agent).await?;
    let before = environment.read("before", &id).await;
    driver.need(&before, "read the agent")?;
    environment.patch("patch", &id, &json!({ "harness": to })).await;
    environment.read("after", &id).await;
    Ok(())
}

fn the_rest_is_as_it_was(recording: &Recording, _: &Spec) -> Judged {
    /// Members that a change of loop may change.
    const MOVING: [&str; 3] = ["harness", "version", "updated_at"];
    let mut evidence = Evidence::default();
    let (patch, before, after) = (recording.one("patch")?, recording.one("before")?, recording.one("after")?);
    evidence.accepted(&patch, PATCH_NOT_TAKEN)?;
    let to = patch.sent().unwrap_or_default()["harness"].clone();
    for seen in [patch, after] {
        let agent = evidence.accepted(&seen, PATCH_NOT_TAKEN)?;
        if agent.get("harness") != Some(&to) {
            return Err(seen.finding(PATCH_NOT_TAKEN, format!("`harness` is {to}")).into());
        }
    }
    let still = |agent: Value| -> Map<String, Value> {
        let members = agent.as_object().cloned().unwrap_or_default();
        members.into_iter().filter(|(name, _)| !MOVING.contains(&name.as_str())).collect()
    };
    let (was, is) = (still(before.json()?), still(after.json()?));
    if was != is {
        let changed: Vec<&str> = was
            .keys()
            .chain(is.keys())
            .filter(|name| was.get(*name) != is.get(*name))
            .map(String::as_str)
            .collect();
        let got = format!("{} changed: {}", changed.join(", "), after.summary());
        return Err(after.finding_got(REST_CHANGED, "all other members as they were", got).into());
    }
    evidence.judged()
}
