//! The input of a request: a text, or the items of a conversation.

use serde_json::{Map, Value};

use super::{
    complaint::{missing, no_call, no_output, wrong_type, wrong_word},
    read::unknown,
    tools,
};
use crate::{
    rejection::Rejection,
    request::{CalledTool, Message, OfferedTool, ThoughtBefore},
    wires::history::Calls,
};

/// An item that is looked into.
#[derive(Debug)]
struct Shape {
    kind: &'static str,
    /// The fields that the API documents.
    fields: &'static [&'static str],
    /// Those that it insists on. Codex leaves out most others, ids among them.
    required: &'static [&'static str],
    /// What an id begins with, when it is one of the API's own.
    id: &'static str,
}

const SHAPES: &[Shape] = &[
    Shape {
        kind: "message",
        fields: &["content", "id", "phase", "role", "status", "type"],
        required: &["role", "content"],
        id: "msg",
    },
    Shape {
        kind: "reasoning",
        fields: &["content", "encrypted_content", "id", "status", "summary", "type"],
        required: &[],
        id: "rs",
    },
    Shape {
        kind: "function_call",
        fields: &["arguments", "async", "call_id", "caller", "id", "name", "namespace", "status", "type"],
        required: &["call_id", "name", "arguments"],
        id: "fc",
    },
    Shape {
        kind: "function_call_output",
        fields: &["call_id", "caller", "id", "name", "namespace", "output", "status", "type"],
        required: &["call_id", "output"],
        id: "",
    },
    Shape {
        kind: "custom_tool_call",
        fields: &["async", "call_id", "caller", "id", "input", "name", "namespace", "status", "type"],
        required: &["call_id", "name", "input"],
        id: "",
    },
    Shape {
        kind: "custom_tool_call_output",
        fields: &["call_id", "caller", "id", "name", "output", "status", "type"],
        required: &["call_id", "output"],
        id: "",
    },
    Shape { kind: "item_reference", fields: &["id", "type"], required: &["id"], id: "" },
];

/// Items that are let through without a look: the API or one of its tools has made them.
#[rustfmt::skip]
const OTHER_KINDS: &[&str] = &[
    "additional_tools", "apply_patch_call", "apply_patch_call_output", "code_interpreter_call", "compaction",
    "compaction_summary", "compaction_trigger", "computer_call", "computer_call_output",
    "configuration_update", "context_compaction", "file_search_call", "ghost_snapshot",
    "image_generation_call", "local_shell_call", "local_shell_call_output", "mcp_approval_request",
    "mcp_approval_response", "mcp_call", "mcp_list_tools", "program", "program_output", "shell_call",
    "shell_call_output", "tool_search_call", "tool_search_output", "web_search_call",
];

const ROLES: &[&str] = &["assistant", "system", "developer", "user"];
/// What the model may have said.
const SAID_PARTS: &[&str] = &["output_text", "refusal"];
/// What anybody else may say.
const HEARD_PARTS: &[&str] =
    &["input_text", "input_image", "input_file", "input_audio", "computer_screenshot"];

/// Whether an input says nothing.
pub(super) fn is_empty(input: &Value) -> bool {
    match input {
        Value::String(text) => text.is_empty(),
        Value::Array(items) => items.is_empty(),
        _ => false,
    }
}

/// What the items of an input come to.
#[derive(Debug, Default)]
pub(super) struct Conversation {
    /// What system and developer messages say.
    pub(super) system: Vec<String>,
    /// The other messages. Items of the model that stand side by side are one.
    pub(super) messages: Vec<Message>,
    /// Tools that items bring along.
    pub(super) more_tools: Vec<OfferedTool>,
    /// Fields of items that are not known, as JSON Pointers.
    pub(super) unknown_fields: Vec<String>,
    /// What the model says in the items that are being read, and the texts of it.
    saying: Option<(Message, Vec<String>)>,
    calls: Calls,
    /// Results whose call no item before them makes.
    orphans: Vec<String>,
    /// Whether some item is only referred to, so that it may make any call.
    refers: bool,
}

