//! The data of a console, as the checks read it.

use std::time::Duration;

use engine::Driver;
use recording::{Finding, Seen, Verdict, View};
use serde_json::Value;

use crate::percent::encoded;

/// How often the view is read until it shows what has ended.
const LOOKS_MAX: usize = 10;
/// Between two of these.
const AGAIN: Duration = Duration::from_millis(300);

/// Reads the view of `session` as `label`, again until each of `calls` is shown as ended.
pub(in crate::oao) async fn look(driver: &Driver<'_>, label: &str, session: &str, calls: &[&str]) {
    let path = path(driver, session);
    for at in 0..LOOKS_MAX {
        let reply = driver.get(label, path.clone()).await;
        let modals = reply.json.as_ref().and_then(|body| body.get("modals")?.as_array().cloned());
        let modals = modals.unwrap_or_default();
        let has_ended = |call: &&str| {
            modals.iter().any(|modal| modal["toolCallId"] == *call && modal["status"] != "running")
        };
        if reply.status.is_none() || calls.iter().all(has_ended) || at + 1 == LOOKS_MAX {
            return;
        }
        driver.clock().pause(AGAIN).await;
    }
}

/// The path of the view of `session`.
pub(in crate::oao) fn path(driver: &Driver<'_>, session: &str) -> String {
    let facts = driver.facts();
    let template = facts.text("console_view").unwrap_or_default();
    let project = facts.text("project").unwrap_or("default");
    template.replace("{project}", &encoded(project)).replace("{session}", &encoded(session))
}

/// What a console shows of a session.
pub(in crate::oao) struct Console<'a> {
    pub(in crate::oao) seen: Seen<'a>,
    body: Value,
}

impl<'a> Console<'a> {
    /// The view that was read last as `label`.
    pub(in crate::oao) fn read(view: &'a impl View, label: &str) -> Result<Self, Verdict> {
        let seen = view.labelled(label).pop().map_or_else(|| view.one(label), Ok)?;
        let body = seen.json()?;
        let is_list = |name: &&str| body.get(*name).is_some_and(Value::is_array);
        if seen.is_success() && ["rows", "timeline", "modals"].iter().all(is_list) {
            return Ok(Self { seen, body });
        }
        let expected = "200 with the lists `rows`, `timeline` and `modals`";
        Err(seen.finding("what the console shows of a session cannot be read", expected).into())
    }

    fn list(&self, name: &str) -> &[Value] {
        self.body.get(name).and_then(Value::as_array).map_or(&[], Vec::as_slice)
    }

    /// The rows at the top level.
    pub(in crate::oao) fn rows(&self) -> &[Value] {
        self.list("rows")
    }

    /// The slots of the timeline.
    pub(in crate::oao) fn slots(&self) -> &[Value] {
        self.list("timeline")
    }

    /// The modals.
    pub(in crate::oao) fn modals(&self) -> &[Value] {
        self.list("modals")
    }

    /// The rows that stand for invocations.
    pub(in crate::oao) fn invocations(&self) -> impl Iterator<Item = &Value> {
        self.rows().iter().filter(|row| row["kind"] == "invocation")
    }

    /// The modal of `call`.
    pub(in crate::oao) fn modal(&self, call: &str) -> Result<&Value, Finding> {
        self.modals().iter().find(|modal| modal["toolCallId"] == call).ok_or_else(|| {
            let expected = format!("a modal for `{call}`");
            self.finding("an invocation has no modal", expected, "none")
        })
    }

    /// The first row that opens the modal of `call`.
    pub(in crate::oao) fn row(&self, call: &str) -> Result<&Value, Finding> {
        let modal = &self.modal(call)?["id"];
        self.invocations().find(|row| row["opens"] == *modal).ok_or_else(|| {
            let expected = format!("a row that opens the modal of `{call}`");
            self.finding("an invocation has no row", expected, "none")
        })
    }

    /// Whether `text` stands anywhere in it.
    pub(in crate::oao) fn shows(&self, text: &str) -> bool {
        self.seen.text().is_some_and(|body| body.contains(text))
    }

    /// A violation of this view.
    pub(in crate::oao) fn finding(
        &self,
        message: &str,
        expected: impl Into<String>,
        got: impl Into<String>,
    ) -> Finding {
        self.seen.finding_got(message, expected, got)
    }
}

/// The steps that a modal shows.
pub(in crate::oao) fn steps(modal: &Value) -> &[Value] {
    modal.get("steps").and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

/// The steps that are model turns.
pub(in crate::oao) fn model_steps(modal: &Value) -> Vec<&Value> {
    steps(modal).iter().filter(|step| step["kind"] == "model").collect()
}

/// A member that is text, empty where it is not there.
pub(in crate::oao) fn text<'v>(value: &'v Value, name: &str) -> &'v str {
    value.get(name).and_then(Value::as_str).unwrap_or_default()
}
