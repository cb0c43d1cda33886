//! An exchange that was heard to its end, as a turn of a script.

use std::sync::Arc;

use super::{fold::Folded, needle::needles, secret::Secrets};
use crate::{
    reply::{Reply, Said, SentCall, SentThought},
    request::{Asked, Message},
    script::{Answer, Block, Conditions, ErrorStatus, Fault, FinishReason, Stream, ToolCall, WireName},
    wires::{Wire, wire},
};

/// How many offered tools a turn names at most.
const TOOLS_MAX: usize = 8;

/// What an upstream answered.
#[derive(Clone, Debug)]
pub(super) enum Answered {
    /// An answer, perhaps with an error inside.
    Answer(Folded),
    /// An error in place of one.
    Error(ErrorStatus),
}

/// An exchange that was heard to its end.
#[derive(Debug)]
pub(super) struct Heard {
    /// Its number in the order of arrival.
    pub(super) sequence: u64,
    pub(super) wire: WireName,
    pub(super) asked: Asked,
    pub(super) secrets: Secrets,
    pub(super) answered: Answered,
    /// Milliseconds to the first event and from there to the last, of an answer that was streamed.
    pub(super) paced: Option<(u32, u32)>,
}

/// What a turn is made of, before it has an id.
#[derive(Clone, Debug)]
pub(super) struct Made {
    pub(super) answer: Answer,
    pub(super) stream: Stream,
    /// What spoils the answer.
    pub(super) fault: Option<Fault>,
}

impl Heard {
    /// What is the same when a client asks again.
    pub(super) fn identity(&self) -> (u64, Option<String>) {
        (self.asked.request.identity(), self.asked.request.previous_response_id.clone())
    }

    /// The first text of a user, without secrets.
    pub(super) fn first_text(&self) -> String {
        let users = self.asked.request.messages.iter().filter(|message| message.role == "user");
        let first = users.map(|message| message.text.as_str()).find(|text| !text.is_empty());
        self.secrets.clean(first.unwrap_or_default())
    }

    /// Parts by which the first text of a user is known again, the best first.
    pub(super) fn first_needles(&self) -> Vec<String> {
        let users = self.asked.request.messages.iter().filter(|message| message.role == "user");
        let first = users.map(|message| message.text.as_str()).find(|text| !text.is_empty());
        needles(first.unwrap_or_default(), &self.secrets)
    }

    /// Parts by which the system text is known again, the best first.
    pub(super) fn system_needles(&self) -> Vec<String> {
        needles(&self.asked.request.system, &self.secrets)
    }

    /// What a request has to say for this answer, within its conversation. `recorded` tells what a call is
    /// called in the script.
    pub(super) fn when(&self, recorded: impl Fn(&str) -> String) -> Conditions {
        let request = &self.asked.request;
        let results: Vec<&str> =
            request.news().iter().filter_map(|news| news.tool_call_id.as_deref()).collect();
        let mut when = Conditions::new();
        for id in &results {
            when = when.tool_result_for(recorded(id));
        }
        if results.is_empty() {
            let last = request.messages.iter().rev().find(|message| is_said_by_user(message));
            let needle = last.and_then(|last| needles(&last.text, &self.secrets).into_iter().next());
            if let Some(needle) = needle {
                when = when.last_user_contains(needle);
            }
        }
        for name in self.tools() {
            when = when.tool_offered(name);
        }
        if self.asked.body.pointer("/tools/0").is_none() {
            // A side question without tools is another one than the same question with tools.
            when = when.json_exists("/tools/0", false);
        }
        when
    }

    /// The tools that are offered, or those of them that are called when there are many.
    fn tools(&self) -> Vec<&str> {
        let offered = &self.asked.request.tools;
        let is_called = |name: &str| match &self.answered {
            Answered::Answer(folded) => {
                folded.blocks.iter().any(|block| matches!(block, Block::ToolCall(call) if call.name == name))
            }
            Answered::Error(_) => false,
        };
        let names = offered.iter().map(|tool| tool.name.as_str());
        let wanted = names.filter(|name| !name.is_empty() && (offered.len() <= TOOLS_MAX || is_called(name)));
        let mut tools: Vec<&str> = wanted.filter(|name| self.secrets.found(name).is_empty()).collect();
        tools.dedup();
        tools
    }

    /// The turn. `call` gives each call its id in the script.
    pub(super) fn made(&self, call: impl FnMut(&str) -> String) -> Made {
        match &self.answered {
            Answered::Error(status) => {
                let fault = Fault { status: Some(self.clean_status(status)), ..Fault::default() };
                Made { answer: Answer::new().text(""), stream: Stream::default(), fault: Some(fault) }
            }
            Answered::Answer(folded) => self.answer(folded, call),
        }
    }

    fn clean_status(&self, status: &ErrorStatus) -> ErrorStatus {
        let clean = |text: &Option<String>| text.as_deref().map(|text| self.secrets.clean(text));
        ErrorStatus {
            code: status.code,
            headers: status.headers.clone(),
            kind: clean(&status.kind),
            message: clean(&status.message),
            error_code: clean(&status.error_code),
        }
    }

