//! Tools as requests offer and choose them.

use serde_json::{Map, Value};

use super::complaint::{missing, wrong_type, wrong_word};
use crate::{
    rejection::Rejection,
    request::{OfferedTool, ToolChoice},
};

/// The functions among these tools, those of namespaces too. Other tools run in the API itself or take no
/// JSON, so no script answers with them.
pub(super) fn offered(tools: Option<&Value>) -> Vec<OfferedTool> {
    let mut functions = Vec::new();
    for tool in tools.and_then(Value::as_array).into_iter().flatten() {
        match tool["type"].as_str() {
            Some("function") => functions.push(function(tool)),
            Some("namespace") => functions.extend(offered(tool.get("tools"))),
            _ => {}
        }
    }
    functions
}

fn function(tool: &Value) -> OfferedTool {
    let text = |name: &str| tool[name].as_str().unwrap_or_default().to_owned();
    OfferedTool {
        name: text("name"),
        description: text("description"),
        parameters: tool["parameters"].clone(),
    }
}

/// The namespace of a function that only a namespace offers.
pub(super) fn namespace_of<'a>(body: &'a Value, name: &str) -> Option<&'a str> {
    let tools = body["tools"].as_array()?;
    let is = |tool: &Value| tool["type"] == "function" && tool["name"] == name;
    if tools.iter().any(is) {
        return None;
    }
    let holds = |tool: &&Value| {
        tool["type"] == "namespace" && tool["tools"].as_array().is_some_and(|tools| tools.iter().any(is))
    };
    tools.iter().find(holds)?["name"].as_str()
}

/// Which tool is to be called.
pub(super) fn choice(choice: Option<&Value>) -> ToolChoice {
    match choice {
        Some(Value::String(word)) if word == "none" => ToolChoice::None,
        Some(Value::String(word)) if word == "required" => ToolChoice::Required,
        Some(choice @ Value::Object(_)) if choice["type"] == "allowed_tools" => {
            let names: Vec<&str> = choice["tools"]
                .as_array()
                .into_iter()
                .flatten()
                .filter_map(|tool| tool["name"].as_str())
                .collect();
            match (choice["mode"].as_str(), names.as_slice()) {
                (Some("required"), [name]) => ToolChoice::Named((*name).to_owned()),
                (Some("required"), _) => ToolChoice::Required,
                _ => ToolChoice::Auto,
            }
        }
        Some(choice @ Value::Object(_)) => match choice["name"].as_str() {
            Some(name) => ToolChoice::Named(name.to_owned()),
            None => ToolChoice::Auto,
        },
        _ => ToolChoice::Auto,
    }
}

/// Complains about tools that are none, and about a choice of what is not there.
pub(super) fn complain(
    fields: &Map<String, Value>,
    offered: &[OfferedTool],
    complaints: &mut Vec<Rejection>,
) {
    let tools = fields.get("tools").and_then(Value::as_array);
    for (index, tool) in tools.into_iter().flatten().enumerate() {
        let at = format!("tools[{index}]");
        if !tool.is_object() {
            complaints.push(wrong_type(&at, "an object", tool));
            continue;
        }
        let named = matches!(tool["type"].as_str(), Some("function" | "namespace" | "custom"));
        for name in ["type", "name"].iter().take(if named { 2 } else { 1 }) {
            if tool[name].as_str().is_none_or(str::is_empty) {
                complaints.push(missing(&format!("{at}.{name}")));
            }
        }
    }
    let Some(choice) = fields.get("tool_choice") else { return };
    let none = "there is none in `tools`";
    let problem = match choice {
        Value::String(word) if !CHOICES.contains(&word.as_str()) => {
            complaints.push(wrong_word("tool_choice", word, CHOICES));
            return;
        }
        Value::String(word)
            if word == "required" && tools.is_none_or(Vec::is_empty) && offered.is_empty() =>
        {
            format!("`tool_choice` requires a tool, and {none}")
        }
        Value::Object(_) if choice["type"].is_null() => {
            complaints.push(missing("tool_choice.type"));
            return;
        }
        Value::Object(_) if choice["type"] == "function" => match choice["name"].as_str() {
            None => {
                complaints.push(missing("tool_choice.name"));
                return;
            }
            Some(name) if offered.iter().any(|tool| tool.name == name) => return,
            Some(name) => format!("`tool_choice` names the function `{name}`, and {none}"),
        },
        _ => return,
    };
    complaints.push(Rejection::invalid("tool_choice", None, problem));
}

const CHOICES: &[&str] = &["none", "auto", "required"];
