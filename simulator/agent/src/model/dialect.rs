//! The wires that a model may speak.

use serde_json::Value;
use wire::Ids;

use super::{Completion, ModelError, chat, messages, responses};
use crate::{Message, ToolDefinition};

/// A wire.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Dialect {
    /// OpenAI Chat Completions.
    #[default]
    Chat,
    /// OpenAI Responses.
    Responses,
    /// Anthropic Messages.
    Messages,
}

/// An answer that is still arriving.
pub(super) trait Gathering: Send {
    /// Takes the data of one frame. The answer is the text that it adds, possibly none.
    fn take(&mut self, data: &str) -> Result<String, ModelError>;
    /// Whether nothing more is to be read.
    fn is_done(&self) -> bool;
    /// The whole answer, once the stream has ended. Calls without an id get one from `ids`.
    fn finish(self: Box<Self>, ids: &Ids) -> Result<Completion, ModelError>;
}

impl Dialect {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Chat, Self::Responses, Self::Messages];

    /// Its name: `chat`, `responses` or `messages`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Chat => "chat",
            Self::Responses => "responses",
            Self::Messages => "messages",
        }
    }

    /// Who has made it: `openai` or `anthropic`.
    pub fn provider(self) -> &'static str {
        match self {
            Self::Chat | Self::Responses => "openai",
            Self::Messages => "anthropic",
        }
    }

    /// Its endpoint below the base URL.
    pub(super) fn endpoint(self) -> &'static str {
        match self {
            Self::Chat => "chat/completions",
            Self::Responses => "responses",
            Self::Messages => "messages",
        }
    }

    /// Headers that it wants besides the usual ones.
    pub(super) fn headers(self) -> &'static [(&'static str, &'static str)] {
        match self {
            Self::Chat | Self::Responses => &[],
            Self::Messages => &[("anthropic-version", "2023-06-01")],
        }
    }

    /// The request for a streamed answer to a conversation.
    pub(super) fn body(self, model: &str, messages: &[Message], tools: &[ToolDefinition]) -> Value {
        match self {
            Self::Chat => chat::body(model, messages, tools),
            Self::Responses => responses::body(model, messages, tools),
            Self::Messages => messages::body(model, messages, tools),
        }
    }

    /// An answer of which nothing has arrived yet.
    pub(super) fn gathering(self) -> Box<dyn Gathering> {
        match self {
            Self::Chat => Box::<chat::Answer>::default(),
            Self::Responses => Box::<responses::Answer>::default(),
            Self::Messages => Box::<messages::Answer>::default(),
        }
    }
}

/// The provider's own words in an error object, whatever its exact form.
pub(super) fn provider_words(error: &Value) -> String {
    let message = ["/message", "/error/message"].iter().find_map(|at| error.pointer(at)?.as_str());
    message.map_or_else(|| error.to_string(), str::to_owned)
}

/// The data of a frame as JSON.
pub(super) fn json<T: serde::de::DeserializeOwned>(data: &str) -> Result<T, ModelError> {
    serde_json::from_str(data).map_err(|why| ModelError::Malformed(why.to_string()))
}

/// The texts of the system messages, joined by blank lines; `None` when there is none.
pub(super) fn system_text(messages: &[Message]) -> Option<String> {
    let texts: Vec<&str> = messages
        .iter()
        .filter_map(|message| match message {
            Message::System(text) => Some(text.as_str()),
            _ => None,
        })
        .collect();
    (!texts.is_empty()).then(|| texts.join("\n\n"))
}