impl Conversation {
    /// Reads an input. When the request `goes_on` from an earlier answer, calls may have been made there.
    pub(super) fn of(input: Option<&Value>, goes_on: bool, complaints: &mut Vec<Rejection>) -> Self {
        let mut read = Self::default();
        match input {
            Some(Value::String(text)) => read.hear("user", text.clone()),
            Some(Value::Array(items)) => {
                for (index, item) in items.iter().enumerate() {
                    read.item(index, item, complaints);
                }
            }
            _ => {}
        }
        read.close();
        if !goes_on && !read.refers {
            complaints.extend(read.orphans.iter().map(|id| no_call(id)));
        }
        complaints.extend(read.calls.left().iter().map(|id| no_output(id)));
        read
    }

    fn item(&mut self, index: usize, item: &Value, complaints: &mut Vec<Rejection>) {
        let at = format!("input[{index}]");
        let Some(fields) = item.as_object() else {
            complaints.push(wrong_type(&at, "an object", item));
            return;
        };
        let Some(kind) = kind_of(fields) else {
            complaints.push(missing(&format!("{at}.type")));
            return;
        };
        if let Some(shape) = SHAPES.iter().find(|shape| shape.kind == kind) {
            self.unknown_fields.extend(unknown(fields, shape.fields, &format!("/input/{index}")));
            shape.complain(fields, &at, complaints);
        } else if !OTHER_KINDS.contains(&kind) {
            let kinds: Vec<&str> =
                SHAPES.iter().map(|shape| shape.kind).chain(OTHER_KINDS.iter().copied()).collect();
            complaints.push(wrong_word(&format!("{at}.type"), kind, &kinds));
        }
        match kind {
            "message" => self.message(fields, &at, complaints),
            "reasoning" => self.reasoning(fields),
            "item_reference" => {
                self.refers = true;
                // What this server has given an id, the model has said.
                self.said();
            }
            "additional_tools" | "tool_search_output" => {
                self.more_tools.extend(tools::offered(fields.get("tools")));
            }
            kind if kind.ends_with("_call") => self.call(kind, fields),
            kind if kind.ends_with("_call_output") => self.output(kind, fields),
            _ => {}
        }
    }

    fn message(&mut self, fields: &Map<String, Value>, at: &str, complaints: &mut Vec<Rejection>) {
        let role = word(fields, "role");
        if !role.is_empty() && !ROLES.contains(&role) {
            complaints.push(wrong_word(&format!("{at}.role"), role, ROLES));
        }
        let parts = if role == "assistant" { SAID_PARTS } else { HEARD_PARTS };
        let content = fields.get("content").and_then(Value::as_array);
        for (index, part) in content.into_iter().flatten().enumerate() {
            complain_of_part(part, parts, &format!("{at}.content[{index}]"), complaints);
        }
        let texts = texts_of(fields.get("content"));
        match role {
            "assistant" => self.said().1.extend(texts.into_iter().map(str::to_owned)),
            "system" | "developer" => {
                self.close();
                self.system.push(texts.join("\n"));
            }
            // A message of nobody known is at least a message.
            role => self.hear(role, texts.join("\n")),
        }
    }

    fn reasoning(&mut self, fields: &Map<String, Value>) {
        let summary = texts_of(fields.get("summary"));
        let texts = if summary.is_empty() { texts_of(fields.get("content")) } else { summary };
        let thought =
            ThoughtBefore { text: texts.join("\n"), proof: word(fields, "encrypted_content").to_owned() };
        self.said().0.thinking.push(thought);
    }

    fn call(&mut self, kind: &str, fields: &Map<String, Value>) {
        let id = word(fields, "call_id");
        if id.is_empty() {
            // A call that the API has carried out itself.
            return;
        }
        let name = match word(fields, "name") {
            "" => kind.trim_end_matches("_call"),
            name => name,
        };
        let arguments =
            ["arguments", "input", "action", "operation"].iter().find_map(|name| fields.get(*name));
        let arguments = match arguments {
            Some(Value::String(text)) => text.clone(),
            Some(value) => value.to_string(),
            None => String::new(),
        };
        let call = CalledTool { id: id.to_owned(), name: name.to_owned(), arguments };
        self.said().0.tool_calls.push(call);
        self.calls.made(std::iter::once(id.to_owned()));
        if !needs_pair(kind) {
            self.calls.answered(id);
        }
    }

