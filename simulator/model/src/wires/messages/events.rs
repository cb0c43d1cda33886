//! A message as events.

use std::{ops::Range, sync::Arc};

use serde::Serialize;

use super::message::{Block, Counts, Managed, Message, Stop, empty_block, is_block};
use crate::{
    reply::{Reply, Said},
    wires::{Event, Events, pieces::pieces_of},
};

/// Where a `ping` stands when the script does not say: after `message_start`.
const PING_AT: u32 = 1;

/// A block of the answer.
#[derive(Clone, Copy, Debug)]
struct At {
    /// Its place among all that is said.
    place: usize,
    /// Its index on the wire.
    index: usize,
}

/// What one event tells.
#[derive(Clone, Debug)]
enum Step {
    Begin,
    Ping,
    Open(At),
    Piece(At, Range<usize>),
    /// The signature of a thought.
    Sign(At),
    Close(At),
    /// Why it ends, and what it cost.
    End,
    Stop,
}

/// The beginning, then block by block its start, fragments and stop, then the reason for the end with the
/// usage, and the stop. Pings stand where the script puts them.
pub(super) fn of(reply: Arc<Reply>, manages_context: bool) -> Events {
    let steps = with_pings(steps(&reply), &reply);
    Box::new(steps.into_iter().map(move |step| event(&reply, &step, manages_context)))
}

fn steps(reply: &Reply) -> Vec<Step> {
    let size = reply.stream.piece_chars;
    let blocks = reply.blocks.iter().enumerate().filter(|(_, said)| is_block(said));
    let mut steps = vec![Step::Begin];
    for (index, (place, said)) in blocks.enumerate() {
        let at = At { place, index };
        steps.push(Step::Open(at));
        if matches!(said, Said::ToolCall(_)) {
            // The API opens arguments with an empty fragment.
            steps.push(Step::Piece(at, 0..0));
        }
        steps.extend(pieces_of(text(said), size).into_iter().map(|piece| Step::Piece(at, piece)));
        if matches!(said, Said::Thinking(_)) {
            steps.push(Step::Sign(at));
        }
        steps.push(Step::Close(at));
    }
    steps.extend([Step::End, Step::Stop]);
    steps
}

/// What a block says in fragments.
fn text(said: &Said) -> &str {
    match said {
        Said::Text(text) | Said::Refusal(text) => text,
        Said::Thinking(thought) => &thought.text,
        Said::ToolCall(call) => &call.arguments,
    }
}

/// Puts the pings before their steps. There is none after the last step.
fn with_pings(steps: Vec<Step>, reply: &Reply) -> Vec<Step> {
    let mut places = reply.stream.pings.clone().unwrap_or_else(|| vec![PING_AT]);
    places.sort_unstable();
    let mut places = places.into_iter().peekable();
    let mut woven = Vec::with_capacity(steps.len() + places.len());
    for (number, step) in (0u32..).zip(steps) {
        while places.next_if_eq(&number).is_some() {
            woven.push(Step::Ping);
        }
        woven.push(step);
    }
    woven
}

/// The data of an event.
#[derive(Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Data<'a> {
    MessageStart {
        message: Message<'a>,
    },
    Ping {},
    ContentBlockStart {
        index: usize,
        content_block: Block<'a>,
    },
    ContentBlockDelta {
        index: usize,
        delta: Fragment<'a>,
    },
    ContentBlockStop {
        index: usize,
    },
    MessageDelta {
        delta: Stop,
        #[serde(skip_serializing_if = "Option::is_none")]
        context_management: Option<Managed>,
        usage: Counts,
    },
    MessageStop {},
}

/// What a fragment adds to its block.
#[derive(Serialize)]
#[serde(tag = "type")]
enum Fragment<'a> {
    #[serde(rename = "text_delta")]
    Text { text: &'a str },
    #[serde(rename = "thinking_delta")]
    Thinking { thinking: &'a str },
    #[serde(rename = "signature_delta")]
    Signature { signature: &'a str },
    #[serde(rename = "input_json_delta")]
    Input { partial_json: &'a str },
}

fn event(reply: &Reply, step: &Step, manages_context: bool) -> Event {
    let (name, data) = match step {
        Step::Begin => ("message_start", Data::MessageStart { message: Message::begun(reply) }),
        Step::Ping => ("ping", Data::Ping {}),
        Step::Open(at) => {
            let content_block = empty_block(&reply.blocks[at.place]);
            ("content_block_start", Data::ContentBlockStart { index: at.index, content_block })
        }
        Step::Piece(at, piece) => ("content_block_delta", delta(at, said(&reply.blocks[at.place], piece))),
        Step::Sign(at) => ("content_block_delta", delta(at, signature(&reply.blocks[at.place]))),
        Step::Close(at) => ("content_block_stop", Data::ContentBlockStop { index: at.index }),
        Step::End => {
            let context_management = Managed::when(manages_context);
            let delta = Stop::of(reply);
            ("message_delta", Data::MessageDelta { delta, context_management, usage: reply.usage.into() })
        }
        Step::Stop => ("message_stop", Data::MessageStop {}),
    };
    // Texts and numbers only: nothing in here can fail to be written.
    Event { name, told: true, data: serde_json::to_string(&data).unwrap_or_default() }
}

fn delta<'a>(at: &At, delta: Fragment<'a>) -> Data<'a> {
    Data::ContentBlockDelta { index: at.index, delta }
}

fn said<'a>(said: &'a Said, piece: &Range<usize>) -> Fragment<'a> {
    let text = &text(said)[piece.clone()];
    match said {
        Said::Text(_) | Said::Refusal(_) => Fragment::Text { text },
        Said::Thinking(_) => Fragment::Thinking { thinking: text },
        Said::ToolCall(_) => Fragment::Input { partial_json: text },
    }
}

fn signature(said: &Said) -> Fragment<'_> {
    match said {
        Said::Thinking(thought) => Fragment::Signature { signature: &thought.signature },
        // Nothing else is signed.
        _ => Fragment::Signature { signature: "" },
    }
}
