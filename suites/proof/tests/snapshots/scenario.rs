//! Scenarios as files.

use std::path::PathBuf;

use serde_json::Value;

/// Where scenarios are.
pub(crate) fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/oao/scenarios")
}

/// The members that a scenario may have.
const MEMBERS: [&str; 6] = ["about", "operations", "skills", "tools", "steps", "model"];

/// One scenario.
pub(crate) struct Scenario {
    /// The operations of the version that the session starts on.
    pub(crate) operations: Value,
    /// The ids of the Skill versions that every version mounts.
    pub(crate) skills: Value,
    /// The tools of the agent's own that every version has, as they are published.
    pub(crate) tools: Value,
    /// What the client does, in order.
    pub(crate) steps: Vec<Step>,
    /// What the model answers, in the script format of the fake model.
    pub(crate) model: Value,
}

/// Something that the client does.
pub(crate) enum Step {
    /// Starts a session whose first run says this.
    Start(String),
    /// Says this in the session, as a further run.
    Say(String),
    /// Waits until the latest run has settled.
    Settle,
    /// Waits until the model holds a request at this gate.
    Held(String),
    /// Cancels the latest run.
    Cancel,
    /// Publishes a further version with these operations.
    Publish(Value),
    /// Waits until the latest run has an open call of this tool, and lists the tool calls of the run.
    Called(String),
    /// Claims the open call.
    Claim,
    /// Hands this in as the result of the claimed call, in the envelope of results.
    HandIn(Value),
    /// Decides the pending approval of the latest run: `approved` or `denied`.
    Decide(String),
}

impl Scenario {
    /// Reads `fixtures/oao/scenarios/NAME.yaml`. Panics, naming the file, where it is none.
    pub(crate) fn read(name: &str) -> Self {
        let path = folder().join(format!("{name}.yaml"));
        let shown = path.display();
        let text = std::fs::read_to_string(&path).unwrap_or_else(|why| panic!("{shown}: {why}"));
        let file: Value = serde_saphyr::from_str(&text).unwrap_or_else(|why| panic!("{shown}: {why}"));
        let members = file.as_object().unwrap_or_else(|| panic!("{shown}: a mapping is needed"));
        if let Some(member) = members.keys().find(|name| !MEMBERS.contains(&name.as_str())) {
            panic!("{shown}: there is no `{member}`; there are {MEMBERS:?}");
        }
        let steps = file["steps"].as_array().unwrap_or_else(|| panic!("{shown}: `steps` is needed"));
        let steps =
            steps.iter().map(|step| Step::read(step).unwrap_or_else(|| panic!("{shown}: no step: {step}")));
        let operations = match &file["operations"] {
            Value::Null => documented(),
            given => given.clone(),
        };
        let skills = file["skills"].as_array().into_iter().flatten();
        let skills = skills.map(|skill| {
            skill_id(skill).unwrap_or_else(|| panic!("{shown}: no Skill of manifest.json: {skill}"))
        });
        Self {
            operations,
            skills: skills.collect(),
            tools: file.get("tools").cloned().unwrap_or_else(|| Value::Array(Vec::new())),
            steps: steps.collect(),
            model: file["model"].clone(),
        }
    }
}

impl Step {
    fn read(step: &Value) -> Option<Self> {
        if let Some(word) = step.as_str() {
            return match word {
                "settle" => Some(Self::Settle),
                "cancel" => Some(Self::Cancel),
                "claim" => Some(Self::Claim),
                _ => None,
            };
        }
        let (name, value) = step.as_object().filter(|step| step.len() == 1)?.iter().next()?;
        let text = || value.as_str().map(str::to_owned);
        match name.as_str() {
            "start" => text().map(Self::Start),
            "say" => text().map(Self::Say),
            "held" => text().map(Self::Held),
            "publish" => Some(Self::Publish(value.clone())),
            "called" => text().map(Self::Called),
            "result" => Some(Self::HandIn(value.clone())),
            "decide" => text().map(Self::Decide),
            _ => None,
        }
    }
}

/// The id that the manifest gives to the Skill version written as `NAME VERSION`.
fn skill_id(skill: &Value) -> Option<Value> {
    let (name, version) = skill.as_str()?.rsplit_once(' ')?;
    let version: u64 = version.parse().ok()?;
    let manifest: Value =
        serde_json::from_str(include_str!("../../../../fixtures/oao/skills/manifest.json")).ok()?;
    let mut skills = manifest["skills"].as_array()?.iter();
    skills.find(|skill| skill["name"] == name && skill["version"] == version).map(|skill| skill["id"].clone())
}

/// The pair that the documents show.
fn documented() -> Value {
    let text = include_str!("../../../../fixtures/oao/documents/shipment-operations.json");
    serde_json::from_str::<Value>(text).unwrap()["harnessOperations"].clone()
}
