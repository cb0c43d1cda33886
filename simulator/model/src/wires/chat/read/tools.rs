//! Tools as requests offer and choose them.

use serde_json::{Map, Value};

use super::text;
use crate::{
    rejection::Rejection,
    request::{OfferedTool, ToolChoice},
    wires::complaint::{missing, wrong_type, wrong_word},
};

/// The types of tools. Each tells what it is in a field that is called like its type.
const TYPES: &[&str] = &["function", "custom"];
/// The words that choose.
const CHOICES: &[&str] = &["none", "auto", "required"];
/// The types of objects that choose.
const CHOICE_TYPES: &[&str] = &["function", "custom", "allowed_tools"];
/// How free the model is among the tools that it is allowed.
const MODES: &[&str] = &["auto", "required"];
/// The most letters that the name of a function has.
const NAME_MAX: usize = 64;

/// The functions among the tools. A script does not answer with the others.
pub(super) fn offered(tools: Option<&Value>) -> Vec<OfferedTool> {
    let tools = tools.and_then(Value::as_array);
    let functions =
        tools.into_iter().flatten().map(|tool| &tool["function"]).filter(|function| function.is_object());
    functions
        .map(|function| OfferedTool {
            name: text(&function["name"]),
            description: text(&function["description"]),
            parameters: function["parameters"].clone(),
        })
        .collect()
}

/// Which tool is to be called.
pub(super) fn choice(choice: Option<&Value>) -> ToolChoice {
    match choice {
        Some(Value::String(word)) if word == "none" => ToolChoice::None,
        Some(Value::String(word)) if word == "required" => ToolChoice::Required,
        Some(choice @ Value::Object(_)) if choice["type"] == "allowed_tools" => {
            let allowed = &choice["allowed_tools"];
            if allowed["mode"] != "required" {
                return ToolChoice::Auto;
            }
            match allowed["tools"].as_array().map(Vec::as_slice) {
                Some([only]) if only["function"]["name"].is_string() => {
                    ToolChoice::Named(text(&only["function"]["name"]))
                }
                _ => ToolChoice::Required,
            }
        }
        Some(choice @ Value::Object(_)) => match choice.get("function") {
            Some(function) => ToolChoice::Named(text(&function["name"])),
            None => ToolChoice::Auto,
        },
        _ => ToolChoice::Auto,
    }
}

/// Complains about tools that are none, and about a choice of what is not there.
pub(super) fn complain(fields: &Map<String, Value>, complaints: &mut Vec<Rejection>) {
    let tools = fields.get("tools").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    if fields.get("tools").and_then(Value::as_array).is_some_and(Vec::is_empty) {
        let message = "[] is too short - 'tools': give at least one tool, or leave `tools` out";
        complaints.push(Rejection::invalid("tools", Some("empty_array"), message));
    }
    for (index, tool) in tools.iter().enumerate() {
        complaints.extend(wrong_tool(tool, &format!("tools[{index}]")));
    }
    match fields.get("tool_choice") {
        Some(Value::String(word)) => complaints.extend(wrong_choice_word(word, tools)),
        Some(choice @ Value::Object(_)) => complaints.extend(wrong_choice(choice, tools)),
        // Nothing is chosen, or something that is neither and has its complaint already.
        _ => {}
    }
}

fn wrong_tool(tool: &Value, at: &str) -> Option<Rejection> {
    let kind = match typed(tool, at, TYPES) {
        Ok(kind) => kind,
        Err(wrong) => return Some(wrong),
    };
    let at = format!("{at}.{kind}");
    let name = match named(&tool[kind], &at) {
        Ok(name) => name,
        Err(wrong) => return Some(wrong),
    };
    let allowed = |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '_' | '-');
    let param = format!("{at}.name");
    let invalid = |code, wanted: &str| {
        Some(Rejection::invalid(&param, Some(code), format!("`{param}` is `{name}` and must {wanted}")))
    };
    if name.is_empty() {
        return invalid("empty_string", "not be empty");
    }
    if !name.chars().all(allowed) {
        return invalid("invalid_value", "match the pattern ^[a-zA-Z0-9_-]+$");
    }
    if name.len() > NAME_MAX {
        return invalid("string_above_max_length", "have at most 64 letters");
    }
    let parameters = &tool[kind]["parameters"];
    let wrong = kind == "function" && !parameters.is_null() && !parameters.is_object();
    wrong.then(|| wrong_type(&format!("{at}.parameters"), "an object", parameters))
}

