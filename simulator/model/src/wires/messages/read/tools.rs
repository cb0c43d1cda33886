//! Tools, which of them is to be called, and the schema of a text answer.

use serde_json::{Map, Value};

use super::{continued, refused, thinks_always, unknown};
use crate::{
    rejection::Rejection,
    request::{OfferedTool, ToolChoice},
};

/// The fields of a client's own tool that the API documents.
#[rustfmt::skip]
const TOOL_FIELDS: &[&str] = &[
    "allowed_callers", "cache_control", "defer_loading", "description", "eager_input_streaming",
    "input_examples", "input_schema", "name", "strict", "type",
];

/// The types of choices.
const CHOICES: &[&str] = &["auto", "any", "none", "tool"];

/// The tools of a request. Those that the API itself provides are known by name alone.
pub(super) fn offered(
    fields: &Map<String, Value>,
    unknown_fields: &mut Vec<String>,
    complaints: &mut Vec<Rejection>,
) -> Vec<OfferedTool> {
    let mut tools: Vec<OfferedTool> = Vec::new();
    let listed = fields.get("tools").and_then(Value::as_array);
    for (index, tool) in listed.into_iter().flatten().enumerate() {
        let at = format!("tools.{index}");
        let Some(fields) = tool.as_object() else {
            complaints.push(refused(at, "a tool is an object"));
            continue;
        };
        let (name, kind) = (text(&tool["name"]), text(&tool["type"]));
        if kind == "function" {
            let why = "`function` is no type of tool; a client's own tool has `name` and `input_schema` at its \
                       top, and no type or `custom`";
            complaints.push(refused(format!("{at}.type"), why));
            continue;
        }
        if !matches!(kind, "" | "custom") {
            let name = if name.is_empty() { kind } else { name };
            tools.push(OfferedTool { name: name.to_owned(), ..OfferedTool::default() });
            continue;
        }
        unknown_fields.extend(unknown(
            fields,
            |name| TOOL_FIELDS.contains(&name),
            format_args!("/tools/{index}"),
        ));
        if name.is_empty() {
            complaints.push(refused(format!("{at}.name"), "a tool needs a name"));
        } else if tools.iter().any(|before| before.name == name) {
            complaints.push(refused(format!("{at}.name"), format!("there is another tool called `{name}`")));
        }
        if !tool["input_schema"].is_object() {
            complaints
                .push(refused(format!("{at}.input_schema"), "a tool needs a JSON Schema for its input"));
        }
        tools.push(OfferedTool {
            name: name.to_owned(),
            description: text(&tool["description"]).to_owned(),
            parameters: tool["input_schema"].clone(),
        });
    }
    complaints.extend(choice_wrong(fields, &tools));
    tools
}

/// What the API refuses about the tool that is to be called.
fn choice_wrong(fields: &Map<String, Value>, tools: &[OfferedTool]) -> Option<Rejection> {
    if let Some(wrong) = fields.get("tool_choice").and_then(no_choice) {
        return Some(wrong);
    }
    let choice = choice(fields.get("tool_choice"));
    // A thread has tools that are not told again.
    let all_told = continued(fields).is_none();
    let why = match &choice {
        ToolChoice::Named(name) if all_told && !tools.iter().any(|tool| tool.name == *name) => {
            format!("no tool called `{name}` is offered")
        }
        ToolChoice::Required if all_told && tools.is_empty() => {
            "there is no tool that could be called".to_owned()
        }
        ToolChoice::Named(_) | ToolChoice::Required if thinks_always(fields) => {
            "with `thinking` enabled no tool can be forced".to_owned()
        }
        _ => return None,
    };
    Some(refused("tool_choice", why))
}

/// A choice that is none of those there are.
fn no_choice(choice: &Value) -> Option<Rejection> {
    let kind = &choice.as_object()?.get("type");
    let why = match kind.map(text) {
        Some(kind) if CHOICES.contains(&kind) => return None,
        Some(kind) if !kind.is_empty() => format!("`{kind}` is none of {}", CHOICES.join(", ")),
        _ => "a type is required".to_owned(),
    };
    Some(refused("tool_choice.type", why))
}

/// Which tool is to be called.
pub(super) fn choice(choice: Option<&Value>) -> ToolChoice {
    let Some(choice) = choice else { return ToolChoice::Auto };
    match text(&choice["type"]) {
        "any" => ToolChoice::Required,
        "none" => ToolChoice::None,
        "tool" => ToolChoice::Named(text(&choice["name"]).to_owned()),
        _ => ToolChoice::Auto,
    }
}

/// The schema that a text answer is to keep: where it stands now, or where it stood in the beta.
pub(super) fn output_schema(fields: &Map<String, Value>) -> Option<Value> {
    let config = fields.get("output_config").map(|config| &config["format"]);
    let format = config.filter(|format| format.is_object()).or_else(|| fields.get("output_format"))?;
    (format["type"] == "json_schema").then(|| format["schema"].clone())
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}
