//! The parts of an answer: texts, thoughts, refusals and tool calls.

use std::fmt;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use serde_json::Value;

/// One part of an answer.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Block {
    /// Text.
    Text(String),
    /// Reasoning.
    Thinking(Thinking),
    /// A refusal, on its own channel where the wire has one.
    Refusal(String),
    /// A tool call.
    ToolCall(ToolCall),
}

/// The field that each kind of block is written with.
const BLOCKS: &[&str] = &["text", "thinking", "refusal", "tool_call"];

impl<'de> Deserialize<'de> for Block {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(OneField)
    }
}

/// A mapping of one field, read by hand because the errors of a derived reader speak of enums.
struct OneField;

impl<'de> de::Visitor<'de> for OneField {
    type Value = Block;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a mapping with `text`, `thinking`, `refusal` or `tool_call`")
    }

    fn visit_map<A: de::MapAccess<'de>>(self, mut map: A) -> Result<Block, A::Error> {
        let Some(name) = map.next_key::<String>()? else {
            let message =
                "the block says nothing; give `text` (\"\" will do), `thinking`, `refusal` or `tool_call`";
            return Err(de::Error::custom(message));
        };
        let block = match name.as_str() {
            "text" => Block::Text(map.next_value()?),
            "thinking" => Block::Thinking(map.next_value()?),
            "refusal" => Block::Refusal(map.next_value()?),
            "tool_call" => Block::ToolCall(map.next_value()?),
            other => return Err(de::Error::unknown_field(other, BLOCKS)),
        };
        match map.next_key::<String>()? {
            None => Ok(block),
            Some(other) => {
                let message =
                    format!("`{other}` stands beside `{name}`; a block is one thing, so make two of them");
                Err(de::Error::custom(message))
            }
        }
    }
}

/// Reasoning that is told.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Thinking {
    /// What is thought.
    pub text: String,
    /// What proves on the Messages wire that the thought is the model's own. Left out: it follows from
    /// script and turn.
    pub signature: Option<String>,
    /// What stands for the thought on the Responses wire, when the client asks for it. Left out: it
    /// follows from script and turn.
    pub encrypted: Option<String>,
}

impl From<&str> for Thinking {
    fn from(text: &str) -> Self {
        Self { text: text.to_owned(), ..Self::default() }
    }
}

/// How thinking is written when it is more than a text.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Full {
    text: String,
    #[serde(default, deserialize_with = "super::given", skip_serializing_if = "Option::is_none")]
    signature: Option<String>,
    #[serde(default, deserialize_with = "super::given", skip_serializing_if = "Option::is_none")]
    encrypted: Option<String>,
}

impl Serialize for Thinking {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self { text, signature, encrypted } = self.clone();
        if signature.is_none() && encrypted.is_none() {
            return serializer.serialize_str(&text);
        }
        Full { text, signature, encrypted }.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Thinking {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(TextOrFull)
    }
}

struct TextOrFull;

impl<'de> de::Visitor<'de> for TextOrFull {
    type Value = Thinking;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a text, or a mapping with `text`")
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<Thinking, E> {
        Ok(text.into())
    }

    fn visit_map<A: de::MapAccess<'de>>(self, map: A) -> Result<Thinking, A::Error> {
        let Full { text, signature, encrypted } =
            Full::deserialize(de::value::MapAccessDeserializer::new(map))?;
        Ok(Thinking { text, signature, encrypted })
    }
}

/// One tool call of an answer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ToolCall {
    /// The call's id. Left out: `call_<turn id>_<place among the calls of the turn, from 0>`, with the
    /// conversation's id before that of the turn; a turn that repeats puts eight hex digits after it.
    #[serde(default, deserialize_with = "super::given", skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// The tool's name. A call whose name a template leaves empty is not made.
    pub name: String,
    /// Arguments, a JSON object. Left out, with `arguments_text` left out too: `{}`.
    #[serde(default, deserialize_with = "super::given", skip_serializing_if = "Option::is_none")]
    pub arguments: Option<Value>,
    /// Arguments as raw text, for those that are no JSON object.
    #[serde(default, deserialize_with = "super::given", skip_serializing_if = "Option::is_none")]
    pub arguments_text: Option<String>,
}

impl ToolCall {
    /// A call with an id of its own.
    pub fn new(id: impl Into<String>, name: impl Into<String>, arguments: impl Into<Value>) -> Self {
        Self {
            id: Some(id.into()),
            name: name.into(),
            arguments: Some(arguments.into()),
            arguments_text: None,
        }
    }

    /// A call whose arguments are `text`, JSON or not.
    pub fn with_text(id: impl Into<String>, name: impl Into<String>, text: impl Into<String>) -> Self {
        Self { id: Some(id.into()), name: name.into(), arguments: None, arguments_text: Some(text.into()) }
    }

    /// The id on the wire when this is call number `place` (from 0) of a turn that is called `turn` in ids.
    pub(crate) fn wire_id(&self, turn: &str, place: usize) -> String {
        self.id.clone().unwrap_or_else(|| format!("call_{turn}_{place}"))
    }

    /// The arguments on the wire.
    pub(crate) fn wire_arguments(&self) -> String {
        match (&self.arguments_text, &self.arguments) {
            (Some(text), _) => text.clone(),
            (None, Some(arguments)) => arguments.to_string(),
            (None, None) => "{}".to_owned(),
        }
    }
}
