//! Fixture files of aimock.

mod answer;
mod conditions;
mod pace;

use serde_json::Value;

use super::{
    ImportError, Imported,
    rule::{Rule, script_of},
    source::{At, Source},
};
use crate::naming::CallIds;

/// Fields of a fixture that are read elsewhere, or say nothing about the answer.
const FIXTURE_FIELDS: [&str; 11] = [
    "match",
    "response",
    "latency",
    "chunkSize",
    "truncateAfterChunks",
    "disconnectAfterMs",
    "streamingProfile",
    "recordedTimings",
    "replaySpeed",
    "chaos",
    "metadata",
];

/// Reads a fixture file of aimock: `{"fixtures": [{"match": …, "response": …}]}`. `name` stands for the file in
/// errors and notes, and the script is called like it.
///
/// A fixture becomes a turn that repeats; one with `sequenceIndex` or `turnIndex` a turn that answers once, in the
/// order of these numbers. Fixtures for anything but conversations are left out, with a note.
pub fn aimock(text: &str, name: &str) -> Result<Imported, ImportError> {
    let (mut source, value) = Source::read(text, name)?;
    let root = At::root(&value);
    let Some(fixtures) = root.get("fixtures") else {
        let fix = "give a fixture file of aimock, which is {\"fixtures\": [{\"match\": …, \"response\": …}]}";
        return Err(ImportError::one(name, "there is no list `fixtures`", fix));
    };
    for (field, at) in root.fields(&mut source) {
        if field != "fixtures" {
            source.note(at.pointer, format!("`{field}` is no part of a script"));
        }
    }
    let mut ids = CallIds::default();
    let items = fixtures.items(&mut source);
    let mut rules = Vec::new();
    for fixture in &items {
        rules.extend(rule(fixture, &mut ids, &mut source));
    }
    script_of(rules, source, name)
}

/// One fixture; `None` when it is for something else than a conversation, or wrong.
fn rule(fixture: &At<'_>, ids: &mut CallIds, source: &mut Source) -> Option<Rule> {
    fixture.mapping(source)?;
    let (Some(conditions), Some(response)) = (fixture.get("match"), fixture.get("response")) else {
        let missing = if fixture.get("match").is_none() { "match" } else { "response" };
        let fix = if missing == "match" {
            "`{}` matches every request"
        } else {
            "`{\"content\": \"\"}` says nothing"
        };
        source.wrong(&fixture.pointer, format!("field `{missing}` is missing"), fix);
        return None;
    };
    if let Some(what) = something_else(&conditions, &response) {
        source.note(
            &fixture.pointer,
            format!("the fixture is for {what}, which this server does not speak; it is left out"),
        );
        return None;
    }
    let mut rule = Rule { pointer: fixture.pointer.clone(), alike: alike(&conditions), ..Rule::default() };
    conditions::read(&conditions, &mut rule, ids, source);
    answer::read(&response, &mut rule, ids, source);
    pace::read(fixture, &mut rule, source);
    for (field, at) in fixture.fields(source) {
        if !FIXTURE_FIELDS.contains(&field) && !field.starts_with('_') {
            source.note(at.pointer, format!("`{field}` has no equivalent"));
        }
    }
    Some(rule)
}

/// What a fixture is for that is no conversation.
fn something_else(conditions: &At<'_>, response: &At<'_>) -> Option<String> {
    let endpoint = conditions.get("endpoint").and_then(|at| at.value.as_str());
    if let Some(endpoint) = endpoint.filter(|endpoint| *endpoint != "chat") {
        return Some(format!("the endpoint `{endpoint}`"));
    }
    let other = |name: &&&str| response.get(name).is_some();
    let others = ["embedding", "image", "images", "audio", "transcription", "video", "json", "live"];
    if let Some(field) = others.iter().find(other) {
        return Some(format!("answers with `{field}`"));
    }
    conditions.get("inputText").map(|_| "embeddings (`inputText`)".to_owned())
}

/// What fixtures have in common that count requests together.
fn alike(conditions: &At<'_>) -> String {
    let mut rest = conditions.value.clone();
    if let Value::Object(fields) = &mut rest {
        fields.remove("sequenceIndex");
    }
    rest.to_string()
}
