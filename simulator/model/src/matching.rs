//! Whether a request keeps conditions, and where it does not.

use std::fmt;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{
    request::{Asked, Message},
    script::{Conditions, HeaderCondition, JsonCondition, Texts},
};

/// The longest quotation of a request in a message, in characters.
const QUOTE_CHARS_MAX: usize = 80;

/// One condition that a request does not keep.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Difference {
    /// The field of the conditions: `user_contains`, `json`, …
    pub condition: String,
    /// What it asks for.
    pub expected: Value,
    /// What the request says instead, shortened, for people.
    pub got: String,
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { condition, expected, got } = self;
        write!(f, "{condition} {expected}: {got}")
    }
}

/// All conditions that the request does not keep; empty when it keeps them all.
pub(crate) fn differences(conditions: &Conditions, asked: &Asked) -> Vec<Difference> {
    let mut found = Vec::new();
    if conditions.is_empty() {
        return found;
    }
    let Asked { request, body, .. } = asked;
    let mut differ = |condition: &str, expected: Value, got: String| {
        found.push(Difference { condition: condition.to_owned(), expected, got });
    };
    for text in absent(&conditions.system_contains, |text| request.system.contains(text)) {
        differ("system_contains", text.into(), format!("the system text is {}", quoted(&request.system)));
    }
    let users = || request.messages.iter().filter(|message| message.role == "user");
    for text in absent(&conditions.user_contains, |text| users().any(|message| message.text.contains(text))) {
        differ("user_contains", text.into(), last_of(users().next_back(), "user message"));
    }
    let last_user = users().rfind(|message| !message.text.is_empty());
    let in_last_user = |text: &str| last_user.is_some_and(|last| last.text.contains(text));
    for text in absent(&conditions.last_user_contains, in_last_user) {
        differ("last_user_contains", text.into(), last_of(last_user, "user message"));
    }
    let last = request.messages.last();
    for text in absent(&conditions.last_contains, |text| last.is_some_and(|last| last.text.contains(text))) {
        differ("last_contains", text.into(), last_of(last, "message"));
    }
    if let Some(role) = conditions.last_role.filter(|role| last.is_none_or(|last| last.role != role.word())) {
        let got = last
            .map_or("there is no message".to_owned(), |last| format!("the last message is of {}", last.role));
        differ("last_role", role.word().into(), got);
    }
    for name in absent(&conditions.tool_offered, |name| request.tools.iter().any(|tool| tool.name == name)) {
        let names = request.tools.iter().map(|tool| tool.name.as_str());
        differ("tool_offered", name.into(), listed("the tools offered are", names));
    }
    let results = || request.news().iter().filter_map(|message| message.tool_call_id.as_deref());
    for id in absent(&conditions.tool_result_for, |id| results().any(|result| result == id)) {
        differ("tool_result_for", id.into(), listed("the newest tool results are for", results()));
    }
    let count = request.messages.iter().filter(|message| message.tool_call_id.is_some()).count();
    if let Some(wanted) = conditions.no_tool_results.filter(|wanted| *wanted != (count == 0)) {
        differ("no_tool_results", wanted.into(), format!("the request has {count} tool results"));
    }
    if let Some(model) = conditions.model.as_ref().filter(|model| **model != request.model) {
        differ("model", model.as_str().into(), format!("the model is {}", quoted(&request.model)));
    }
    let results = || request.news().iter().filter(|message| message.tool_call_id.is_some());
    for text in
        absent(&conditions.tool_result_contains, |text| results().any(|result| result.text.contains(text)))
    {
        differ(
            "tool_result_contains",
            text.into(),
            last_of(results().next_back(), "of the newest tool results"),
        );
    }
    if let Some(wire) = conditions.wire.filter(|wire| wire.word() != request.wire) {
        differ("wire", wire.word().into(), format!("the wire is {}", request.wire));
    }
    if let Some(stream) = conditions.stream.filter(|stream| *stream != request.stream) {
        let got = if request.stream { "a stream is asked for" } else { "no stream is asked for" };
        differ("stream", stream.into(), got.to_owned());
    }
    found.extend(conditions.header.iter().filter_map(|condition| header_difference(condition, asked)));
    found.extend(conditions.json.iter().filter_map(|condition| json_difference(condition, body)));
    found
}

fn header_difference(condition: &HeaderCondition, asked: &Asked) -> Option<Difference> {
    let HeaderCondition { name, equals, contains } = condition;
    let values: Vec<&str> = asked.headers.get(name).collect();
    let kept = |value: &&&str| {
        equals.as_ref().is_none_or(|whole| **value == whole)
            && contains.as_ref().is_none_or(|part| value.contains(part.as_str()))
    };
    if values.iter().any(|value| kept(&value)) {
        return None;
    }
    let got = if values.is_empty() {
        "there is none".to_owned()
    } else {
        format!("it is {}", quoted(&values.join(", ")))
    };
    let expected = serde_json::to_value(condition).unwrap_or_default();
    Some(Difference { condition: "header".to_owned(), expected, got })
}

fn absent(wanted: &Texts, has: impl Fn(&str) -> bool) -> impl Iterator<Item = &str> {
    wanted.0.iter().map(String::as_str).filter(move |text| !has(text))
}

fn json_difference(condition: &JsonCondition, body: &Value) -> Option<Difference> {
    let JsonCondition { pointer, equals, exists } = condition;
    let there = body.pointer(pointer);
    let kept = equals.as_ref().is_none_or(|wanted| there.is_some_and(|value| same(value, wanted)))
        && exists.is_none_or(|wanted| wanted == there.is_some());
    if kept {
        return None;
    }
    let got = match there {
        Some(value) => format!("there is {}", shortened(&value.to_string())),
        None => "there is nothing".to_owned(),
    };
    let expected = serde_json::to_value(condition).unwrap_or_default();
    Some(Difference { condition: "json".to_owned(), expected, got })
}

