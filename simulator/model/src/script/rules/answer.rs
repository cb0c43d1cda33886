//! Rules about what is answered.

use std::collections::BTreeSet;

use serde_json::Value;

use super::{Findings, token};
use crate::script::{Answer, Block, ToolCall, template};

/// `turn` is what the turn is called in the ids of its calls.
pub(super) fn answer(answer: &Answer, turn: &str, at: &str, findings: &mut Findings) {
    let single = [
        ("thinking", answer.thinking.is_some()),
        ("text", answer.text.is_some()),
        ("refusal", answer.refusal.is_some()),
        ("tool_calls", !answer.tool_calls.is_empty()),
    ];
    let given: Vec<&str> = single.iter().filter(|(_, given)| *given).map(|(name, _)| *name).collect();
    if given.is_empty() && answer.blocks.is_empty() && answer.structured.is_none() {
        findings.add(
            at.to_owned(),
            "the answer says nothing",
            "give `text` (\"\" will do), `tool_calls`, `refusal`, `blocks` or `structured`",
        );
    }
    if !answer.blocks.is_empty() && !given.is_empty() {
        let message = format!("`{}` stands beside `blocks`", given[0]);
        findings.add(format!("{at}/{}", given[0]), message, "make it one of the blocks");
    }
    calls(answer, turn, at, findings);
    if answer.template {
        templates(answer, at, findings);
    }
}

/// The tool calls of an answer, each with its place in the script.
fn located<'a>(answer: &'a Answer, at: &str) -> Vec<(String, &'a ToolCall)> {
    let single = answer.tool_calls.iter().enumerate();
    let blocks = answer.blocks.iter().enumerate().filter_map(|(index, block)| match block {
        Block::ToolCall(call) => Some((format!("{at}/blocks/{index}/tool_call"), call)),
        _ => None,
    });
    single.map(|(index, call)| (format!("{at}/tool_calls/{index}"), call)).chain(blocks).collect()
}

fn calls(answer: &Answer, turn: &str, at: &str, findings: &mut Findings) {
    let mut ids = BTreeSet::new();
    for (place, (at, call)) in located(answer, at).into_iter().enumerate() {
        tool_call(call, &at, findings);
        let id = call.wire_id(turn, place);
        if !ids.insert(id.clone()) {
            let fix = "give each call an id of its own; the fault `duplicate_call_id` sends one id twice";
            findings.add(format!("{at}/id"), format!("call id `{id}` is taken in this turn"), fix);
        }
    }
}

fn tool_call(call: &ToolCall, at: &str, findings: &mut Findings) {
    if call.name.is_empty() {
        findings.add(format!("{at}/name"), "the tool has no name", "give one");
    }
    if call.id.as_ref().is_some_and(String::is_empty) {
        findings.add(format!("{at}/id"), "the call id is empty", "leave it out to get one");
    }
    match (&call.arguments, &call.arguments_text) {
        (Some(_), Some(_)) => {
            let pointer = format!("{at}/arguments_text");
            findings.add(pointer, "the arguments are given twice", "keep `arguments` or `arguments_text`");
        }
        (Some(arguments), None) if !arguments.is_object() => {
            let fix = "for anything else, write it raw as `arguments_text`";
            findings.add(format!("{at}/arguments"), "the arguments are no JSON object", fix);
        }
        _ => {}
    }
}

fn templates(answer: &Answer, at: &str, findings: &mut Findings) {
    let mut check = |at: String, text: &str| {
        if let Err(error) = template::check(text) {
            let fix = "mend it, or leave `template` out to say it as it stands";
            findings.add(at, format!("the template is broken: {error}"), fix);
        }
    };
    let mut texts = Vec::new();
    let single = answer.thinking.as_ref().map(|thinking| ("thinking", thinking.text.as_str()));
    let others = [("text", &answer.text), ("refusal", &answer.refusal)];
    let others = others.into_iter().filter_map(|(name, text)| Some((name, text.as_deref()?)));
    texts.extend(single.into_iter().chain(others).map(|(name, text)| (format!("{at}/{name}"), text)));
    for (index, block) in answer.blocks.iter().enumerate() {
        let at = format!("{at}/blocks/{index}");
        match block {
            Block::Text(text) => texts.push((format!("{at}/text"), text)),
            Block::Refusal(text) => texts.push((format!("{at}/refusal"), text)),
            Block::Thinking(thinking) => texts.push((format!("{at}/thinking"), &thinking.text)),
            Block::ToolCall(_) => {}
        }
    }
    for (at, text) in texts {
        check(at, text);
    }
    for (at, call) in located(answer, at) {
        check(format!("{at}/name"), &call.name);
        if let Some(text) = &call.arguments_text {
            check(format!("{at}/arguments_text"), text);
        }
        if let Some(arguments) = &call.arguments {
            leaves(arguments, &format!("{at}/arguments"), &mut check);
        }
    }
    if let Some(value) = &answer.structured {
        leaves(value, &format!("{at}/structured"), &mut check);
    }
}

/// Every string of a value, with its place.
fn leaves(value: &Value, at: &str, check: &mut impl FnMut(String, &str)) {
    match value {
        Value::String(text) => check(at.to_owned(), text),
        Value::Array(items) => {
            for (index, item) in items.iter().enumerate() {
                leaves(item, &format!("{at}/{index}"), check);
            }
        }
        Value::Object(fields) => {
            for (name, value) in fields {
                leaves(value, &format!("{at}/{}", token(name)), check);
            }
        }
        _ => {}
    }
}
