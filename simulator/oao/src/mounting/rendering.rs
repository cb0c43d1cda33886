//! The system text of a run.

use std::sync::Arc;

use serde_json::Value;

use crate::{
    Version,
    operations::Operation,
    skills::{self, Skill},
};

/// What the system text of a run is made from.
#[derive(Clone, Debug)]
pub struct Rendering<'a> {
    /// The version that the run uses.
    pub version: &'a Version,
    /// The operations that are mounted.
    pub operations: &'a [Operation],
    /// The Skills that are mounted.
    pub skills: &'a [Arc<Skill>],
    /// The session.
    pub session_id: &'a str,
}

impl Rendering<'_> {
    /// The instructions as they were published, placeholders included.
    pub fn source(&self) -> &str {
        self.version.config.get("systemPrompt").and_then(Value::as_str).unwrap_or_default()
    }

    /// The instructions with values in the place of the placeholders. Whatever is no placeholder stays as it is.
    ///
    /// | placeholder | value |
    /// | --- | --- |
    /// | `{{session.id}}` | the id of the session |
    /// | `{{project.id}}` | the id of the project |
    /// | `{{agent.id}}` | the id of the agent |
    /// | `{{agent.version}}` | the number of the version |
    pub fn filled(&self) -> String {
        let number = self.version.number.to_string();
        let values = [
            ("{{session.id}}", self.session_id),
            ("{{project.id}}", &self.version.project_id),
            ("{{agent.id}}", &self.version.agent_id),
            ("{{agent.version}}", &number),
        ];
        values.iter().fold(self.source().to_owned(), |text, (name, value)| text.replace(name, value))
    }

    /// `instructions` with the paragraphs on what is mounted.
    pub fn around(&self, instructions: &str) -> String {
        let mut text = instructions.to_owned();
        text.push_str(&skills::listing(self.skills));
        if !self.operations.is_empty() {
            text.push_str(OPERATIONS);
        }
        text
    }
}

const OPERATIONS: &str = "\n\n## Harness Operations\nSome of your tools are Harness Operations: each call, with a \
`task` as its only argument, opens a temporary loop that shares your workspace and returns one structured result. \
Independent calls may be made together in one turn. Inside such a loop no further operation can be called.";

/// The instructions with their placeholders filled, and what is mounted.
pub(super) fn render(rendering: &Rendering<'_>) -> String {
    rendering.around(&rendering.filled())
}
