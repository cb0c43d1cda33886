//! What a request has to say for a turn to answer it.

use std::fmt;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use serde_json::Value;

/// Conditions on one request. All that are given must hold; none given holds for every request.
///
/// The *news* of a request are the messages after the last one that the model itself said.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Conditions {
    /// Each text stands in the system text.
    #[serde(skip_serializing_if = "Texts::is_empty")]
    pub system_contains: Texts,
    /// Each text stands in some user message.
    #[serde(skip_serializing_if = "Texts::is_empty")]
    pub user_contains: Texts,
    /// Each text stands in the last user message that has a text.
    #[serde(skip_serializing_if = "Texts::is_empty")]
    pub last_user_contains: Texts,
    /// Each text stands in the last message, whoever said it.
    #[serde(skip_serializing_if = "Texts::is_empty")]
    pub last_contains: Texts,
    /// Who said the last message: `user`, `assistant` or `tool`.
    #[serde(deserialize_with = "super::given", skip_serializing_if = "Option::is_none")]
    pub last_role: Option<Role>,
    /// A tool of each name is offered.
    #[serde(skip_serializing_if = "Texts::is_empty")]
    pub tool_offered: Texts,
    /// The news hold a tool result for each call id.
    #[serde(skip_serializing_if = "Texts::is_empty")]
    pub tool_result_for: Texts,
    /// `true`: no message is a tool result. `false`: some message is one.
    #[serde(deserialize_with = "super::given", skip_serializing_if = "Option::is_none")]
    pub no_tool_results: Option<bool>,
    /// The model asked for, exactly.
    #[serde(deserialize_with = "super::given", skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// Each text stands in some tool result among the news.
    #[serde(skip_serializing_if = "Texts::is_empty")]
    pub tool_result_contains: Texts,
    /// The wire: `chat`, `responses` or `messages`.
    #[serde(deserialize_with = "super::given", skip_serializing_if = "Option::is_none")]
    pub wire: Option<WireName>,
    /// Whether the answer is to be streamed.
    #[serde(deserialize_with = "super::given", skip_serializing_if = "Option::is_none")]
    pub stream: Option<bool>,
    /// Conditions on request headers.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub header: Vec<HeaderCondition>,
    /// Conditions on the request body as it was sent.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub json: Vec<JsonCondition>,
}

impl Conditions {
    /// No conditions: every request is fine.
    pub fn new() -> Self {
        Self::default()
    }

    /// Asks for `text` in the system text.
    #[must_use]
    pub fn system_contains(mut self, text: impl Into<String>) -> Self {
        self.system_contains.0.push(text.into());
        self
    }

    /// Asks for `text` in some user message.
    #[must_use]
    pub fn user_contains(mut self, text: impl Into<String>) -> Self {
        self.user_contains.0.push(text.into());
        self
    }

    /// Asks for `text` in the last user message that has a text.
    #[must_use]
    pub fn last_user_contains(mut self, text: impl Into<String>) -> Self {
        self.last_user_contains.0.push(text.into());
        self
    }

    /// Asks for `text` in the last message.
    #[must_use]
    pub fn last_contains(mut self, text: impl Into<String>) -> Self {
        self.last_contains.0.push(text.into());
        self
    }

    /// Asks that the last message is of this role.
    #[must_use]
    pub fn last_role(mut self, role: Role) -> Self {
        self.last_role = Some(role);
        self
    }

    /// Asks that a tool called `name` is offered.
    #[must_use]
    pub fn tool_offered(mut self, name: impl Into<String>) -> Self {
        self.tool_offered.0.push(name.into());
        self
    }

    /// Asks for a tool result for `call_id` among the news.
    #[must_use]
    pub fn tool_result_for(mut self, call_id: impl Into<String>) -> Self {
        self.tool_result_for.0.push(call_id.into());
        self
    }

    /// Asks that no message is a tool result.
    #[must_use]
    pub fn no_tool_results(mut self) -> Self {
        self.no_tool_results = Some(true);
        self
    }

    /// Asks that some message is a tool result.
    #[must_use]
    pub fn has_tool_results(mut self) -> Self {
        self.no_tool_results = Some(false);
        self
    }

    /// Asks for this model.
    #[must_use]
    pub fn model(mut self, name: impl Into<String>) -> Self {
        self.model = Some(name.into());
        self
    }

