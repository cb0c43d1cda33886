//! The blocks of a content.

use serde_json::Value;

use super::{refused, unknown};
use crate::rejection::Rejection;

/// One block of a message.
#[derive(Clone, Copy, Debug)]
pub(super) struct Block<'a> {
    /// The number of its message.
    message: usize,
    /// Its place in there.
    place: usize,
    /// Its type.
    pub(super) kind: &'a str,
    /// The object, or the text that is short for a text block.
    value: &'a Value,
}

/// A type of block that is understood.
struct Kind {
    name: &'static str,
    /// Who alone may say it.
    by: Option<&'static str>,
    /// The fields that it has to have besides its type.
    needs: &'static [Need],
    /// The other fields that the API documents.
    may_have: &'static [&'static str],
}

/// A field that a block has to have.
enum Need {
    /// A text, which may be empty.
    Text(&'static str),
    /// A text that says something: an id, a name, a proof.
    Word(&'static str),
    /// An object.
    Object(&'static str),
}

const KINDS: &[Kind] = &[
    Kind { name: "text", by: None, needs: &[Need::Text("text")], may_have: &["cache_control", "citations"] },
    Kind {
        name: "tool_use",
        by: Some("assistant"),
        needs: &[Need::Word("id"), Need::Word("name"), Need::Object("input")],
        may_have: &["cache_control", "caller", "toolset_name"],
    },
    Kind {
        name: "tool_result",
        by: Some("user"),
        needs: &[Need::Word("tool_use_id")],
        may_have: &["cache_control", "content", "is_error", "toolset_name"],
    },
    Kind {
        name: "thinking",
        by: Some("assistant"),
        needs: &[Need::Text("thinking"), Need::Word("signature")],
        may_have: &[],
    },
    Kind { name: "redacted_thinking", by: Some("assistant"), needs: &[Need::Word("data")], may_have: &[] },
];

/// The types of blocks that the API documents and nothing here reads.
#[rustfmt::skip]
const OTHER_KINDS: &[&str] = &[
    "advisor_tool_result", "bash_code_execution_tool_result", "code_execution_tool_result", "compaction",
    "container_upload", "document", "fallback", "image", "mcp_tool_listing", "mcp_tool_result", "mcp_tool_use",
    "search_result", "server_tool_use", "text_editor_code_execution_tool_result", "tool_addition",
    "tool_reference", "tool_removal", "tool_search_tool_result", "web_fetch_tool_result", "web_search_tool_result",
];

/// Whether a type is named like those that belong to tools of the API itself, of which there are ever more.
fn is_of_api_tool(kind: &str) -> bool {
    kind.starts_with("mcp_") || kind.ends_with("_tool_use") || kind.ends_with("_tool_result")
}

impl<'a> Block<'a> {
    /// Where it stands: `messages.1.content.0`.
    pub(super) fn at(&self) -> String {
        format!("messages.{}.content.{}", self.message, self.place)
    }

    pub(super) fn field(&self, name: &str) -> Option<&'a Value> {
        self.value.get(name)
    }

    /// A field that is a text; empty when there is none.
    pub(super) fn text(&self, name: &str) -> &'a str {
        let value = if self.value.is_string() { Some(self.value) } else { self.field(name) };
        value.and_then(Value::as_str).unwrap_or_default()
    }

    pub(super) fn is_thought(&self) -> bool {
        matches!(self.kind, "thinking" | "redacted_thinking")
    }

    /// The text of a tool result, whose content is a text or a list of blocks.
    pub(super) fn result_text(&self) -> String {
        match self.field("content") {
            Some(Value::String(text)) => text.clone(),
            Some(Value::Array(parts)) => {
                let texts: Vec<&str> = parts.iter().filter_map(|part| part["text"].as_str()).collect();
                texts.join("\n")
            }
            _ => String::new(),
        }
    }
}

/// The blocks of the content of message `message`, which `role` said. A text stands for one text block.
pub(super) fn blocks<'a>(
    message: usize,
    role: &str,
    content: Option<&'a Value>,
    unknown_fields: &mut Vec<String>,
    complaints: &mut Vec<Rejection>,
) -> Vec<Block<'a>> {
    let parts = match content {
        None => return Vec::new(),
        Some(value @ Value::String(_)) => return vec![Block { message, place: 0, kind: "text", value }],
        Some(Value::Array(parts)) => parts,
        Some(_) => {
            let at = format!("messages.{message}.content");
            complaints.push(refused(at, "a content is a text or a list of blocks"));
            return Vec::new();
        }
    };
    let mut blocks = Vec::with_capacity(parts.len());
    for (place, value) in parts.iter().enumerate() {
        let block = Block { message, place, kind: value["type"].as_str().unwrap_or_default(), value };
        let Some(fields) = value.as_object() else {
            complaints.push(refused(block.at(), "a block is an object"));
            continue;
        };
        if block.kind.is_empty() {
            complaints.push(refused(format!("{}.type", block.at()), "a type is required"));
            continue;
        }
        match KINDS.iter().find(|kind| kind.name == block.kind) {
            Some(kind) => {
                complaints.extend(kind.wrong(&block, role));
                let at = format_args!("/messages/{message}/content/{place}");
                unknown_fields.extend(unknown(fields, |name| kind.has(name), at));
            }
            None if OTHER_KINDS.contains(&block.kind) || is_of_api_tool(block.kind) => {}
            None => {
                let why = format!("`{}` is no type of block", block.kind);
                complaints.push(refused(format!("{}.type", block.at()), why));
            }
        }
        blocks.push(block);
    }
    blocks
}

impl Kind {
    /// Whether it is documented to have a field.
    fn has(&self, name: &str) -> bool {
        name == "type" || self.may_have.contains(&name) || self.needs.iter().any(|need| need.name() == name)
    }

    /// What the API refuses about a block of this type.
    fn wrong(&self, block: &Block<'_>, role: &str) -> Vec<Rejection> {
        let missing = self.needs.iter().filter(|need| !need.is_met(&block.value[need.name()]));
        let mut wrong: Vec<Rejection> = missing
            .map(|need| refused(format!("{}.{}.{}", block.at(), self.name, need.name()), need.told()))
            .collect();
        if let Some(by) = self.by.filter(|by| *by != role) {
            let why = format!("a `{}` block stands in messages of the role `{by}` only", self.name);
            wrong.push(refused(block.at(), why));
        }
        wrong
    }
}

impl Need {
    fn name(&self) -> &'static str {
        match self {
            Self::Text(name) | Self::Word(name) | Self::Object(name) => name,
        }
    }

    fn is_met(&self, value: &Value) -> bool {
        match self {
            Self::Text(_) => value.is_string(),
            Self::Word(_) => value.as_str().is_some_and(|word| !word.is_empty()),
            Self::Object(_) => value.is_object(),
        }
    }

    fn told(&self) -> &'static str {
        match self {
            Self::Text(_) => "a text is required",
            Self::Word(_) => "a text that is not empty is required",
            Self::Object(_) => "an object is required",
        }
    }
}
