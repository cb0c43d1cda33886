//! A chat completion as events.

use std::{ops::Range, sync::Arc};

use serde::Serialize;

use super::Tokens;
use crate::{
    reply::{Reply, Said},
    script::ReasoningField,
    wires::{Event, Events, pieces::pieces_of},
};

/// What one event adds to the message of a choice. Clients join the fragments of a field, so nothing that
/// is said once may be repeated: the role, and the id, type and name of a call.
#[derive(Clone, Debug)]
enum Step {
    Role,
    /// A piece of the block.
    Piece(usize, Range<usize>),
    /// The block begins the call of this number.
    Call(usize, usize),
    /// A piece of the arguments of the block, which is the call of this number.
    Arguments(usize, usize, Range<usize>),
    Finish,
    Usage,
    Done,
}

/// The role once, then what is said in fragments, the reason for the end alone, the usage when it was
/// asked for, and `[DONE]`.
pub(super) fn of(reply: Arc<Reply>, choices: u64, include_usage: bool) -> Events {
    let message = steps(&reply);
    let said = (0..choices).flat_map(|choice| message.iter().map(move |step| (choice, step.clone())));
    let usage = include_usage.then_some((0, Step::Usage));
    let steps: Vec<(u64, Step)> = said.chain(usage).chain([(0, Step::Done)]).collect();
    let id = format!("chatcmpl-{}", reply.token);
    Box::new(steps.into_iter().map(move |(choice, step)| event(&reply, &id, choice, &step, include_usage)))
}

fn steps(reply: &Reply) -> Vec<Step> {
    let size = reply.stream.piece_chars;
    let mut steps = vec![Step::Role];
    let mut fragments: Vec<Vec<Step>> = Vec::new();
    for (place, block) in reply.blocks.iter().enumerate() {
        match block {
            Said::Text(text) | Said::Refusal(text) => {
                steps.extend(pieces_of(text, size).into_iter().map(|piece| Step::Piece(place, piece)));
            }
            Said::Thinking(thought) => {
                steps.extend(
                    pieces_of(&thought.text, size).into_iter().map(|piece| Step::Piece(place, piece)),
                );
            }
            Said::ToolCall(call) => {
                let number = fragments.len();
                let pieces = pieces_of(&call.arguments, size).into_iter();
                let pieces = pieces.map(|piece| Step::Arguments(place, number, piece));
                let call: Vec<Step> = std::iter::once(Step::Call(place, number)).chain(pieces).collect();
                if !reply.stream.interleave {
                    steps.extend(call.iter().cloned());
                }
                fragments.push(call);
            }
        }
    }
    if reply.stream.interleave {
        steps.extend(by_turns(fragments));
    }
    steps.push(Step::Finish);
    steps
}

/// The first fragment of each call, then the second of each, and so on.
fn by_turns(fragments: Vec<Vec<Step>>) -> Vec<Step> {
    let longest = fragments.iter().map(Vec::len).max().unwrap_or(0);
    let mut steps = Vec::new();
    for round in 0..longest {
        steps.extend(fragments.iter().filter_map(|call| call.get(round).cloned()));
    }
    steps
}

#[derive(Serialize)]
struct Chunk<'a> {
    id: &'a str,
    object: &'static str,
    created: i64,
    model: &'a str,
    service_tier: &'static str,
    system_fingerprint: Option<&'static str>,
    choices: &'a [Choice<'a>],
    #[serde(skip_serializing_if = "Option::is_none")]
    usage: Option<Option<Tokens>>,
}

#[derive(Serialize)]
struct Choice<'a> {
    index: u64,
    delta: Delta<'a>,
    logprobs: Option<()>,
    finish_reason: Option<&'static str>,
}

#[derive(Default, Serialize)]
#[serde(default)]
struct Delta<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    role: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    content: Option<Option<&'a str>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    refusal: Option<Option<&'a str>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reasoning_content: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reasoning: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reasoning_text: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tool_calls: Option<[Call<'a>; 1]>,
}

#[derive(Serialize)]
struct Call<'a> {
    index: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    r#type: Option<&'static str>,
    function: Function<'a>,
}

#[derive(Serialize)]
struct Function<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<&'a str>,
    arguments: &'a str,
}

fn event(reply: &Reply, id: &str, choice: u64, step: &Step, include_usage: bool) -> Event {
    let (name, delta) = match step {
        Step::Done => return Event { name: "done", told: false, data: "[DONE]".to_owned() },
        Step::Usage => ("usage", None),
        Step::Finish => ("finish", Some(Delta::default())),
        Step::Role => ("role", Some(opening(reply))),
        Step::Piece(place, piece) => {
            let (name, delta) = said(reply, *place, piece);
            (name, Some(delta))
        }
        Step::Call(place, number) => ("tool_calls", Some(call(reply, *place, *number, None))),
        Step::Arguments(place, number, piece) => {
            ("tool_calls", Some(call(reply, *place, *number, Some(piece))))
        }
    };
    let finish_reason = matches!(step, Step::Finish).then(|| reply.finish_reason.word());
    let choice = delta.map(|delta| Choice { index: choice, delta, logprobs: None, finish_reason });
    let usage = match step {
        Step::Usage => Some(Some(reply.usage.into())),
        _ => include_usage.then_some(None),
    };
    let chunk = Chunk {
        id,
        object: "chat.completion.chunk",
        created: reply.created,
        model: &reply.model,
        service_tier: "default",
        system_fingerprint: None,
        choices: choice.as_slice(),
        usage,
    };
    // Texts and numbers only: nothing in here can fail to be written.
    Event { name, told: false, data: serde_json::to_string(&chunk).unwrap_or_default() }
}

/// The first delta: the role, and the content that the fragments are joined to.
fn opening(reply: &Reply) -> Delta<'_> {
    let speaks = reply.blocks.iter().any(|block| matches!(block, Said::Text(_)));
    Delta {
        role: Some("assistant"),
        content: Some(speaks.then_some("")),
        refusal: Some(None),
        ..Delta::default()
    }
}

fn said<'a>(reply: &'a Reply, place: usize, piece: &Range<usize>) -> (&'static str, Delta<'a>) {
    let empty = Delta::default();
    match &reply.blocks[place] {
        Said::Text(text) => ("content", Delta { content: Some(Some(&text[piece.clone()])), ..empty }),
        Said::Refusal(text) => ("refusal", Delta { refusal: Some(Some(&text[piece.clone()])), ..empty }),
        Said::Thinking(thought) => {
            let piece = Some(&thought.text[piece.clone()]);
            let delta = match reply.stream.reasoning_field {
                ReasoningField::ReasoningContent => Delta { reasoning_content: piece, ..empty },
                ReasoningField::Reasoning => Delta { reasoning: piece, ..empty },
                ReasoningField::ReasoningText => Delta { reasoning_text: piece, ..empty },
            };
            ("reasoning", delta)
        }
        Said::ToolCall(_) => ("tool_calls", empty),
    }
}

/// A call's beginning, or a piece of its arguments.
fn call<'a>(reply: &'a Reply, place: usize, number: usize, piece: Option<&Range<usize>>) -> Delta<'a> {
    let Said::ToolCall(sent) = &reply.blocks[place] else { return Delta::default() };
    let call = match piece {
        None => Call {
            index: number,
            id: Some(&sent.id),
            r#type: Some("function"),
            function: Function { name: Some(&sent.name), arguments: "" },
        },
        Some(piece) => Call {
            index: number,
            id: None,
            r#type: None,
            function: Function { name: None, arguments: &sent.arguments[piece.clone()] },
        },
    };
    Delta { tool_calls: Some([call]), ..Delta::default() }
}
