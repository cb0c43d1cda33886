//! A block while it is read.

use crate::{
    arguments::written,
    script::{Block, Thinking, ToolCall},
};

/// A block of an answer that is not whole yet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Part {
    Text(String),
    Refusal(String),
    Thinking { text: String, signature: String, encrypted: String },
    Call(Call),
}

/// A tool call that is not whole yet.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Call {
    pub(super) id: String,
    pub(super) name: String,
    pub(super) arguments: String,
}

impl Part {
    pub(super) fn thought(text: impl Into<String>) -> Self {
        Self::Thinking { text: text.into(), signature: String::new(), encrypted: String::new() }
    }

    /// The block of a script.
    pub(super) fn block(self) -> Block {
        let given = |text: String| Some(text).filter(|text| !text.is_empty());
        match self {
            Self::Text(text) => Block::Text(text),
            Self::Refusal(text) => Block::Refusal(text),
            Self::Thinking { text, signature, encrypted } => {
                Block::Thinking(Thinking { text, signature: given(signature), encrypted: given(encrypted) })
            }
            Self::Call(Call { id, name, arguments: text }) => {
                let (arguments, arguments_text) = written(&text);
                Block::ToolCall(ToolCall { id: given(id), name, arguments, arguments_text })
            }
        }
    }
}
