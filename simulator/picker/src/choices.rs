//! Entries of a catalogue, as choices.

use serde_json::{Value, json};

/// One line of a chooser.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Choice {
    /// What an agent would put in `harness`.
    pub base: String,
    /// Whether it can be selected.
    pub selectable: bool,
    /// Why not, in words for a person.
    pub why: Option<String>,
}

impl Choice {
    /// The choice as a line of JSON.
    pub fn line(&self) -> String {
        let mut line = json!({ "base": self.base, "selectable": self.selectable });
        if let Some(why) = &self.why {
            line["why"] = json!(why);
        }
        line.to_string()
    }
}

/// Says why an entry cannot be selected; `None` where nothing stands against it.
pub type Objection = fn(&Value) -> Option<String>;

/// A hosted session cannot run on the caller's machine.
pub(crate) fn is_elsewhere(entry: &Value) -> Option<String> {
    match text(entry, "location") {
        "hosted" => None,
        "local" => Some("runs on your own machine only".to_owned()),
        other => Some(format!("its location `{other}` is not known to this version")),
    }
}

/// What does not run here is shown and not offered.
pub(crate) fn is_dark(entry: &Value) -> Option<String> {
    (entry.get("runnable") != Some(&Value::Bool(true))).then(|| "does not run in this environment".to_owned())
}

/// A maturity of which nothing is known is no promise that a session starts.
pub(crate) fn is_of_unknown_maturity(entry: &Value) -> Option<String> {
    let status = text(entry, "status");
    (!matches!(status, "ga" | "preview"))
        .then(|| format!("its status `{status}` is not known to this version"))
}

/// A member that is a string; empty where it is none.
pub(crate) fn text<'a>(entry: &'a Value, name: &str) -> &'a str {
    entry.get(name).and_then(Value::as_str).unwrap_or_default()
}