    /// Asks for `text` in some tool result among the news.
    #[must_use]
    pub fn tool_result_contains(mut self, text: impl Into<String>) -> Self {
        self.tool_result_contains.0.push(text.into());
        self
    }

    /// Asks for this wire.
    #[must_use]
    pub fn wire(mut self, wire: WireName) -> Self {
        self.wire = Some(wire);
        self
    }

    /// Asks that the answer is to be streamed, or not.
    #[must_use]
    pub fn stream(mut self, streamed: bool) -> Self {
        self.stream = Some(streamed);
        self
    }

    /// Asks that the header `name` is `value`.
    #[must_use]
    pub fn header_equals(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.header.push(HeaderCondition { name: name.into(), equals: Some(value.into()), contains: None });
        self
    }

    /// Asks that the header `name` holds `text`.
    #[must_use]
    pub fn header_contains(mut self, name: impl Into<String>, text: impl Into<String>) -> Self {
        self.header.push(HeaderCondition { name: name.into(), equals: None, contains: Some(text.into()) });
        self
    }

    /// Asks that the body holds `value` at the JSON Pointer `pointer`.
    #[must_use]
    pub fn json_equals(mut self, pointer: impl Into<String>, value: impl Into<Value>) -> Self {
        self.json.push(JsonCondition { pointer: pointer.into(), equals: Some(value.into()), exists: None });
        self
    }

    /// Asks that the body holds something, or nothing, at the JSON Pointer `pointer`.
    #[must_use]
    pub fn json_exists(mut self, pointer: impl Into<String>, exists: bool) -> Self {
        self.json.push(JsonCondition { pointer: pointer.into(), equals: None, exists: Some(exists) });
        self
    }

    pub(crate) fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

/// Who said a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// The user.
    User,
    /// The model.
    Assistant,
    /// A tool: the message is its result.
    Tool,
}

impl Role {
    /// The word in scripts and journals.
    pub fn word(self) -> &'static str {
        match self {
            Self::User => "user",
            Self::Assistant => "assistant",
            Self::Tool => "tool",
        }
    }
}

/// A wire, by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WireName {
    /// OpenAI Chat Completions.
    Chat,
    /// OpenAI Responses.
    Responses,
    /// Anthropic Messages.
    Messages,
}

impl WireName {
    /// All there are.
    pub(crate) const ALL: [Self; 3] = [Self::Chat, Self::Responses, Self::Messages];

    /// The word in scripts and journals.
    pub fn word(self) -> &'static str {
        match self {
            Self::Chat => "chat",
            Self::Responses => "responses",
            Self::Messages => "messages",
        }
    }
}

/// A condition on one header of the request. With neither `equals` nor `contains`: it is there.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HeaderCondition {
    /// Its name; case does not matter.
    pub name: String,
    /// Its whole value.
    #[serde(default, deserialize_with = "super::given", skip_serializing_if = "Option::is_none")]
    pub equals: Option<String>,
    /// A part of its value.
    #[serde(default, deserialize_with = "super::given", skip_serializing_if = "Option::is_none")]
    pub contains: Option<String>,
}

/// A condition on one place of the request body.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct JsonCondition {
    /// A JSON Pointer (RFC 6901); empty for the whole body.
    pub pointer: String,
    /// The value there, numbers compared by value.
    #[serde(default, deserialize_with = "super::given", skip_serializing_if = "Option::is_none")]
    pub equals: Option<Value>,
    /// Whether there is a value there at all; `null` is one.
    #[serde(default, deserialize_with = "super::given", skip_serializing_if = "Option::is_none")]
    pub exists: Option<bool>,
}

/// One text, or several that must all be found. Written as a string or as a list of strings.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Texts(pub Vec<String>);

impl Texts {
    /// Whether nothing is asked for.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl Serialize for Texts {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0.as_slice() {
            [one] => serializer.serialize_str(one),
            many => serializer.collect_seq(many),
        }
    }
}

impl<'de> Deserialize<'de> for Texts {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(OneOrMany)
    }
}

struct OneOrMany;

impl<'de> de::Visitor<'de> for OneOrMany {
    type Value = Texts;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a string or a list of strings")
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<Texts, E> {
        Ok(Texts(vec![text.to_owned()]))
    }

    fn visit_seq<A: de::SeqAccess<'de>>(self, mut items: A) -> Result<Texts, A::Error> {
        let mut texts = Vec::new();
        while let Some(text) = items.next_element()? {
            texts.push(text);
        }
        Ok(Texts(texts))
    }
}
