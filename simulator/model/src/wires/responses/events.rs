//! A response as events.

use std::{ops::Range, sync::Arc};

use serde::Serialize;

use super::{
    output::{Item, Part, Planned, text_of},
    response::{Failure, Response},
};
use crate::{
    reply::{Reply, Said},
    request::Asked,
    script::ErrorEvent,
    wires::{Event, Events, pieces::pieces_of},
};

/// What one event tells: an item by its number, a block by its place in the answer.
#[derive(Clone, Debug)]
enum Step {
    Created,
    InProgress,
    Item(usize),
    Block(usize, usize, Saying),
    ItemDone(usize),
    End,
}

/// What is told of a block.
#[derive(Clone, Debug)]
enum Saying {
    /// It begins as a part of its item.
    Part,
    Piece(Range<usize>),
    /// All of it.
    Whole,
    PartDone,
}

/// The response as it begins, each item from its beginning to its end, and the response as it has ended.
pub(super) fn of(reply: Arc<Reply>, asked: &Asked) -> Events {
    let response = Response::of(&reply, asked);
    let steps = steps(&reply, &response.items).into_iter().enumerate();
    Box::new(steps.map(move |(number, step)| event(&reply, &response, number, &step)))
}

/// An error in the words of the wire, after `error.events` events: of type `response.failed` when that is
/// what the script calls it, else of type `error`.
pub(super) fn error(error: &ErrorEvent, reply: &Reply, asked: &Asked) -> Event {
    let response = Response::of(reply, asked);
    let steps = steps(reply, &response.items);
    let number = steps.len().min(usize::try_from(error.events).unwrap_or(usize::MAX));
    let message = error.message.as_deref().unwrap_or("the script breaks this stream");
    let kind = error.kind.as_deref();
    if kind == Some(FAILED) {
        let done = steps[..number].iter().filter(|step| matches!(step, Step::ItemDone(_))).count();
        let failure = Failure { code: error.code.as_deref().unwrap_or("server_error"), message };
        return lifecycle(FAILED, number, &response.failed(reply, done, failure));
    }
    let kind = kind.filter(|kind| *kind != "error");
    let code = error.code.as_deref().or(kind).unwrap_or("server_error");
    told("error", &ErrorData { r#type: "error", sequence_number: number, code, message, param: None })
}

const FAILED: &str = "response.failed";

fn steps(reply: &Reply, items: &[Planned]) -> Vec<Step> {
    let mut steps = vec![Step::Created, Step::InProgress];
    for (number, item) in items.iter().enumerate() {
        steps.push(Step::Item(number));
        for place in item.blocks.clone() {
            let block = &reply.blocks[place];
            if matches!(block, Said::Thinking(thought) if thought.text.is_empty()) {
                continue;
            }
            let is_part = !matches!(block, Said::ToolCall(_));
            let pieces = pieces_of(text_of(block), reply.stream.piece_chars).into_iter().map(Saying::Piece);
            let sayings = is_part
                .then_some(Saying::Part)
                .into_iter()
                .chain(pieces)
                .chain([Saying::Whole])
                .chain(is_part.then_some(Saying::PartDone));
            steps.extend(sayings.map(|saying| Step::Block(number, place, saying)));
        }
        steps.push(Step::ItemDone(number));
    }
    steps.push(Step::End);
    steps
}

/// What an event about a block is called.
fn name_of(block: &Said, saying: &Saying) -> &'static str {
    match (block, saying) {
        (Said::Text(_), Saying::Piece(_)) => "response.output_text.delta",
        (Said::Text(_), Saying::Whole) => "response.output_text.done",
        (Said::Refusal(_), Saying::Piece(_)) => "response.refusal.delta",
        (Said::Refusal(_), Saying::Whole) => "response.refusal.done",
        (Said::Thinking(_), Saying::Part) => "response.reasoning_summary_part.added",
        (Said::Thinking(_), Saying::Piece(_)) => "response.reasoning_summary_text.delta",
        (Said::Thinking(_), Saying::Whole) => "response.reasoning_summary_text.done",
        (Said::Thinking(_), Saying::PartDone) => "response.reasoning_summary_part.done",
        (Said::ToolCall(_), Saying::Piece(_)) => "response.function_call_arguments.delta",
        (Said::ToolCall(_), Saying::Whole) => "response.function_call_arguments.done",
        (_, Saying::Part) => "response.content_part.added",
        (_, Saying::PartDone) => "response.content_part.done",
    }
}

/// The data of an event about an item.
#[derive(Default, Serialize)]
struct Data<'a> {
    r#type: &'static str,
    sequence_number: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    item_id: Option<&'a str>,
    output_index: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    content_index: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    summary_index: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    delta: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    refusal: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    arguments: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    logprobs: Option<[(); 0]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    part: Option<Part<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    item: Option<Item<'a>>,
}

#[derive(Serialize)]
struct ErrorData<'a> {
    r#type: &'static str,
    sequence_number: usize,
    code: &'a str,
    message: &'a str,
    param: Option<&'a str>,
}

fn event(reply: &Reply, response: &Response, number: usize, step: &Step) -> Event {
    let data = match step {
        Step::Created => return lifecycle("response.created", number, &response.begun(reply)),
        Step::InProgress => return lifecycle("response.in_progress", number, &response.begun(reply)),
        Step::End => return lifecycle(Response::end(reply), number, &response.ended(reply)),
        Step::Item(item) => Data {
            r#type: "response.output_item.added",
            output_index: *item,
            item: Some(response.items[*item].begun(reply)),
            ..Data::default()
        },
        Step::ItemDone(item) => Data {
            r#type: "response.output_item.done",
            output_index: *item,
            item: Some(response.items[*item].done(reply)),
            ..Data::default()
        },
        Step::Block(item, place, saying) => {
            let planned = &response.items[*item];
            let (block, index) = (&reply.blocks[*place], *place - planned.blocks.start);
            Data {
                r#type: name_of(block, saying),
                item_id: Some(&planned.id),
                output_index: *item,
                content_index: matches!(block, Said::Text(_) | Said::Refusal(_)).then_some(index),
                summary_index: matches!(block, Said::Thinking(_)).then_some(index),
                ..about(block, saying)
            }
        }
    };
    told(data.r#type, &Data { sequence_number: number, ..data })
}

/// What an event says of a block, without its place.
fn about<'a>(block: &'a Said, saying: &Saying) -> Data<'a> {
    let (text, data) = (text_of(block), Data::default());
    let logprobs = matches!(block, Said::Text(_)).then_some([]);
    match (saying, block) {
        (Saying::Part, _) => Data { part: Part::of(block, ""), ..data },
        (Saying::PartDone, _) => Data { part: Part::of(block, text), ..data },
        (Saying::Piece(piece), _) => Data { delta: Some(&text[piece.clone()]), logprobs, ..data },
        (Saying::Whole, Said::Text(_) | Said::Thinking(_)) => Data { text: Some(text), logprobs, ..data },
        (Saying::Whole, Said::Refusal(_)) => Data { refusal: Some(text), ..data },
        (Saying::Whole, Said::ToolCall(call)) => {
            Data { arguments: Some(text), name: Some(&call.name), ..data }
        }
    }
}

fn told(name: &'static str, data: &impl Serialize) -> Event {
    // Texts and numbers only: nothing in here can fail to be written.
    Event { name, told: true, data: serde_json::to_string(data).unwrap_or_default() }
}

fn lifecycle(name: &'static str, number: usize, response: &str) -> Event {
    let data = format!(r#"{{"type":"{name}","sequence_number":{number},"response":{response}}}"#);
    Event { name, told: true, data }
}
