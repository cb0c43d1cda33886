//! Scenarios as files.

use std::path::PathBuf;

use serde_json::Value;

/// Where scenarios are.
pub(crate) fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/vetta/scenarios")
}

/// One scenario. `$NAME` stands for the id of the agent of that name.
pub(crate) struct Scenario {
    /// What the client does, in order.
    pub(crate) steps: Vec<Step>,
    /// What the model answers, in the script format of the fake model.
    pub(crate) model: Value,
}

/// Something that the client does.
pub(crate) enum Step {
    /// Writes an agent: its name in the scenario and the body.
    Agent(String, Value),
    /// Starts a session of the agent of this name, with further members of the body.
    Start(String, Value),
    /// Any other request.
    Request(Box<Asked>),
    /// Decides about the call that was held last: the body without the id of the call.
    Decide(Value),
    /// Says this in the session.
    Say(String),
    /// Waits until no turn is on.
    Rests,
    /// Waits until the model has nothing to do.
    Quiet,
    /// Waits until the model holds a request at this gate.
    Held(String),
    /// Opens this gate.
    Release(String),
    /// Reads the session, or what is below it.
    Read(String),
    /// Asks the tool endpoint of the session: a method and its parameters.
    Endpoint(Value),
}

/// A request that no other step makes.
pub(crate) struct Asked {
    pub(crate) method: String,
    pub(crate) path: String,
    pub(crate) body: Option<Value>,
    /// The name of the credential; `none` sends none.
    pub(crate) key: String,
    /// The name under which the id of what comes back is known from then on.
    pub(crate) named: Option<String>,
}

impl Asked {
    fn read(step: &Value) -> Option<Self> {
        const MEMBERS: [&str; 5] = ["method", "path", "body", "key", "as"];
        let known = step.as_object()?.keys().all(|member| MEMBERS.contains(&member.as_str()));
        let text = |member: &str| step.get(member).and_then(Value::as_str).map(str::to_owned);
        known.then_some(())?;
        Some(Self {
            method: text("method")?,
            path: text("path")?,
            body: step.get("body").cloned(),
            key: text("key").unwrap_or_else(|| "primary".to_owned()),
            named: text("as"),
        })
    }
}

impl Scenario {
    /// Reads `fixtures/vetta/scenarios/NAME.yaml`. Panics, naming the file, where it is none.
    pub(crate) fn read(name: &str) -> Self {
        let path = folder().join(format!("{name}.yaml"));
        let shown = path.display();
        let text = std::fs::read_to_string(&path).unwrap_or_else(|why| panic!("{shown}: {why}"));
        let file: Value = serde_saphyr::from_str(&text).unwrap_or_else(|why| panic!("{shown}: {why}"));
        let steps = file["steps"].as_array().unwrap_or_else(|| panic!("{shown}: `steps` is needed"));
        let steps =
            steps.iter().map(|step| Step::read(step).unwrap_or_else(|| panic!("{shown}: no step: {step}")));
        Self { steps: steps.collect(), model: file["model"].clone() }
    }
}

impl Step {
    fn read(step: &Value) -> Option<Self> {
        if let Some(word) = step.as_str() {
            return match word {
                "rests" => Some(Self::Rests),
                "quiet" => Some(Self::Quiet),
                _ => None,
            };
        }
        let (name, value) = step.as_object().filter(|step| step.len() == 1)?.iter().next()?;
        let text = || value.as_str().map(str::to_owned);
        match name.as_str() {
            "agent" => Some(Self::Agent(value.get("as")?.as_str()?.to_owned(), value.get("body")?.clone())),
            "start" => match text() {
                Some(agent) => Some(Self::Start(agent, Value::Null)),
                None => {
                    Some(Self::Start(value.get("agent")?.as_str()?.to_owned(), value.get("with")?.clone()))
                }
            },
            "request" => Asked::read(value).map(|asked| Self::Request(Box::new(asked))),
            "decide" => value.is_object().then(|| Self::Decide(value.clone())),
            "say" => text().map(Self::Say),
            "held" => text().map(Self::Held),
            "release" => text().map(Self::Release),
            "read" => text().map(Self::Read),
            "endpoint" => Some(Self::Endpoint(value.clone())),
            _ => None,
        }
    }
}
