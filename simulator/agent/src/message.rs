//! What is said in a conversation.

use serde_json::{Value, json};

/// A tool call as the model worded it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToolCall {
    /// The model's own id for the call.
    pub id: String,
    /// The tool that is asked for.
    pub name: String,
    /// The arguments as text, normally JSON.
    pub arguments: String,
}

/// One message of a conversation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Message {
    /// System instructions.
    System(String),
    /// What the user says.
    User(String),
    /// What the model answered.
    Assistant {
        /// Its text, possibly empty.
        text: String,
        /// The tools that it asked for.
        calls: Vec<ToolCall>,
    },
    /// The result of one tool call.
    Tool {
        /// The id of the call.
        call_id: String,
        /// Its content.
        content: String,
    },
}

impl Message {
    /// The message in the form of OpenAI Chat Completions.
    pub fn to_chat(&self) -> Value {
        match self {
            Self::System(text) => json!({"role": "system", "content": text}),
            Self::User(text) => json!({"role": "user", "content": text}),
            Self::Assistant { text, calls } if calls.is_empty() => {
                json!({"role": "assistant", "content": text})
            }
            Self::Assistant { text, calls } => {
                let content = if text.is_empty() { Value::Null } else { Value::from(text.as_str()) };
                let calls: Vec<Value> = calls
                    .iter()
                    .map(|call| {
                        let function = json!({"name": call.name, "arguments": call.arguments});
                        json!({"id": call.id, "type": "function", "function": function})
                    })
                    .collect();
                json!({"role": "assistant", "content": content, "tool_calls": calls})
            }
            Self::Tool { call_id, content } => {
                json!({"role": "tool", "tool_call_id": call_id, "content": content})
            }
        }
    }
}