/// Equal as JSON, with `0` and `0.0` the same number.
pub(crate) fn same(left: &Value, right: &Value) -> bool {
    match (left, right) {
        (Value::Number(left), Value::Number(right)) => left == right || left.as_f64() == right.as_f64(),
        (Value::Array(left), Value::Array(right)) => {
            left.len() == right.len() && left.iter().zip(right).all(|(left, right)| same(left, right))
        }
        (Value::Object(left), Value::Object(right)) => {
            left.len() == right.len()
                && left.iter().all(|(key, left)| right.get(key).is_some_and(|right| same(left, right)))
        }
        (left, right) => left == right,
    }
}

fn last_of(message: Option<&Message>, what: &str) -> String {
    match message {
        Some(message) => format!("the last {what} is {}", quoted(&message.text)),
        None => format!("there is no {what}"),
    }
}

fn listed<'a>(lead: &str, names: impl Iterator<Item = &'a str>) -> String {
    let names: Vec<&str> = names.collect();
    if names.is_empty() { format!("{lead} none") } else { format!("{lead} {}", shortened(&names.join(", "))) }
}

/// A text in quotation marks, shortened.
fn quoted(text: &str) -> String {
    if text.is_empty() { "empty".to_owned() } else { format!("{:?}", shortened(text)) }
}

pub(crate) fn shortened(text: &str) -> String {
    match text.char_indices().nth(QUOTE_CHARS_MAX) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::{
        headers::Headers,
        request::{ModelRequest, OfferedTool},
        script::{Role, WireName},
    };

    fn message(role: &str, text: &str, result_for: Option<&str>) -> Message {
        let tool_call_id = result_for.map(str::to_owned);
        Message { role: role.into(), text: text.into(), tool_call_id, ..Message::default() }
    }

    fn request() -> ModelRequest {
        ModelRequest {
            wire: "chat".into(),
            stream: true,
            model: "gpt-x".into(),
            system: "You are terse.".into(),
            messages: vec![
                message("user", "extract both", None),
                message("assistant", "", None),
                message("tool", "old result", Some("call_0")),
                message("assistant", "", None),
                message("tool", "first", Some("call_1")),
                message("tool", "second", Some("call_2")),
                message("user", "hurry", None),
            ],
            tools: vec![OfferedTool { name: "extract".into(), ..OfferedTool::default() }],
            ..ModelRequest::default()
        }
    }

    fn told(conditions: Conditions) -> Vec<String> {
        let body = json!({"temperature": 0.0, "stop": null, "a": {"b": [1]}});
        let mut map = http::HeaderMap::new();
        map.insert("anthropic-beta", http::HeaderValue::from_static("one,two"));
        let asked = Asked { request: request(), body, headers: Headers::of(&map), complaints: Vec::new() };
        differences(&conditions, &asked).iter().map(Difference::to_string).collect()
    }

    #[test]
    fn conditions_that_hold_leave_no_difference() {
        let all = Conditions::new()
            .system_contains("terse")
            .user_contains("both")
            .user_contains("hurry")
            .last_user_contains("hurry")
            .last_contains("hurry")
            .last_role(Role::User)
            .tool_offered("extract")
            .tool_result_for("call_1")
            .tool_result_for("call_2")
            .model("gpt-x")
            .json_equals("/temperature", 0)
            .json_equals("/stop", Value::Null)
            .json_equals("/a", json!({"b": [1.0]}))
            .json_exists("/stop", true)
            .json_exists("/seed", false)
            .tool_result_contains("second")
            .wire(WireName::Chat)
            .stream(true)
            .header_equals("Anthropic-Beta", "one,two")
            .header_contains("anthropic-beta", "two");
        assert_eq!(told(all), [""; 0]);
    }

    #[test]
    fn each_condition_that_fails_says_what_it_found() {
        let none = Conditions::new()
            .system_contains("kind")
            .user_contains("first")
            .last_user_contains("both")
            .last_contains("second")
            .last_role(Role::Tool)
            .tool_offered("read")
            .tool_result_for("call_0")
            .no_tool_results()
            .model("gpt-y")
            .json_equals("/temperature", 1)
            .json_equals("/seed", Value::Null)
            .json_exists("/stop", false)
            .tool_result_contains("old")
            .wire(WireName::Messages)
            .stream(false)
            .header_equals("anthropic-beta", "two")
            .header_contains("x-other", "a");
        let expected = [
            r#"system_contains "kind": the system text is "You are terse.""#,
            r#"user_contains "first": the last user message is "hurry""#,
            r#"last_user_contains "both": the last user message is "hurry""#,
            r#"last_contains "second": the last message is "hurry""#,
            r#"last_role "tool": the last message is of user"#,
            r#"tool_offered "read": the tools offered are extract"#,
            r#"tool_result_for "call_0": the newest tool results are for call_1, call_2"#,
            "no_tool_results true: the request has 3 tool results",
            r#"model "gpt-y": the model is "gpt-x""#,
            r#"tool_result_contains "old": the last of the newest tool results is "second""#,
            r#"wire "messages": the wire is chat"#,
            "stream false: a stream is asked for",
            r#"header {"equals":"two","name":"anthropic-beta"}: it is "one,two""#,
            r#"header {"contains":"a","name":"x-other"}: there is none"#,
            r#"json {"equals":1,"pointer":"/temperature"}: there is 0.0"#,
            r#"json {"equals":null,"pointer":"/seed"}: there is nothing"#,
            r#"json {"exists":false,"pointer":"/stop"}: there is null"#,
        ];
        assert_eq!(told(none), expected);
    }
}
