//! `when`: what a request has to say.

use crate::{
    import::{
        rule::Rule,
        source::{At, Source},
    },
    script::{Conditions, suggest},
};

/// What stands before the name of a header.
const HEADER: &str = "header.";
/// The conditions of fakellm.
const CONDITIONS: [&str; 8] = [
    "messages_contain",
    "model_matches",
    "tools_include",
    "turn",
    "turn_in",
    "previous_message_role",
    "previous_message_contains",
    "tool_result_contains",
];

pub(super) fn read(conditions: &At<'_>, rule: &mut Rule, source: &mut Source) {
    for (field, at) in conditions.fields(source) {
        let when = std::mem::take(&mut rule.when);
        rule.when = match field {
            "messages_contain" => {
                let message = "fakellm looks in every message, whatever the case; here the user messages are looked at, as they are written";
                source.note_once("messages_contain", &at.pointer, message);
                with_text(when, &at, source, Conditions::user_contains)
            }
            "tool_result_contains" => {
                let message = "fakellm looks in every tool result so far, whatever the case; here the newest are looked at, as they are written";
                source.note_once("tool_result_contains", &at.pointer, message);
                with_text(when, &at, source, Conditions::tool_result_contains)
            }
            "tools_include" => with_text(when, &at, source, Conditions::tool_offered),
            "model_matches" => model(when, &at, rule, source),
            "turn" => {
                rule.turn = at.number(source);
                rule.counts_retries = true;
                let message = "`turn` counts the requests of a conversation; here the turns answer once each, in this order";
                source.note_once("turn", &at.pointer, message);
                when
            }
            _ => match field.strip_prefix(HEADER) {
                Some(name) => match at.as_text(source) {
                    Some(value) => when.header_equals(name.to_ascii_lowercase(), value),
                    None => when,
                },
                None => {
                    lost(field, &at, rule, source);
                    when
                }
            },
        };
    }
}

fn with_text(
    when: Conditions,
    at: &At<'_>,
    source: &mut Source,
    add: impl Fn(Conditions, String) -> Conditions,
) -> Conditions {
    match at.as_text(source) {
        // The empty text stands in every text.
        Some(text) if !text.is_empty() => add(when, text),
        _ => when,
    }
}

fn model(when: Conditions, at: &At<'_>, rule: &mut Rule, source: &mut Source) -> Conditions {
    match at.as_text(source) {
        Some(name) if name.chars().all(|letter| letter == '*') => when,
        Some(name) if name.contains('*') => {
            rule.widened = true;
            let message = format!(
                "`{name}` stands for many models, and there is no such pattern here; the condition is left out"
            );
            source.note(&at.pointer, message);
            when
        }
        Some(name) => when.model(name),
        None => when,
    }
}

/// A condition that is lost. One that fakellm itself passes over makes no difference.
fn lost(field: &str, at: &At<'_>, rule: &mut Rule, source: &mut Source) {
    if CONDITIONS.contains(&field) {
        rule.widened = true;
        source.note(&at.pointer, format!("the condition `{field}` has no equivalent and is left out"));
    } else {
        let fix = suggest(field, &CONDITIONS);
        source.note(&at.pointer, format!("fakellm has no condition `{field}` and passes it over; {fix}"));
    }
}
