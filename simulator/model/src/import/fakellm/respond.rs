//! `respond`: what is answered.

use serde_json::Value;

use crate::{
    arguments::written,
    import::{
        rule::Rule,
        source::{At, Source},
    },
    naming::CallIds,
    script::{Answer, ErrorStatus, Fault, ToolCall, suggest},
};

/// What fakellm calls every error of its own.
const ERROR_TYPE: &str = "mock_error";
/// What fakellm says that is told to say nothing, as far as it can be said beforehand.
const ECHO: &str = "[mock response for {{ model }}]";
/// What fakellm can be told to answer.
const FIELDS: [&str; 4] = ["content", "tool_calls", "status", "error"];

/// What fakellm can be told about a call.
const CALL_FIELDS: [&str; 3] = ["id", "name", "arguments"];

pub(super) fn read(respond: &At<'_>, rule: &mut Rule, source: &mut Source) {
    if respond.mapping(source).is_none() {
        return;
    }
    for (field, at) in respond.fields(source) {
        if !FIELDS.contains(&field) {
            let fix = suggest(field, &FIELDS);
            source
                .note(at.pointer, format!("fakellm has no `{field}` in an answer and passes it over; {fix}"));
        }
    }
    if let Some(status) = error(respond, source) {
        rule.answer = Answer::new().text("");
        rule.faults.push(Fault { status: Some(status), ..Fault::default() });
        return;
    }
    if let Some(at) = respond.get("error") {
        source.note(
            at.pointer,
            "`error` counts only beside a `status` of 400 or more, and fakellm passes it over",
        );
    }
    let calls = respond.get("tool_calls").map(|at| at.items(source)).unwrap_or_default();
    let mut ids = CallIds::default();
    let calls: Vec<ToolCall> = calls.iter().filter_map(|at| call(at, &mut ids, source)).collect();
    let content = respond.get("content").and_then(|at| at.as_text(source));
    rule.answer = match content {
        Some(text) => Answer::new().text(text),
        None if calls.is_empty() => {
            let message =
                "without `content` fakellm makes up a text from the request; here it names the model";
            source.note_once("echo", &respond.pointer, message);
            Answer::new().text(ECHO).template()
        }
        None => Answer::new(),
    };
    rule.answer.tool_calls = calls;
}

/// The error that is answered, when it is one.
fn error(respond: &At<'_>, source: &mut Source) -> Option<ErrorStatus> {
    let at = respond.get("status")?;
    let code = at.count(source)?;
    let Some(code) = u16::try_from(code).ok().filter(|code| *code < 600) else {
        source.wrong(&at.pointer, format!("{code} is no status"), "give one from 400 to 599");
        return None;
    };
    if code < 400 {
        if code != 200 {
            source.note(
                &at.pointer,
                format!("fakellm answers with 200 for the status {code}, and so does the script"),
            );
        }
        return None;
    }
    let message = respond.get("error").and_then(|at| at.as_text(source));
    for name in ["content", "tool_calls"] {
        if let Some(at) = respond.get(name) {
            source.note(at.pointer, format!("`{name}` beside an error is never said"));
        }
    }
    Some(ErrorStatus {
        message: Some(message.unwrap_or_else(|| "Mock error".to_owned())),
        kind: Some(ERROR_TYPE.to_owned()),
        ..ErrorStatus::from(code)
    })
}

fn call(at: &At<'_>, ids: &mut CallIds, source: &mut Source) -> Option<ToolCall> {
    at.mapping(source)?;
    for (field, at) in at.fields(source) {
        if !CALL_FIELDS.contains(&field) {
            let fix = suggest(field, &CALL_FIELDS);
            source.note(at.pointer, format!("fakellm has no `{field}` in a call and passes it over; {fix}"));
        }
    }
    let name = at.get("name").and_then(|name| name.as_text(source)).filter(|name| !name.is_empty());
    let Some(name) = name else {
        source.wrong(&at.pointer, "the call names no tool", "give its `name`");
        return None;
    };
    let id = at.get("id").and_then(|id| id.as_text(source)).map(|id| ids.another(&id));
    let (arguments, arguments_text) = match at.get("arguments").map(|at| at.value) {
        None => (None, None),
        Some(value @ Value::Object(_)) => (Some(value.clone()), None),
        Some(Value::String(text)) => written(text),
        Some(other) => (None, Some(other.to_string())),
    };
    Some(ToolCall { id, name, arguments, arguments_text })
}
