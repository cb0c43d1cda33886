//! Scenarios as files.

use std::path::PathBuf;

use serde_json::Value;

/// Where scenarios are.
pub(crate) fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/oao/scenarios")
}

/// One scenario.
pub(crate) struct Scenario {
    /// The operations of the version that the session starts on.
    pub(crate) operations: Value,
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
}

impl Scenario {
    /// Reads `fixtures/oao/scenarios/NAME.yaml`. Panics, naming the file, where it is none.
    pub(crate) fn read(name: &str) -> Self {
        let path = folder().join(format!("{name}.yaml"));
        let shown = path.display();
        let text = std::fs::read_to_string(&path).unwrap_or_else(|why| panic!("{shown}: {why}"));
        let file: Value = serde_saphyr::from_str(&text).unwrap_or_else(|why| panic!("{shown}: {why}"));
        let steps = file["steps"].as_array().unwrap_or_else(|| panic!("{shown}: `steps` is needed"));
        let steps =
            steps.iter().map(|step| Step::read(step).unwrap_or_else(|| panic!("{shown}: no step: {step}")));
        let operations = match &file["operations"] {
            Value::Null => documented(),
            given => given.clone(),
        };
        Self { operations, steps: steps.collect(), model: file["model"].clone() }
    }
}

impl Step {
    fn read(step: &Value) -> Option<Self> {
        if let Some(word) = step.as_str() {
            return match word {
                "settle" => Some(Self::Settle),
                "cancel" => Some(Self::Cancel),
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
            _ => None,
        }
    }
}

/// The pair that the documents show.
fn documented() -> Value {
    let text = include_str!("../../../../fixtures/oao/documents/shipment-operations.json");
    serde_json::from_str::<Value>(text).unwrap()["harnessOperations"].clone()
}
