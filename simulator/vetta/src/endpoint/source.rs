//! What an endpoint serves.

use futures_util::future::BoxFuture;
use serde_json::{Map, Value, json};

/// A tool as a listing shows it.
#[derive(Clone, Debug, PartialEq)]
pub struct Listed {
    /// The name by which it is called.
    pub name: String,
    /// What the model is told about it.
    pub description: String,
    /// The JSON Schema of its arguments.
    pub schema: Value,
    /// Other members of the wire object, as the tool's own server words them: `title`, `annotations` …
    pub more: Map<String, Value>,
}

impl Listed {
    /// The wire object of `tools/list`.
    pub fn to_value(&self) -> Value {
        let mut tool = self.more.clone();
        tool.insert("name".to_owned(), json!(self.name));
        tool.insert("description".to_owned(), json!(self.description));
        tool.insert("inputSchema".to_owned(), self.schema.clone());
        Value::Object(tool)
    }
}

/// How a call ended.
#[derive(Clone, Debug, PartialEq)]
pub struct Called {
    /// Content blocks of MCP.
    pub content: Vec<Value>,
    /// The member `structuredContent`.
    pub structured: Option<Value>,
    /// Whether the tool failed. The model sees the content either way.
    pub is_error: bool,
}

impl Called {
    /// A result of one text.
    pub fn text(text: impl Into<String>) -> Self {
        Self {
            content: vec![json!({"type": "text", "text": text.into()})],
            structured: None,
            is_error: false,
        }
    }

    /// A failure of one text.
    pub fn failed(text: impl Into<String>) -> Self {
        Self { is_error: true, ..Self::text(text) }
    }

    /// What a model that reads text is told of it.
    pub fn to_text(&self) -> String {
        let blocks =
            self.content.iter().map(|block| match (block["text"].as_str(), block["type"].as_str()) {
                (Some(text), _) => text.to_owned(),
                (None, Some("resource")) => {
                    block["resource"]["text"].as_str().unwrap_or("[resource]").to_owned()
                }
                (None, kind) => format!("[{}]", kind.unwrap_or("content")),
            });
        blocks.collect::<Vec<_>>().join("\n")
    }

    /// The wire object of `tools/call`.
    pub fn to_value(&self) -> Value {
        let mut result = json!({"content": self.content, "isError": self.is_error});
        if let Some(structured) = &self.structured {
            result["structuredContent"] = structured.clone();
        }
        result
    }
}

/// Tools that can be listed and called.
pub trait ToolSource: Send + Sync {
    /// The tools, in the order in which they are shown, or why they cannot be had.
    fn list(&self) -> BoxFuture<'static, Result<Vec<Listed>, String>>;

    /// Calls the tool called `name`; `None` when there is none of this name, which has no effect.
    fn call(
        &self,
        name: &str,
        arguments: Map<String, Value>,
    ) -> BoxFuture<'static, Result<Option<Called>, String>>;
}
