//! What is broken on purpose.

use std::{collections::BTreeMap, fmt};

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

use super::{Conditions, Texts};

/// A fault: for which requests, how often, and what goes wrong. Exactly one of the fields from `status`
/// on is given. Events are counted from 0.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Fault {
    /// Only requests that keep these conditions are hit.
    #[serde(skip_serializing_if = "Conditions::is_empty")]
    pub when: Conditions,
    /// Only the first so many answers of the session are hit. Left out: all of them.
    #[serde(deserialize_with = "super::given", skip_serializing_if = "Option::is_none")]
    pub first: Option<u32>,
    /// How likely an answer is hit, from 0 to 1. What is drawn follows from the seed, the script, the
    /// fault, the request and how often it was sent. Left out: 1.
    #[serde(deserialize_with = "super::given", skip_serializing_if = "Option::is_none")]
    pub chance: Option<f64>,
    /// An error in the wire's own envelope.
    #[serde(deserialize_with = "super::given", skip_serializing_if = "Option::is_none")]
    pub status: Option<ErrorStatus>,
    /// The connection is reset before any byte of an answer.
    #[serde(skip_serializing_if = "super::is_false")]
    pub reset_before_headers: bool,
    /// No answer ever begins.
    #[serde(skip_serializing_if = "super::is_false")]
    pub stall_before_headers: bool,
    /// A clean end after so many events; an answer in one piece is empty.
    #[serde(deserialize_with = "super::given", skip_serializing_if = "Option::is_none")]
    pub end_after: Option<u32>,
    /// The connection closes in the middle of this event, or of an answer in one piece.
    #[serde(deserialize_with = "super::given", skip_serializing_if = "Option::is_none")]
    pub cut_inside: Option<u32>,
    /// The connection is reset after so many events.
    #[serde(deserialize_with = "super::given", skip_serializing_if = "Option::is_none")]
    pub reset_after: Option<u32>,
    /// Silence for ever after so many events.
    #[serde(deserialize_with = "super::given", skip_serializing_if = "Option::is_none")]
    pub stall_after: Option<u32>,
    /// Another pace.
    #[serde(deserialize_with = "super::given", skip_serializing_if = "Option::is_none")]
    pub slow: Option<Slow>,
    /// The wire's own error event after so many events, and then the end.
    #[serde(deserialize_with = "super::given", skip_serializing_if = "Option::is_none")]
    pub error_after: Option<ErrorEvent>,
    /// This event, or an answer in one piece, carries JSON that is cut short.
    #[serde(deserialize_with = "super::given", skip_serializing_if = "Option::is_none")]
    pub malformed_json: Option<u32>,
    /// This event is none: its lines have no field names.
    #[serde(deserialize_with = "super::given", skip_serializing_if = "Option::is_none")]
    pub malformed_sse: Option<u32>,
    /// Events of these names are left out.
    #[serde(skip_serializing_if = "Texts::is_empty")]
    pub drop_events: Texts,
    /// This event is sent twice.
    #[serde(deserialize_with = "super::given", skip_serializing_if = "Option::is_none")]
    pub duplicate_event: Option<u32>,
    /// These two events change places.
    #[serde(deserialize_with = "super::given", skip_serializing_if = "Option::is_none")]
    pub swap_events: Option<(u32, u32)>,
    /// No `event:` lines.
    #[serde(skip_serializing_if = "super::is_false")]
    pub no_event_lines: bool,
    /// Why the answer ends is never told, nor that it does.
    #[serde(skip_serializing_if = "super::is_false")]
    pub no_finish_reason: bool,
    /// Responses: the last event holds no output.
    #[serde(skip_serializing_if = "super::is_false")]
    pub empty_output: bool,
    /// Another content type.
    #[serde(deserialize_with = "super::given", skip_serializing_if = "Option::is_none")]
    pub content_type: Option<String>,
    /// The arguments of every call are broken.
    #[serde(deserialize_with = "super::given", skip_serializing_if = "Option::is_none")]
    pub tool_arguments: Option<BrokenArguments>,
    /// Every call names this tool.
    #[serde(deserialize_with = "super::given", skip_serializing_if = "Option::is_none")]
    pub unknown_tool: Option<String>,
    /// Every call has the id of the first.
    #[serde(skip_serializing_if = "super::is_false")]
    pub duplicate_call_id: bool,
    /// A byte of this event, or of an answer in one piece, is no UTF-8.
    #[serde(deserialize_with = "super::given", skip_serializing_if = "Option::is_none")]
    pub invalid_utf8: Option<u32>,
    /// A comment of so many bytes before an event, or as many spaces before an answer in one piece.
    #[serde(deserialize_with = "super::given", skip_serializing_if = "Option::is_none")]
    pub oversized: Option<Oversized>,
    /// A stream without any event, or an answer of no bytes.
    #[serde(skip_serializing_if = "super::is_false")]
    pub empty_stream: bool,
}

