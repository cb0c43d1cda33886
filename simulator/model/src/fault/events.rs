//! Wrongs that are done to events and bytes.

use std::sync::Arc;

use axum::body::Bytes;
use serde_json::Value;

use crate::{
    reply::Reply,
    request::Asked,
    script::{LineEnds, Stream, WireName, Wrong},
    wires::{Event, Wire},
};

/// What goes out next.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Frame {
    /// Bytes, which are flushed on their own.
    Data(Bytes),
    /// The connection closes without the end of the body.
    Cut,
    /// The connection is reset.
    Reset,
    /// Nothing, for ever.
    Stall,
}

impl Frame {
    /// How many bytes it is.
    pub(crate) fn len(&self) -> usize {
        match self {
            Self::Data(bytes) => bytes.len(),
            Self::Cut | Self::Reset | Self::Stall => 0,
        }
    }
}

/// What goes out, in order. It ends with the body unless the last frame says otherwise.
pub(crate) type Frames = Box<dyn Iterator<Item = Frame> + Send>;

/// An answer as a stream of events, with what goes wrong with it.
pub(crate) fn frames(wire: &dyn Wire, reply: &Arc<Reply>, asked: &Asked, wrong: Option<&Wrong>) -> Frames {
    let events = wire.events(reply, asked);
    let style = reply.stream.clone();
    let Some(wrong) = wrong else {
        return Box::new(events.map(move |event| Frame::Data(encoded(&event, &style).into())));
    };
    let mut events: Vec<Event> = events.collect();
    if !reaches(wrong, &events) {
        return Box::new(events.into_iter().map(move |event| Frame::Data(encoded(&event, &style).into())));
    }
    break_events(&mut events, wrong, wire, reply, asked);
    let mut frames: Vec<Vec<u8>> = events.iter().map(|event| encoded(event, &style)).collect();
    break_bytes(&mut frames, wrong);
    Box::new(ended(frames, wrong).into_iter())
}

/// Whether a fault that hits a stream changes anything about it: one that lies beyond its end does not.
pub(crate) fn changes(wire: &dyn Wire, reply: &Arc<Reply>, asked: &Asked, wrong: &Wrong) -> bool {
    reaches(wrong, &wire.events(reply, asked).collect::<Vec<_>>())
}

fn reaches(wrong: &Wrong, events: &[Event]) -> bool {
    let has = |at: usize| at < events.len();
    let place = |number: u32| usize::try_from(number).unwrap_or(usize::MAX);
    match wrong {
        Wrong::EndAfter(at)
        | Wrong::CutInside(at)
        | Wrong::ResetAfter(at)
        | Wrong::StallAfter(at)
        | Wrong::MalformedJson(at)
        | Wrong::MalformedSse(at)
        | Wrong::DuplicateEvent(at)
        | Wrong::InvalidUtf8(at) => has(*at),
        Wrong::SwapEvents(left, right) => has(*left) && has(*right),
        Wrong::ErrorAfter(error) => has(place(error.events)),
        Wrong::Oversized(oversized) => has(place(oversized.event)),
        Wrong::DropEvents(names) => events.iter().any(|event| names.iter().any(|name| name == event.name)),
        Wrong::NoEventLines => events.iter().any(|event| event.told),
        Wrong::EmptyOutput => events.iter().any(|event| event.name == "response.completed"),
        _ => true,
    }
}

/// An answer in one piece, with what goes wrong with it.
pub(crate) fn whole(text: String, wrong: Option<&Wrong>) -> Vec<Frame> {
    let mut bytes = text.into_bytes();
    let half = bytes.len() / 2;
    match wrong {
        Some(Wrong::EndAfter(_) | Wrong::EmptyStream) => bytes.clear(),
        Some(Wrong::MalformedJson(_) | Wrong::CutInside(_) | Wrong::ResetAfter(_) | Wrong::StallAfter(_)) => {
            bytes.truncate(half);
        }
        Some(Wrong::InvalidUtf8(_)) => spoil(&mut bytes),
        Some(Wrong::Oversized(oversized)) => {
            let mut padded = vec![b' '; usize::try_from(oversized.bytes).unwrap_or(usize::MAX)];
            padded.append(&mut bytes);
            bytes = padded;
        }
        _ => {}
    }
    let end = match wrong {
        Some(Wrong::CutInside(_)) => Some(Frame::Cut),
        Some(Wrong::ResetAfter(_)) => Some(Frame::Reset),
        Some(Wrong::StallAfter(_)) => Some(Frame::Stall),
        _ => None,
    };
    std::iter::once(Frame::Data(bytes.into())).chain(end).collect()
}