/// The type of an object, which is one of these.
fn typed<'a>(object: &'a Value, at: &str, types: &[&str]) -> Result<&'a str, Rejection> {
    if !object.is_object() {
        return Err(wrong_type(at, "an object", object));
    }
    let at = format!("{at}.type");
    match &object["type"] {
        Value::Null => Err(missing(&at)),
        Value::String(kind) if types.contains(&kind.as_str()) => Ok(kind),
        Value::String(kind) => Err(wrong_word(&at, kind, types)),
        kind => Err(wrong_type(&at, "a string", kind)),
    }
}

/// The name in the object that stands at `at`.
fn named<'a>(object: &'a Value, at: &str) -> Result<&'a str, Rejection> {
    match object {
        Value::Null => Err(missing(at)),
        Value::Object(_) if object["name"].is_null() => Err(missing(&format!("{at}.name"))),
        Value::Object(_) => object["name"]
            .as_str()
            .ok_or_else(|| wrong_type(&format!("{at}.name"), "a string", &object["name"])),
        _ => Err(wrong_type(at, "an object", object)),
    }
}

fn wrong_choice_word(word: &str, tools: &[Value]) -> Option<Rejection> {
    if !CHOICES.contains(&word) {
        return Some(wrong_word("tool_choice", word, CHOICES));
    }
    (word == "required" && tools.is_empty()).then(without_tools)
}

fn wrong_choice(choice: &Value, tools: &[Value]) -> Option<Rejection> {
    let kind = match typed(choice, "tool_choice", CHOICE_TYPES) {
        Ok(kind) => kind,
        Err(wrong) => return Some(wrong),
    };
    if kind != "allowed_tools" {
        return wrong_name(choice, kind, "tool_choice", tools);
    }
    let at = "tool_choice.allowed_tools";
    let allowed = &choice["allowed_tools"];
    match allowed {
        Value::Null => return Some(missing(at)),
        Value::Object(_) => {}
        _ => return Some(wrong_type(at, "an object", allowed)),
    }
    let mode_at = format!("{at}.mode");
    match &allowed["mode"] {
        Value::Null => return Some(missing(&mode_at)),
        Value::String(mode) if MODES.contains(&mode.as_str()) => {}
        Value::String(mode) => return Some(wrong_word(&mode_at, mode, MODES)),
        mode => return Some(wrong_type(&mode_at, "a string", mode)),
    }
    let tools_at = format!("{at}.tools");
    match &allowed["tools"] {
        Value::Null => Some(missing(&tools_at)),
        Value::Array(_) if tools.is_empty() => Some(without_tools()),
        Value::Array(allowed) => allowed.iter().enumerate().find_map(|(index, tool)| {
            let at = format!("{tools_at}[{index}]");
            match typed(tool, &at, TYPES) {
                Ok(kind) => wrong_name(tool, kind, &at, tools),
                Err(wrong) => Some(wrong),
            }
        }),
        listed => Some(wrong_type(&tools_at, "an array", listed)),
    }
}

/// What is wrong with an object that names one of the tools.
fn wrong_name(naming: &Value, kind: &str, at: &str, tools: &[Value]) -> Option<Rejection> {
    let name = match named(&naming[kind], &format!("{at}.{kind}")) {
        Ok(name) => name,
        Err(wrong) => return Some(wrong),
    };
    if tools.is_empty() {
        return Some(without_tools());
    }
    let offered = tools.iter().any(|tool| tool["type"] == kind && tool[kind]["name"] == name);
    let why = || format!("`{at}` names the {kind} `{name}`, and there is none in `tools`");
    (!offered).then(|| Rejection::invalid("tool_choice", Some("invalid_value"), why()))
}

fn without_tools() -> Rejection {
    Rejection::invalid("tool_choice", None, "`tool_choice` is only allowed when there are `tools`")
}