    fn answer(&self, folded: &Folded, mut call: impl FnMut(&str) -> String) -> Made {
        let blocks: Vec<Block> =
            folded.blocks.iter().map(|block| self.clean_block(block, &mut call)).collect();
        let calls = blocks.iter().any(|block| matches!(block, Block::ToolCall(_)));
        let derived = if calls { FinishReason::ToolCalls } else { FinishReason::Stop };
        let mut answer = said(blocks);
        answer.finish_reason = folded.finish.filter(|finish| *finish != derived);
        answer.usage = folded.usage;
        let mut stream = Stream { reasoning_field: folded.reasoning_field, ..Stream::default() };
        let events = self.events(&answer, &stream);
        if let Some((first, whole)) = self.paced {
            let gaps = u32::try_from(events.len()).unwrap_or(u32::MAX).saturating_sub(1);
            stream.first_ms = Some(first).filter(|first| *first > 0);
            stream.gap_ms = whole.checked_div(gaps).filter(|gap| *gap > 0);
        }
        let fault = folded.error.clone().map(|mut error| {
            error.message = error.message.as_deref().map(|text| self.secrets.clean(text));
            error.events = u32::try_from(before_end(&events, folded)).unwrap_or(u32::MAX);
            Fault { error_after: Some(error), ..Fault::default() }
        });
        Made { answer, stream, fault }
    }

    fn clean_block(&self, block: &Block, call: &mut impl FnMut(&str) -> String) -> Block {
        let clean = |text: &str| self.secrets.clean(text);
        match block {
            Block::Text(text) => Block::Text(clean(text)),
            Block::Refusal(text) => Block::Refusal(clean(text)),
            Block::Thinking(thought) => {
                let mut thought = thought.clone();
                thought.text = clean(&thought.text);
                for proof in [&mut thought.signature, &mut thought.encrypted].into_iter().flatten() {
                    *proof = self.secrets.clean_of_own(proof);
                }
                Block::Thinking(thought)
            }
            Block::ToolCall(made) => Block::ToolCall(ToolCall {
                id: Some(call(made.id.as_deref().unwrap_or_default())),
                name: clean(&made.name),
                arguments: made.arguments.as_ref().map(|value| self.secrets.clean_value(value)),
                arguments_text: made.arguments_text.as_deref().map(clean),
            }),
        }
    }

    /// The names of the events by which the fake model tells an answer.
    fn events(&self, answer: &Answer, stream: &Stream) -> Vec<&'static str> {
        let reply = Arc::new(Reply {
            token: String::new(),
            created: 0,
            model: String::new(),
            blocks: answer.said().into_iter().map(sent).collect(),
            finish_reason: answer.finish_reason.unwrap_or(FinishReason::Stop),
            usage: answer.usage.unwrap_or_default(),
            stream: stream.clone(),
        });
        let wire: &dyn Wire = wire(self.wire);
        wire.events(&reply, &self.asked).map(|event| event.name).collect()
    }
}

fn is_said_by_user(message: &Message) -> bool {
    message.role == "user" && !message.text.is_empty()
}

/// Blocks as an answer: one by one when they stand in the order in which an answer says them anyway.
fn said(blocks: Vec<Block>) -> Answer {
    let order = |block: &Block| match block {
        Block::Thinking(_) => 0,
        Block::Text(_) => 1,
        Block::Refusal(_) => 2,
        Block::ToolCall(_) => 3,
    };
    let orders: Vec<u8> = blocks.iter().map(order).collect();
    let plain = orders.windows(2).all(|pair| pair[0] < pair[1] || (pair[0] == 3 && pair[1] == 3));
    if blocks.is_empty() {
        return Answer::new().text("");
    }
    if !plain {
        return Answer { blocks, ..Answer::default() };
    }
    blocks.into_iter().fold(Answer::new(), |answer, block| match block {
        Block::Thinking(thought) => answer.thinking(thought),
        Block::Text(text) => answer.text(text),
        Block::Refusal(text) => answer.refusal(text),
        Block::ToolCall(call) => answer.call(call),
    })
}

fn sent(block: Block) -> Said {
    match block {
        Block::Text(text) => Said::Text(text),
        Block::Refusal(text) => Said::Refusal(text),
        Block::Thinking(thought) => Said::Thinking(SentThought {
            text: thought.text,
            signature: thought.signature.unwrap_or_default(),
            encrypted: thought.encrypted.unwrap_or_default(),
        }),
        Block::ToolCall(call) => {
            let arguments = call.wire_arguments();
            Said::ToolCall(SentCall { id: call.id.unwrap_or_default(), name: call.name, arguments })
        }
    }
}

/// How many events tell what had been said when an error came: those up to the last fragment, or those that
/// open an answer, or none when nothing at all had come.
fn before_end(events: &[&str], folded: &Folded) -> usize {
    let fragment = |name: &&str| {
        let is_delta = name.ends_with("delta") && *name != "message_delta";
        is_delta || matches!(*name, "content" | "reasoning" | "refusal" | "tool_calls")
    };
    match events.iter().rposition(fragment) {
        Some(last) => last + 1,
        None if folded.id.is_none() => 0,
        None => events.iter().take_while(|name| OPENING.contains(*name)).count(),
    }
}

/// Events that tell nothing but that an answer begins.
const OPENING: [&str; 5] = ["role", "response.created", "response.in_progress", "message_start", "ping"];
