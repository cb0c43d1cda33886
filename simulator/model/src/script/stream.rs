//! How an answer is cut into events and when they are sent.

use serde::{Deserialize, Serialize};

/// How an answer is streamed. Nothing in here changes what is said.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Stream {
    /// Characters of a fragment of text or arguments. Left out: about 12, and two fragments at least.
    #[serde(deserialize_with = "super::given", skip_serializing_if = "Option::is_none")]
    pub piece_chars: Option<u32>,
    /// Milliseconds before the first event, or before an answer in one piece.
    #[serde(deserialize_with = "super::given", skip_serializing_if = "Option::is_none")]
    pub first_ms: Option<u32>,
    /// Milliseconds between events. Event k is due at `first_ms + k * gap_ms`, however late others were.
    #[serde(deserialize_with = "super::given", skip_serializing_if = "Option::is_none")]
    pub gap_ms: Option<u32>,
    /// Whether every event is handed to the network on its own. Every event is a chunk of its own anyway,
    /// and events that wait for their time go out one by one; those that are due at once share writes when
    /// this is left out.
    #[serde(skip_serializing_if = "super::is_false")]
    pub flush_each: bool,
    /// Messages wire: before which events a `ping` is sent, counted from 0. Left out: before event 1.
    #[serde(deserialize_with = "super::given", skip_serializing_if = "Option::is_none")]
    pub pings: Option<Vec<u32>>,
    /// How lines end.
    #[serde(skip_serializing_if = "LineEnds::is_lf")]
    pub line_ends: LineEnds,
    /// Whether the data of an event stands on several `data:` lines.
    #[serde(skip_serializing_if = "super::is_false")]
    pub split_data: bool,
    /// Chat Completions: whether the fragments of parallel tool calls take turns.
    #[serde(skip_serializing_if = "super::is_false")]
    pub interleave: bool,
    /// Chat Completions: the field that carries reasoning, which the API itself does not tell.
    #[serde(skip_serializing_if = "ReasoningField::is_default")]
    pub reasoning_field: ReasoningField,
}

/// How the lines of a stream end.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LineEnds {
    /// A line feed.
    #[default]
    Lf,
    /// A carriage return and a line feed.
    Crlf,
}

impl LineEnds {
    #[expect(clippy::trivially_copy_pass_by_ref, reason = "the signature is serde's")]
    fn is_lf(&self) -> bool {
        *self == Self::Lf
    }
}

/// The field of a delta that carries reasoning; servers disagree about its name.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ReasoningField {
    /// `reasoning_content`
    #[default]
    ReasoningContent,
    /// `reasoning`
    Reasoning,
    /// `reasoning_text`
    ReasoningText,
}

impl ReasoningField {
    /// The name of the field.
    pub fn word(self) -> &'static str {
        match self {
            Self::ReasoningContent => "reasoning_content",
            Self::Reasoning => "reasoning",
            Self::ReasoningText => "reasoning_text",
        }
    }

    #[expect(clippy::trivially_copy_pass_by_ref, reason = "the signature is serde's")]
    fn is_default(&self) -> bool {
        *self == Self::default()
    }
}

impl Stream {
    pub(crate) fn is_default(&self) -> bool {
        *self == Self::default()
    }
}
