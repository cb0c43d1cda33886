//! Publications that have to be refused, and leave nothing behind.

use engine::{Driver, Drove};
use recording::{Finding, FindingKind, Judged, Seen, Verdict, View, Witness};
use serde_json::{Value, json};

use super::agents::{self, Agent};

/// What has to be refused: a name for the labels, and the operations.
pub(crate) type Fault = (&'static str, Vec<Value>);

/// Statuses that turn a request away for another reason than what it says.
pub(crate) const OTHER_REASONS: [u16; 6] = [401, 403, 404, 405, 408, 429];

/// How a refusal is judged.
pub(crate) struct Refused {
    /// What is wrong when the fault is published.
    pub(crate) published: &'static str,
    /// What had to be refused.
    pub(crate) expected: &'static str,
    /// How many faults were attempted, each as a version and as an agent.
    pub(crate) faults: usize,
}

impl Refused {
    /// Every fault was refused with a 4xx, and nothing was published by it.
    pub(crate) fn judge(&self, view: &impl View) -> Judged {
        let mut witnesses = vec![view.one("twin")?.witness()];
        for attempt in numbered(view.starting_with("fault "), 2 * self.faults, "faulty definitions")? {
            self.refused(&attempt)?;
            witnesses.push(attempt.witness());
        }
        witnesses.push(nothing_published(view)?);
        Witness::all(witnesses).ok_or_else(|| Verdict::Error { reason: "nothing was recorded".to_owned() })
    }

    /// One attempt was refused with a 4xx.
    pub(crate) fn refused(&self, attempt: &Seen<'_>) -> Result<(), Finding> {
        let status = attempt.answer()?.status;
        match status {
            200..300 => Err(attempt.finding(self.published, self.expected)),
            400..500 if !OTHER_REASONS.contains(&status) => Ok(()),
            _ => Err(attempt
                .finding("a faulty definition is not answered as a fault of the request", self.expected)),
        }
    }
}

/// Publishes the twin, which is sound; then every fault, as a further version of the twin's agent and as a
/// new agent; then looks for what came of it.
pub(crate) async fn attempt(driver: &Driver<'_>, twin: Vec<Value>, faults: Vec<Fault>) -> Drove {
    let config = |operations: Vec<Value>| agents::config(driver, &json!(operations));
    let faults = faults.into_iter().map(|(name, operations)| (name, config(operations))).collect();
    attempt_configs(driver, config(twin), faults).await.map(|_| ())
}

/// As [`attempt`], with whole configurations. Returns the twin's agent.
pub(crate) async fn attempt_configs(
    driver: &Driver<'_>,
    twin: Value,
    faults: Vec<(&'static str, Value)>,
) -> Result<Agent, engine::Halt> {
    let twin = set_apart(driver, twin, "twin");
    let agent =
        agents::need_agent(driver, "twin", &twin, "publish the same definition without the fault").await?;
    for (name, config) in faults {
        let config = set_apart(driver, config, name);
        agents::publish(driver, &format!("fault {name}, as a version"), &agent.id, &config).await;
        agents::create(driver, &format!("fault {name}, as an agent"), &config).await;
    }
    agents::list_versions(driver, "versions", &agent.id).await;
    agents::list_agents(driver, "agents", &agent.id).await;
    Ok(agent)
}

/// Another system prompt, so that a target which mends the fault does not find the version that it has
/// already and refuses it for that. What is added is drawn from the seed, for the sound twin as for the
/// faults: a target cannot tell by it which of them it has before it.
pub(crate) fn set_apart(driver: &Driver<'_>, config: Value, name: &str) -> Value {
    marked(config, &driver.seed().child(name).token())
}

fn marked(mut config: Value, mark: &str) -> Value {
    let prompt = config["systemPrompt"].as_str().unwrap_or_default();
    config["systemPrompt"] = json!(format!("{prompt} Variant {mark}."));
    config
}

/// The entries under test, which have to be so many: a recording in which some are missing says nothing
/// about the target.
pub(crate) fn numbered<'r>(
    entries: Vec<Seen<'r>>,
    count: usize,
    what: &str,
) -> Result<Vec<Seen<'r>>, Verdict> {
    if entries.len() == count {
        return Ok(entries);
    }
    Err(Verdict::Error { reason: format!("{} of {count} {what} were recorded", entries.len()) })
}

/// The twin's agent has the twin's version only, and no other agent carries the token of the check.
fn nothing_published(view: &impl View) -> Result<Witness, Verdict> {
    let twin = view.one("twin")?;
    let Some(agent) = Agent::of(&twin.json()?) else {
        return Err(Verdict::Error { reason: "the twin was not published".to_owned() });
    };
    let versions = only_version(view, &agent)?;
    let pages = view.labelled("agents");
    let page = view.one("agents")?;
    let rows = agents::listed_on_all(view, "agents")?;
    if !rows.iter().any(|row| row["id"] == agent.id.as_str()) {
        return Err(page
            .finding("the agent that was published is not listed", format!("`id` {}", agent.id))
            .into());
    }
    let token = &view.recording().token;
    let is_left = |row: &&Value| {
        row["id"] != agent.id.as_str() && ["name", "key"].iter().any(|field| carries(&row[*field], token))
    };
    if let Some(left) = rows.iter().find(is_left) {
        let expected = "no agent beside the one with the sound definition";
        return Err(page
            .finding_got("a refused publication left an agent behind", expected, left.to_string())
            .into());
    }
    Ok(Witness::all(pages.iter().map(Seen::witness)).unwrap_or_else(|| page.witness()).and(versions))
}

fn carries(value: &Value, token: &str) -> bool {
    value.as_str().is_some_and(|text| text.contains(token))
}

/// The listed versions of `agent` are the one that was published first.
pub(crate) fn only_version(view: &impl View, agent: &Agent) -> Result<Witness, Verdict> {
    let page = view.one("versions")?;
    let rows = agents::listed(&page)?;
    let ids: Vec<&str> = rows.iter().filter_map(|row| row["id"].as_str()).collect();
    if ids == [agent.version.as_str()] {
        return Ok(page.witness());
    }
    if !ids.contains(&agent.version.as_str()) {
        return Err(page
            .finding("the version that was published is not listed", agent.version.clone())
            .into());
    }
    let expected = format!("the version {} only", agent.version);
    Err(page.finding_got("a refused publication left a version behind", expected, ids.join(", ")).into())
}

/// The verdict with a violation lowered to a warning.
pub(crate) fn as_warning(judged: Judged) -> Judged {
    judged.map_err(|verdict| match verdict {
        Verdict::Fail(finding) if finding.kind == FindingKind::Violation => finding.as_warning(),
        verdict => verdict,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mark_is_all_that_sets_a_configuration_apart() {
        let config = json!({"systemPrompt": "Answer briefly.", "tools": []});
        let apart = marked(config.clone(), "0f");
        assert_eq!(apart, json!({"systemPrompt": "Answer briefly. Variant 0f.", "tools": []}));
        assert_ne!(apart, marked(config, "1e"));
    }
}