    fn output(&mut self, kind: &str, fields: &Map<String, Value>) {
        self.close();
        let id = match word(fields, "call_id") {
            "" => word(fields, "id"),
            id => id,
        };
        if !self.calls.answered(id) && needs_pair(kind) && !id.is_empty() {
            self.orphans.push(id.to_owned());
        }
        self.messages.push(Message {
            role: "tool".into(),
            text: texts_of(fields.get("output")).join("\n"),
            tool_call_id: Some(id.to_owned()),
            ..Message::default()
        });
    }

    /// What the model is saying.
    fn said(&mut self) -> &mut (Message, Vec<String>) {
        let start = || (Message { role: "assistant".into(), ..Message::default() }, Vec::new());
        self.saying.get_or_insert_with(start)
    }

    /// The model has finished, and somebody else speaks.
    fn close(&mut self) {
        if let Some((mut message, texts)) = self.saying.take() {
            message.text = texts.join("\n");
            self.messages.push(message);
        }
    }

    fn hear(&mut self, role: &str, text: String) {
        self.close();
        self.messages.push(Message { role: role.into(), text, ..Message::default() });
    }
}

impl Shape {
    fn complain(&self, fields: &Map<String, Value>, at: &str, complaints: &mut Vec<Rejection>) {
        for name in self.required {
            let param = format!("{at}.{name}");
            let listed = matches!(*name, "content" | "output");
            match fields.get(*name) {
                None | Some(Value::Null) => complaints.push(missing(&param)),
                Some(Value::String(_)) => {}
                Some(Value::Array(_)) if listed => {}
                Some(value) if listed => complaints.push(wrong_type(&param, "a string or an array", value)),
                Some(value) => complaints.push(wrong_type(&param, "a string", value)),
            }
        }
        let id = word(fields, "id");
        if !id.is_empty() && !id.starts_with(self.id) {
            let message = format!("`{at}.id` is `{id}` and must begin with `{}`", self.id);
            complaints.push(Rejection::invalid(format!("{at}.id"), Some("invalid_value"), message));
        }
    }
}

/// What an item is: what it says, or what it must be when it does not.
fn kind_of(fields: &Map<String, Value>) -> Option<&str> {
    let has = |name: &str| fields.get(name).is_some_and(|value| !value.is_null());
    match fields.get("type").filter(|kind| !kind.is_null()) {
        Some(kind) => kind.as_str(),
        None if has("role") || has("content") => Some("message"),
        None if has("id") && fields.len() <= 2 => Some("item_reference"),
        None => None,
    }
}

/// Whether calls and results of this kind must come in pairs.
fn needs_pair(kind: &str) -> bool {
    matches!(kind, "function_call" | "function_call_output" | "custom_tool_call" | "custom_tool_call_output")
}

fn complain_of_part(part: &Value, kinds: &[&str], at: &str, complaints: &mut Vec<Rejection>) {
    if !part.is_object() {
        complaints.push(wrong_type(at, "an object", part));
        return;
    }
    match part["type"].as_str() {
        None => complaints.push(missing(&format!("{at}.type"))),
        Some(kind) if !kinds.contains(&kind) => {
            complaints.push(wrong_word(&format!("{at}.type"), kind, kinds));
        }
        Some("input_text" | "output_text") if !part["text"].is_string() => {
            complaints.push(missing(&format!("{at}.text")));
        }
        Some("refusal") if !part["refusal"].is_string() => complaints.push(missing(&format!("{at}.refusal"))),
        Some(_) => {}
    }
}

/// A content that is a string, or the texts among the parts of one that is a list.
fn texts_of(content: Option<&Value>) -> Vec<&str> {
    match content {
        Some(Value::String(text)) => vec![text],
        Some(Value::Array(parts)) => parts
            .iter()
            .filter_map(|part| part["text"].as_str().or_else(|| part["refusal"].as_str()))
            .collect(),
        _ => Vec::new(),
    }
}

fn word<'a>(fields: &'a Map<String, Value>, name: &str) -> &'a str {
    fields.get(name).and_then(Value::as_str).unwrap_or_default()
}
