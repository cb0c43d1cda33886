//! `match`: what a request has to say.

use serde_json::Value;

use crate::{
    import::{
        rule::Rule,
        source::{At, Source},
    },
    naming::{CallIds, slug},
    script::Conditions,
};

/// What the header is called by which aimock tells contexts apart.
const CONTEXT: &str = "x-aimock-context";

pub(super) fn read(conditions: &At<'_>, rule: &mut Rule, ids: &mut CallIds, source: &mut Source) {
    for (field, at) in conditions.fields(source) {
        let when = std::mem::take(&mut rule.when);
        rule.when = match field {
            "userMessage" | "systemMessage" | "toolCallId" | "toolResultContains" | "toolName" | "model"
            | "context" | "responseFormat" => {
                let Some(texts) = texts(&at, rule, source) else {
                    rule.when = when;
                    continue;
                };
                texts.into_iter().fold(when, |when, text| said(when, field, text, &at, ids, source))
            }
            "hasToolResult" => tool_results(when, &at, source),
            "turnIndex" => {
                rule.turn = at.number(source);
                let message = "`turnIndex` counts what the model said before; here the turns answer once each, in this order";
                source.note_once("turnIndex", at.pointer, message);
                when
            }
            "sequenceIndex" => {
                rule.sequence = at.number(source);
                rule.counts_retries = true;
                when
            }
            "endpoint" => when,
            _ => {
                rule.widened = true;
                source.note(at.pointer, format!("the condition `{field}` has no equivalent and is left out"));
                when
            }
        };
    }
    rule.name = name(conditions);
}

/// A text or a list of texts. Anything else is a pattern of some kind, which has no equivalent.
fn texts<'a>(at: &At<'a>, rule: &mut Rule, source: &mut Source) -> Option<Vec<&'a str>> {
    match at.value {
        // The empty text stands in every text.
        Value::String(text) => {
            Some(Some(text.as_str()).filter(|text| !text.is_empty()).into_iter().collect())
        }
        Value::Array(_) => Some(
            at.items(source)
                .iter()
                .filter_map(|item| item.text(source))
                .filter(|text| !text.is_empty())
                .collect(),
        ),
        _ => {
            rule.widened = true;
            let message =
                "only texts can be looked for, no patterns and no functions; the condition is left out";
            source.note(&at.pointer, message);
            None
        }
    }
}

fn said(
    when: Conditions,
    field: &str,
    text: &str,
    at: &At<'_>,
    ids: &mut CallIds,
    source: &mut Source,
) -> Conditions {
    match field {
        "userMessage" => {
            if let Some(pattern) = pattern(text) {
                let message =
                    format!("the text looks like the pattern {pattern}; it is looked for as it stands");
                source.note(&at.pointer, message);
            }
            when.last_user_contains(text)
        }
        "systemMessage" => when.system_contains(text),
        "toolCallId" => when.tool_result_for(ids.of(text)),
        "toolResultContains" => when.tool_result_contains(text),
        "toolName" => when.tool_offered(text),
        "context" => when.header_equals(CONTEXT, text),
        "model" => {
            let message = "a `model` also stands for its dated versions there; here it is the whole name";
            source.note_once("model", &at.pointer, message);
            when.model(text)
        }
        _ => {
            let message =
                "`responseFormat` is looked for at `response_format.type`, as Chat Completions say it";
            source.note_once("responseFormat", &at.pointer, message);
            when.json_equals("/response_format/type", text)
        }
    }
}

/// A text between slashes.
fn pattern(text: &str) -> Option<&str> {
    let inner = text.strip_prefix('/')?;
    let end = inner.rfind('/')?;
    let flags = &inner[end + 1..];
    (end > 0 && flags.chars().all(|flag| flag.is_ascii_lowercase()) && flags.len() <= 3).then_some(text)
}

fn tool_results(when: Conditions, at: &At<'_>, source: &mut Source) -> Conditions {
    let message =
        "`hasToolResult` looks at what follows the last user message; here the whole request is looked at";
    source.note_once("hasToolResult", &at.pointer, message);
    match at.flag(source) {
        Some(true) => when.has_tool_results(),
        Some(false) => when.no_tool_results(),
        None => when,
    }
}

/// What a turn with these conditions may be called.
fn name(conditions: &At<'_>) -> String {
    let text = |field: &str| conditions.get(field).and_then(|at| at.value.as_str().map(str::to_owned));
    let after = text("toolCallId").or_else(|| text("toolResultContains")).map(|what| format!("after {what}"));
    let name = after.or_else(|| text("userMessage")).or_else(|| text("toolName")).or_else(|| text("model"));
    slug(&name.unwrap_or_default(), "any")
}
