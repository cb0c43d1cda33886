//! What a client printed and sent, as its judges read it.

use std::collections::BTreeSet;

use recording::{Finding, Seen, Verdict, View};
use serde_json::Value;

use super::{
    super::rows::text,
    shop::{ASKED, PRINTED, SERVED},
};

const NOT_STARTED: &str = "the client could not be run";
const LATE: &str = "the client did not end in time";
const NO_CHOICE: &str = "the client printed a line that is no choice";

/// A choice that the client showed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Shown {
    pub(super) base: String,
    pub(super) selectable: bool,
}

/// One visit: the fact, and the choices that were shown.
pub(super) struct Printed<'r> {
    pub(super) seen: Seen<'r>,
    pub(super) choices: Vec<Shown>,
}

impl Printed<'_> {
    /// The choice of `base`.
    pub(super) fn of(&self, base: &str) -> Option<&Shown> {
        self.choices.iter().find(|choice| choice.base == base)
    }

    /// The bases that can be selected.
    pub(super) fn offered(&self) -> BTreeSet<&str> {
        self.choices.iter().filter(|choice| choice.selectable).map(|choice| choice.base.as_str()).collect()
    }
}

/// All visits, in order; a finding where the client did not come to its end by itself.
pub(super) fn visits<'r>(view: &'r impl View) -> Result<Vec<Printed<'r>>, Verdict> {
    let visits = view.labelled(PRINTED);
    if visits.is_empty() {
        return Err(Verdict::Error { reason: format!("nothing was recorded as `{PRINTED}`") });
    }
    visits.into_iter().map(|seen| Ok(Printed { choices: choices_in(&seen)?, seen })).collect()
}

/// The only visit.
pub(super) fn visit<'r>(view: &'r impl View) -> Result<Printed<'r>, Verdict> {
    let mut visits = visits(view)?;
    Ok(visits.remove(0))
}

fn choices_in(seen: &Seen<'_>) -> Result<Vec<Shown>, Finding> {
    let fact = seen.value().cloned().unwrap_or_default();
    match text(&fact, "ended") {
        "exited" => {}
        "late" => return Err(seen.finding(LATE, "an end within the time that one visit may take")),
        _ => return Err(seen.finding(NOT_STARTED, "a program that runs")),
    }
    let lines = fact["lines"].as_array().into_iter().flatten().filter_map(Value::as_str);
    // Whatever is no JSON object is for a person, and none of our business.
    lines.filter(|line| line.trim_start().starts_with('{')).map(|line| choice_in(seen, line)).collect()
}

fn choice_in(seen: &Seen<'_>, line: &str) -> Result<Shown, Finding> {
    let read: Value = serde_json::from_str(line).unwrap_or_default();
    match (read.get("base").and_then(Value::as_str), read.get("selectable").and_then(Value::as_bool)) {
        (Some(base), Some(selectable)) => Ok(Shown { base: base.to_owned(), selectable }),
        _ => {
            let expected = r#"{"base": STRING, "selectable": BOOLEAN, "why": STRING} in one line"#;
            Err(seen.finding_got(NO_CHOICE, expected, line))
        }
    }
}

/// The rows that were served, one list per visit.
pub(super) fn served<'r>(view: &'r impl View) -> Result<(Seen<'r>, Vec<Value>), Verdict> {
    let seen = view.one(SERVED)?;
    Ok((seen, seen.value().and_then(Value::as_array).cloned().unwrap_or_default()))
}

/// A request of the client.
pub(super) struct Request<'r> {
    pub(super) seen: Seen<'r>,
    fact: &'r Value,
}

impl Request<'_> {
    pub(super) fn text(&self, name: &str) -> &str {
        text(self.fact, name)
    }

    pub(super) fn is(&self, method: &str, path: &str) -> bool {
        self.text("method") == method && self.text("path") == path
    }

    pub(super) fn body(&self) -> Value {
        serde_json::from_str(self.text("body")).unwrap_or_default()
    }
}

/// Everything that the client asked; it has to be something.
pub(super) fn requests<'r>(view: &'r impl View) -> Result<Vec<Request<'r>>, Verdict> {
    let seen = view.labelled(ASKED).into_iter();
    let asked: Vec<Request<'_>> =
        seen.filter_map(|seen| Some(Request { seen, fact: seen.value()? })).collect();
    if asked.is_empty() {
        return Err(view.one(PRINTED)?.finding(super::happy_path::ASKS_NOTHING, "a read of the list").into());
    }
    Ok(asked)
}

/// The reads of the list among them; there has to be one.
pub(super) fn list_reads<'r>(view: &'r impl View) -> Result<Vec<Request<'r>>, Verdict> {
    let reads: Vec<Request<'_>> =
        requests(view)?.into_iter().filter(|request| request.is("GET", "/v1/harnesses")).collect();
    if reads.is_empty() {
        return Err(view.one(PRINTED)?.finding(super::happy_path::READS_NO_LIST, "GET /v1/harnesses").into());
    }
    Ok(reads)
}