/// What goes wrong: a [`Fault`] once it is known to name one thing.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Wrong {
    Status(ErrorStatus),
    ResetBeforeHeaders,
    StallBeforeHeaders,
    EndAfter(usize),
    CutInside(usize),
    ResetAfter(usize),
    StallAfter(usize),
    Slow(Slow),
    ErrorAfter(ErrorEvent),
    MalformedJson(usize),
    MalformedSse(usize),
    DropEvents(Vec<String>),
    DuplicateEvent(usize),
    SwapEvents(usize, usize),
    NoEventLines,
    NoFinishReason,
    EmptyOutput,
    ContentType(String),
    ToolArguments(BrokenArguments),
    UnknownTool(String),
    DuplicateCallId,
    InvalidUtf8(usize),
    Oversized(Oversized),
    EmptyStream,
}

/// A number of events, or the place of one.
fn count(number: u32) -> usize {
    usize::try_from(number).unwrap_or(usize::MAX)
}

impl Fault {
    /// A fault that hits nothing yet: give it one wrong.
    pub fn new() -> Self {
        Self::default()
    }

    /// Hits the first `count` answers of the session only.
    #[must_use]
    pub fn first(mut self, count: u32) -> Self {
        self.first = Some(count);
        self
    }

    /// Everything that is said to go wrong, with the name of its field.
    pub(crate) fn wrongs(&self) -> Vec<(&'static str, Wrong)> {
        let flag = |given: bool, wrong: Wrong| given.then_some(wrong);
        let at = |place: Option<u32>, wrong: fn(usize) -> Wrong| place.map(|place| wrong(count(place)));
        let drop = (!self.drop_events.is_empty()).then(|| Wrong::DropEvents(self.drop_events.0.clone()));
        let swap = self.swap_events.map(|(left, right)| Wrong::SwapEvents(count(left), count(right)));
        [
            ("status", self.status.clone().map(Wrong::Status)),
            ("reset_before_headers", flag(self.reset_before_headers, Wrong::ResetBeforeHeaders)),
            ("stall_before_headers", flag(self.stall_before_headers, Wrong::StallBeforeHeaders)),
            ("end_after", at(self.end_after, Wrong::EndAfter)),
            ("cut_inside", at(self.cut_inside, Wrong::CutInside)),
            ("reset_after", at(self.reset_after, Wrong::ResetAfter)),
            ("stall_after", at(self.stall_after, Wrong::StallAfter)),
            ("slow", self.slow.map(Wrong::Slow)),
            ("error_after", self.error_after.clone().map(Wrong::ErrorAfter)),
            ("malformed_json", at(self.malformed_json, Wrong::MalformedJson)),
            ("malformed_sse", at(self.malformed_sse, Wrong::MalformedSse)),
            ("drop_events", drop),
            ("duplicate_event", at(self.duplicate_event, Wrong::DuplicateEvent)),
            ("swap_events", swap),
            ("no_event_lines", flag(self.no_event_lines, Wrong::NoEventLines)),
            ("no_finish_reason", flag(self.no_finish_reason, Wrong::NoFinishReason)),
            ("empty_output", flag(self.empty_output, Wrong::EmptyOutput)),
            ("content_type", self.content_type.clone().map(Wrong::ContentType)),
            ("tool_arguments", self.tool_arguments.map(Wrong::ToolArguments)),
            ("unknown_tool", self.unknown_tool.clone().map(Wrong::UnknownTool)),
            ("duplicate_call_id", flag(self.duplicate_call_id, Wrong::DuplicateCallId)),
            ("invalid_utf8", at(self.invalid_utf8, Wrong::InvalidUtf8)),
            ("oversized", self.oversized.map(Wrong::Oversized)),
            ("empty_stream", flag(self.empty_stream, Wrong::EmptyStream)),
        ]
        .into_iter()
        .filter_map(|(name, wrong)| Some((name, wrong?)))
        .collect()
    }
}

/// Every field of a [`Fault`] that names a wrong.
pub(crate) const WRONGS: [&str; 24] = [
    "status",
    "reset_before_headers",
    "stall_before_headers",
    "end_after",
    "cut_inside",
    "reset_after",
    "stall_after",
    "slow",
    "error_after",
    "malformed_json",
    "malformed_sse",
    "drop_events",
    "duplicate_event",
    "swap_events",
    "no_event_lines",
    "no_finish_reason",
    "empty_output",
    "content_type",
    "tool_arguments",
    "unknown_tool",
    "duplicate_call_id",
    "invalid_utf8",
    "oversized",
    "empty_stream",
];

/// An error answer: a status code, or that and more.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ErrorStatus {
    /// The HTTP status, from 400 to 599.
    pub code: u16,
    /// Headers besides those of the wire; `retry-after: "1"` for one.
    pub headers: BTreeMap<String, String>,
    /// The type in the envelope. Left out: what the wire says with this status.
    pub kind: Option<String>,
    /// The message. Left out: one that says it is the script's doing.
    pub message: Option<String>,
    /// The code in the envelope.
    pub error_code: Option<String>,
}