/// An event as it is written.
fn encoded(event: &Event, style: &Stream) -> Vec<u8> {
    let end: &[u8] = match style.line_ends {
        LineEnds::Lf => b"\n",
        LineEnds::Crlf => b"\r\n",
    };
    let mut bytes = Vec::with_capacity(event.data.len() + event.name.len() + 24);
    if event.told {
        bytes.extend_from_slice(b"event: ");
        bytes.extend_from_slice(event.name.as_bytes());
        bytes.extend_from_slice(end);
    }
    let pretty = style.split_data.then(|| serde_json::from_str::<Value>(&event.data).ok()).flatten();
    let data = pretty.map(|value| format!("{value:#}"));
    for line in data.as_deref().unwrap_or(&event.data).split('\n') {
        bytes.extend_from_slice(b"data: ");
        bytes.extend_from_slice(line.as_bytes());
        bytes.extend_from_slice(end);
    }
    bytes.extend_from_slice(end);
    bytes
}

/// What the finish of an answer is told with, on each wire.
fn finish(wire: WireName) -> &'static [&'static str] {
    match wire {
        WireName::Chat => &["finish", "usage", "done"],
        WireName::Responses => &["response.completed", "response.incomplete"],
        WireName::Messages => &["message_delta", "message_stop"],
    }
}

fn break_events(events: &mut Vec<Event>, wrong: &Wrong, wire: &dyn Wire, reply: &Reply, asked: &Asked) {
    match wrong {
        Wrong::DropEvents(names) => events.retain(|event| !names.iter().any(|name| name == event.name)),
        Wrong::NoFinishReason => events.retain(|event| !finish(wire.name()).contains(&event.name)),
        Wrong::NoEventLines => events.iter_mut().for_each(|event| event.told = false),
        Wrong::DuplicateEvent(at) => {
            if let Some(event) = events.get(*at).cloned() {
                events.insert(*at, event);
            }
        }
        Wrong::SwapEvents(left, right) if (*left).max(*right) < events.len() => events.swap(*left, *right),
        Wrong::MalformedJson(at) => {
            if let Some(event) = events.get_mut(*at) {
                let half = event.data.chars().count() / 2;
                event.data = event.data.chars().take(half).collect();
            }
        }
        Wrong::EmptyOutput => {
            for event in events.iter_mut().filter(|event| event.name == "response.completed") {
                if let Ok(mut value) = serde_json::from_str::<Value>(&event.data) {
                    value["response"]["output"] = Value::Array(Vec::new());
                    event.data = value.to_string();
                }
            }
        }
        Wrong::ErrorAfter(error) => {
            events.truncate(usize::try_from(error.events).unwrap_or(usize::MAX));
            events.push(wire.error_event(error, reply, asked));
        }
        Wrong::EmptyStream => events.clear(),
        _ => {}
    }
}

fn break_bytes(frames: &mut [Vec<u8>], wrong: &Wrong) {
    match wrong {
        Wrong::MalformedSse(at) => {
            if let Some(frame) = frames.get_mut(*at) {
                // A line without a field name that is known is skipped by readers, so the event is lost.
                let text =
                    String::from_utf8_lossy(frame).replace("data: ", "dta; ").replace("event: ", "evnt; ");
                *frame = text.into_bytes();
            }
        }
        Wrong::InvalidUtf8(at) => {
            if let Some(frame) = frames.get_mut(*at) {
                spoil(frame);
            }
        }
        Wrong::Oversized(oversized) => {
            let at = usize::try_from(oversized.event).unwrap_or(usize::MAX);
            if let Some(frame) = frames.get_mut(at) {
                let mut padded = vec![b':'];
                padded.resize(usize::try_from(oversized.bytes).unwrap_or(usize::MAX).max(2) - 1, b'.');
                padded.push(b'\n');
                padded.append(frame);
                *frame = padded;
            }
        }
        _ => {}
    }
}

/// Puts a byte that no UTF-8 has in the middle, or alone where there is nothing.
fn spoil(bytes: &mut Vec<u8>) {
    bytes.insert(bytes.len() / 2, 0xff);
}

/// Cuts the frames where they end too early, and says how.
fn ended(mut frames: Vec<Vec<u8>>, wrong: &Wrong) -> Vec<Frame> {
    let end = match wrong {
        Wrong::EndAfter(count) => {
            frames.truncate(*count);
            None
        }
        Wrong::ResetAfter(count) => {
            frames.truncate(*count);
            Some(Frame::Reset)
        }
        Wrong::StallAfter(count) => {
            frames.truncate(*count);
            Some(Frame::Stall)
        }
        Wrong::CutInside(at) => {
            frames.truncate(at.saturating_add(1));
            if let Some(last) = frames.get_mut(*at) {
                last.truncate(last.len() / 2);
            }
            Some(Frame::Cut)
        }
        _ => None,
    };
    frames.into_iter().map(|bytes| Frame::Data(bytes.into())).chain(end).collect()
}
