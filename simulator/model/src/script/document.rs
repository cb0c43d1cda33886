//! A script, and how it is read and built.

use std::path::Path;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{Problem, ScriptError, Turn, error::suggest, places::Places, rules};

/// The version of the script format that this build reads and writes.
pub const FORMAT_VERSION: u32 = 1;

/// A script that keeps the rules of the format: whoever holds one need not check it again.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(transparent)]
pub struct Script(Draft);

/// A script whose fields have the right types, and no more is known.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Draft {
    pub(crate) script: u32,
    pub(crate) name: String,
    pub(crate) turns: Vec<Turn>,
}

impl Script {
    /// A script of these turns. The errors are those of a file, without line and column.
    pub fn new(name: impl Into<String>, turns: impl IntoIterator<Item = Turn>) -> Result<Self, ScriptError> {
        let draft = Draft { script: FORMAT_VERSION, name: name.into(), turns: turns.into_iter().collect() };
        Self::checked(draft, "script", None)
    }

    /// Reads a YAML or JSON file.
    pub fn from_path(path: impl AsRef<Path>) -> Result<Self, ScriptError> {
        let path = path.as_ref();
        let name = path.display().to_string();
        match std::fs::read_to_string(path) {
            Ok(text) => Self::from_yaml(&name, &text),
            Err(error) => Err(problem(name, None, String::new(), format!("cannot be read: {error}"), None)),
        }
    }

    /// Reads YAML, of which JSON is a part. `name` stands for the file in errors.
    pub fn from_yaml(name: &str, text: &str) -> Result<Self, ScriptError> {
        match serde_saphyr::from_str_with_options::<Draft>(text, reading()) {
            Ok(draft) => Self::checked(draft, name, Some(text)),
            Err(error) => Err(unreadable(name, text, &error)),
        }
    }

    /// Reads a JSON value. Errors point into it by JSON Pointer.
    pub fn from_json(value: &Value) -> Result<Self, ScriptError> {
        match Draft::deserialize(value) {
            Ok(draft) => Self::checked(draft, "script", None),
            // serde's own error knows no place, so the same value is read once more as a text.
            Err(error) => {
                let text = format!("{value:#}");
                let told = Self::from_yaml("script", &text).err();
                let untold = || problem("script".into(), None, String::new(), error.to_string(), None);
                let mut error = told.unwrap_or_else(untold);
                for problem in &mut error.problems {
                    problem.position = None;
                }
                Err(error)
            }
        }
    }

    /// The script as JSON; [`Script::from_json`] gives it back.
    pub fn to_json(&self) -> Value {
        serde_json::to_value(self).unwrap_or_default()
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.0.name
    }

    /// Its turns, in order.
    pub fn turns(&self) -> &[Turn] {
        &self.0.turns
    }

    fn checked(draft: Draft, file: &str, text: Option<&str>) -> Result<Self, ScriptError> {
        let faults = rules::faults(&draft);
        if faults.is_empty() {
            return Ok(Self(draft));
        }
        let places = text.map(Places::of);
        let mut problems: Vec<Problem> = faults
            .into_iter()
            .map(|fault| Problem {
                file: file.to_owned(),
                position: places
                    .as_ref()
                    .and_then(|places| places.find(&fault.pointer))
                    .map(|place| (place.line, place.column)),
                pointer: fault.pointer,
                message: fault.message,
                fix: fault.fix,
            })
            .collect();
        problems.sort_by_key(|problem| problem.position);
        Err(ScriptError { problems })
    }
}

/// How script texts are read: what YAML 1.1 would guess (`no` as false, `007` as 7) stays a text, and
/// a number where a text belongs is an error, so that a YAML file and its JSON twin mean the same.
pub(crate) fn reading() -> serde_saphyr::Options {
    serde_saphyr::options! {
        strict_booleans: true,
        leading_zero_numbers_as_strings: true,
        underscored_numbers_as_strings: true,
        no_schema: true,
        with_snippet: false,
    }
}

fn unreadable(file: &str, text: &str, error: &serde_saphyr::Error) -> ScriptError {
    let mut position = error.location().map(|location| (location.line(), location.column()));
    let mut pointer = String::new();
    if let Some((line, column)) = position {
        let places = Places::of(text);
        let lacks = matches!(error.without_snippet(), serde_saphyr::Error::SerdeMissingField { .. });
        let place = if lacks { places.lacking(line, column) } else { places.at(line, column) };
        pointer = place.map(|place| place.pointer.clone()).unwrap_or_default();
        position = place.filter(|_| lacks).map(|place| (place.line, place.column)).or(position);
    }
    let (message, fix) = explain(error);
    problem(file.to_owned(), position, pointer, message, fix)
}

/// The reader's errors in the words of this format.
fn explain(error: &serde_saphyr::Error) -> (String, Option<String>) {
    use serde_saphyr::Error as E;
    match error.without_snippet() {
        E::SerdeUnknownField { field, expected, .. } => {
            (format!("unknown field `{field}`"), Some(suggest(field, expected)))
        }
        E::SerdeUnknownVariant { variant, expected, .. } => {
            (format!("unknown value `{variant}`"), Some(suggest(variant, expected)))
        }
        E::SerdeMissingField { field, .. } => (format!("field `{field}` is missing"), None),
        E::SerdeInvalidType { unexpected, expected, .. }
        | E::SerdeInvalidValue { unexpected, expected, .. } => {
            (format!("{unexpected} stands where {expected} belongs"), None)
        }
        E::Unexpected { expected: "mapping start", .. } => ("a mapping belongs here".to_owned(), None),
        E::Unexpected { expected: "sequence start", .. } => ("a list belongs here".to_owned(), None),
        E::Unexpected { expected: "string scalar", .. } => ("a text belongs here".to_owned(), None),
        E::InvalidScalar { .. } => ("a whole number, 0 or more, belongs here".to_owned(), None),
        E::InvalidBooleanStrict { .. } => ("`true` or `false` belongs here".to_owned(), None),
        E::QuotingRequired { value, .. } => {
            (format!("`{value}` is no text"), Some(format!("write \"{value}\"")))
        }
        E::DuplicateMappingKey { key: Some(key), .. } => (format!("field `{key}` is given twice"), None),
        E::MultipleDocuments { .. } => ("a second document begins".to_owned(), Some("keep one".to_owned())),
        E::Eof { .. } => ("the text ends before the script does".to_owned(), None),
        E::AliasError { error, .. } => explain(error),
        other => {
            // The place is told apart from the message.
            let text = other.to_string();
            let end = text.rfind(" at line ").unwrap_or(text.len());
            (text[..end].to_owned(), None)
        }
    }
}

fn problem(
    file: String,
    position: Option<(u64, u64)>,
    pointer: String,
    message: String,
    fix: Option<String>,
) -> ScriptError {
    ScriptError { problems: vec![Problem { file, position, pointer, message, fix }] }
}