/// How an error status is written when it is more than a number.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct FullStatus {
    code: u16,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    headers: BTreeMap<String, String>,
    #[serde(
        rename = "type",
        default,
        deserialize_with = "super::given",
        skip_serializing_if = "Option::is_none"
    )]
    kind: Option<String>,
    #[serde(default, deserialize_with = "super::given", skip_serializing_if = "Option::is_none")]
    message: Option<String>,
    #[serde(default, deserialize_with = "super::given", skip_serializing_if = "Option::is_none")]
    error_code: Option<String>,
}

impl From<u16> for ErrorStatus {
    fn from(code: u16) -> Self {
        Self { code, ..Self::default() }
    }
}

impl Serialize for ErrorStatus {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if *self == Self::from(self.code) {
            return serializer.serialize_u16(self.code);
        }
        let Self { code, headers, kind, message, error_code } = self.clone();
        FullStatus { code, headers, kind, message, error_code }.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for ErrorStatus {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(CodeOrFull)
    }
}

struct CodeOrFull;

impl<'de> de::Visitor<'de> for CodeOrFull {
    type Value = ErrorStatus;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a status code or a mapping with `code`")
    }

    fn visit_u64<E: de::Error>(self, code: u64) -> Result<ErrorStatus, E> {
        u16::try_from(code)
            .map(ErrorStatus::from)
            .map_err(|_| E::invalid_value(de::Unexpected::Unsigned(code), &self))
    }

    fn visit_i64<E: de::Error>(self, code: i64) -> Result<ErrorStatus, E> {
        u16::try_from(code)
            .map(ErrorStatus::from)
            .map_err(|_| E::invalid_value(de::Unexpected::Signed(code), &self))
    }

    fn visit_map<A: de::MapAccess<'de>>(self, map: A) -> Result<ErrorStatus, A::Error> {
        let full = FullStatus::deserialize(de::value::MapAccessDeserializer::new(map))?;
        let FullStatus { code, headers, kind, message, error_code } = full;
        Ok(ErrorStatus { code, headers, kind, message, error_code })
    }
}

/// A pace that replaces the one of the turn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Slow {
    /// Milliseconds before the first event.
    pub first_ms: u32,
    /// Milliseconds between events.
    pub gap_ms: u32,
}

/// An error that comes inside a stream.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ErrorEvent {
    /// After how many events it comes.
    pub events: u32,
    /// Its type. Left out: `overloaded_error` on the Messages wire, `server_error` on the others.
    #[serde(
        rename = "type",
        default,
        deserialize_with = "super::given",
        skip_serializing_if = "Option::is_none"
    )]
    pub kind: Option<String>,
    /// Its message. Left out: one that says it is the script's doing.
    #[serde(default, deserialize_with = "super::given", skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// Its code, where the wire has one.
    #[serde(default, deserialize_with = "super::given", skip_serializing_if = "Option::is_none")]
    pub code: Option<String>,
}

/// How arguments are broken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BrokenArguments {
    /// Their second half is missing.
    Truncated,
    /// They are a text that is no JSON.
    Invalid,
}

/// Bytes that a client has to read past.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Oversized {
    /// Before which event.
    #[serde(default)]
    pub event: u32,
    /// How many bytes.
    pub bytes: u32,
}

impl Wrong {
    /// Whether an answer that is hit still counts as one: it arrives whole, and what is wrong with it is
    /// for the client to find out.
    pub(crate) fn is_an_answer(&self) -> bool {
        matches!(
            self,
            Self::ToolArguments(_)
                | Self::UnknownTool(_)
                | Self::DuplicateCallId
                | Self::Slow(_)
                | Self::Oversized(_)
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_wrong_has_its_name_in_the_list() {
        let all = Fault {
            status: Some(500.into()),
            reset_before_headers: true,
            stall_before_headers: true,
            end_after: Some(0),
            cut_inside: Some(0),
            reset_after: Some(0),
            stall_after: Some(0),
            slow: Some(Slow::default()),
            error_after: Some(ErrorEvent::default()),
            malformed_json: Some(0),
            malformed_sse: Some(0),
            drop_events: Texts(vec!["a".into()]),
            duplicate_event: Some(0),
            swap_events: Some((0, 1)),
            no_event_lines: true,
            no_finish_reason: true,
            empty_output: true,
            content_type: Some("text/plain".into()),
            tool_arguments: Some(BrokenArguments::Invalid),
            unknown_tool: Some("x".into()),
            duplicate_call_id: true,
            invalid_utf8: Some(0),
            oversized: Some(Oversized::default()),
            empty_stream: true,
            ..Fault::default()
        };
        let names: Vec<&str> = all.wrongs().into_iter().map(|(name, _)| name).collect();
        assert_eq!(names, WRONGS);
        let json = serde_json::to_value(&all).unwrap();
        assert_eq!(serde_json::from_value::<Fault>(json).unwrap(), all);
    }
}
