//! A session as rules look at it: its requests, which of them belong together, and what they bring back.

use std::{
    collections::{BTreeMap, BTreeSet},
    hash::{DefaultHasher, Hash, Hasher},
    ops::Range,
};

use super::{advice::Advice, exchange::Exchange};
use crate::{
    journal::Outcome,
    request::{CalledTool, Message},
    script::Script,
    session::Played,
    state::Story,
};

/// The most exchanges that are looked at as the source of something that comes back, the last ones first:
/// a load test asks the same thing ten thousand times.
const SOURCES_MAX: usize = 64;

/// A session.
#[derive(Debug)]
pub(super) struct Case {
    pub(super) script: Script,
    /// What the session knows of how that was played, lost entries included.
    pub(super) played: Played,
    /// The requests, in order of arrival.
    pub(super) exchanges: Vec<Exchange>,
    /// What each of them tells about trying again.
    pub(super) advice: Vec<Option<Advice>>,
    /// How each of them stands among the attempts at its conversation.
    pub(super) attempts: Vec<Attempt>,
    /// What the requests bring back, each part once.
    pub(super) runs: Vec<Run>,
    /// How many entries are lost.
    pub(super) dropped: u64,
    /// Per id, the exchanges whose answers call a tool under it.
    calls: BTreeMap<String, Vec<usize>>,
}

/// An attempt at a conversation.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Attempt {
    /// The one that was made before, when that was in vain.
    pub(super) before: Option<usize>,
    /// The one that was made after this one was in vain.
    pub(super) next: Option<usize>,
    /// Its number, from 1.
    pub(super) number: usize,
    /// Whether another request that says the same came in the same millisecond, so that nobody can tell
    /// whether that was the next one or was sent at the same time.
    pub(super) beside: bool,
}

/// Messages of the assistant that stand together in a request, and what follows them up to the next.
#[derive(Clone, Debug)]
pub(super) struct Run {
    /// The request.
    pub(super) by: usize,
    messages: Range<usize>,
    follows: Range<usize>,
    /// The exchanges whose conversation stands before it, and which may have said it.
    pub(super) on: Vec<usize>,
    /// Whether nothing of the assistant follows.
    pub(super) is_last: bool,
}

impl Case {
    /// `epoch_ms` is when the host's clock started, in milliseconds since 1970.
    pub(super) fn new(story: &Story, exchanges: Vec<Exchange>, epoch_ms: i64) -> Self {
        let Story { script, played, dropped, .. } = story;
        let advice = exchanges.iter().map(|exchange| Advice::to(exchange, epoch_ms)).collect();
        let mut calls: BTreeMap<String, Vec<usize>> = BTreeMap::new();
        for (at, exchange) in exchanges.iter().enumerate() {
            for call in exchange.calls() {
                calls.entry(call.id.clone()).or_default().push(at);
            }
        }
        let attempts = attempts(script, &exchanges);
        let runs = runs(&exchanges);
        let (script, played, dropped) = (script.clone(), played.clone(), *dropped);
        Self { script, played, exchanges, advice, attempts, runs, dropped, calls }
    }

    /// The number of a request.
    pub(super) fn sequence(&self, at: usize) -> u64 {
        self.exchanges[at].sequence
    }

    /// The exchanges that sent a call of this id before the request `by` came.
    pub(super) fn senders(&self, id: &str, by: usize) -> &[usize] {
        let all = self.calls.get(id).map(Vec::as_slice).unwrap_or_default();
        last(&all[..all.partition_point(|sender| *sender < by)])
    }

    /// Whether all are known that may have sent a call of this id to the one who brings it back: no entry is
    /// lost and there are not too many, or somebody sent it in this very conversation.
    pub(super) fn knows_senders(&self, id: &str, run: &Run) -> bool {
        let all = self.calls.get(id).map_or(0, Vec::len);
        let is_of_run = |at: &usize| self.exchanges[*at].calls().any(|call| call.id == id);
        (self.dropped == 0 && all <= SOURCES_MAX) || run.on.iter().any(is_of_run)
    }

    /// Whether all are known that a run may come from.
    pub(super) fn knows_sources(&self, run: &Run) -> bool {
        (self.dropped == 0 || !run.on.is_empty())
            && self.calls_in(run).all(|call| self.knows_senders(&call.id, run))
    }

    /// Whether an earlier attempt at the conversation of `at` may be among the lost entries.
    pub(super) fn may_be_again(&self, at: usize) -> bool {
        let exchange = &self.exchanges[at];
        exchange.retry
            || (self.dropped > 0 && exchange.place.is_none_or(|place| self.script.turn(place).repeat))
    }

    /// The messages of a run.
    pub(super) fn said<'a>(&'a self, run: &Run) -> &'a [Message] {
        &self.messages(run.by)[run.messages.clone()]
    }

    /// What follows a run.
    pub(super) fn follows<'a>(&'a self, run: &Run) -> &'a [Message] {
        &self.messages(run.by)[run.follows.clone()]
    }

    /// The calls of a run.
    pub(super) fn calls_in<'a>(&'a self, run: &Run) -> impl Iterator<Item = &'a CalledTool> {
        self.said(run).iter().flat_map(|message| &message.tool_calls)
    }

    /// The text of a run, in the forms in which it may have been sent.
    pub(super) fn texts_of(&self, run: &Run) -> Vec<String> {
        let texts: Vec<&str> = self
            .said(run)
            .iter()
            .map(|message| message.text.as_str())
            .filter(|text| !text.is_empty())
            .collect();
        let mut forms: Vec<String> =
            ["", "\n"].iter().map(|joint| texts.join(joint).trim().to_owned()).collect();
        forms.dedup();
        forms
    }

    /// Whether `exchange` says what the run says: the words are the same, and its calls are among those
    /// of the answer.
    pub(super) fn is_said_by(&self, run: &Run, exchange: usize) -> bool {
        let exchange = &self.exchanges[exchange];
        let (texts, sent) = (self.texts_of(run), exchange.texts());
        texts.iter().any(|text| sent.contains(text))
            && self.calls_in(run).all(|call| exchange.calls().any(|sent| sent.id == call.id))
    }

    /// The exchanges that a run may come from: those whose calls it makes, and those that it goes on from.
    pub(super) fn sources(&self, run: &Run) -> BTreeSet<usize> {
        let by_call = self.calls_in(run).flat_map(|call| self.senders(&call.id, run.by));
        by_call.chain(&run.on).copied().collect()
    }

    pub(super) fn messages(&self, at: usize) -> &[Message] {
        messages(&self.exchanges[at])
    }
}

fn last(all: &[usize]) -> &[usize] {
    &all[all.len().saturating_sub(SOURCES_MAX)..]
}

fn messages(exchange: &Exchange) -> &[Message] {
    exchange.request.as_ref().map(|request| request.messages.as_slice()).unwrap_or_default()
}

/// Finds for each attempt in vain the next one: the first request that says the same conversation, came
/// when the attempt was over, and is not the next one of another attempt.
fn attempts(script: &Script, exchanges: &[Exchange]) -> Vec<Attempt> {
    let mut attempts = vec![Attempt { number: 1, ..Attempt::default() }; exchanges.len()];
    let mut conversations: BTreeMap<u64, Vec<usize>> = BTreeMap::new();
    for (at, exchange) in exchanges.iter().enumerate() {
        if let Some(identity) = exchange.identity.filter(|_| exchange.asks()) {
            conversations.entry(identity).or_default().push(at);
        }
    }
    for conversation in conversations.values() {
        for (place, at) in
            conversation.iter().copied().enumerate().filter(|(_, at)| is_in_vain(&exchanges[*at]))
        {
            let later = &conversation[place + 1..];
            attempts[at].beside =
                later.iter().any(|next| is_beside(script, &exchanges[at], &exchanges[*next]));
            let next = later.iter().copied().find(|next| {
                attempts[*next].before.is_none() && is_next(script, &exchanges[at], &exchanges[*next])
            });
            if let Some(next) = next {
                attempts[at].next = Some(next);
                attempts[next].before = Some(at);
                attempts[next].number = attempts[at].number + 1;
            }
        }
    }
    attempts
}

/// Whether `later`, which says the same as `earlier`, came when that was over. A turn that answers once
/// tells so itself; otherwise it is a matter of time.
fn is_next(script: &Script, earlier: &Exchange, later: &Exchange) -> bool {
    match earlier.place {
        Some(place) if !script.turn(place).repeat => later.retry && later.place == Some(place),
        _ => {
            earlier.ended_ms.is_some_and(|over_ms| later.arrived_ms >= over_ms)
                && !is_beside(script, earlier, later)
        }
    }
}

/// Whether `later`, which says the same as `earlier`, may have been sent before that was answered, although it
/// was read after it: the clock shows one instant.
fn is_beside(script: &Script, earlier: &Exchange, later: &Exchange) -> bool {
    earlier.place.is_none_or(|place| script.turn(place).repeat) && later.arrived_ms == earlier.arrived_ms
}

fn is_in_vain(exchange: &Exchange) -> bool {
    matches!(exchange.outcome, Outcome::Broken | Outcome::Dropped | Outcome::Missed | Outcome::Rejected)
}

/// Cuts the conversations of all requests into runs. What a later request repeats of an earlier one is left
/// out, so that a long conversation is not looked at once per request.
fn runs(exchanges: &[Exchange]) -> Vec<Run> {
    let mut runs = Vec::new();
    let mut seen: BTreeSet<(u64, u64)> = BTreeSet::new();
    // Per conversation, the exchanges that were asked to go on from it.
    let mut asked: BTreeMap<u64, Vec<usize>> = BTreeMap::new();
    for (by, exchange) in exchanges.iter().enumerate().filter(|(_, exchange)| exchange.asks()) {
        let messages = messages(exchange);
        let mut so_far = DefaultHasher::new();
        let mut start = 0;
        while start < messages.len() {
            let end = end_of(messages, start, true);
            let next = end_of(messages, end, false);
            let before = so_far.finish();
            let mut own = DefaultHasher::new();
            for message in &messages[start..next] {
                hash(message, &mut so_far);
                hash(message, &mut own);
                message.thinking.hash(&mut own);
            }
            if seen.insert((before, own.finish())) {
                let on = asked.get(&before).map(|all| last(all).to_vec()).unwrap_or_default();
                let is_last = next == messages.len();
                runs.push(Run { by, messages: start..end, follows: end..next, on, is_last });
            }
            start = next;
        }
        if exchange.answer.is_some() {
            asked.entry(so_far.finish()).or_default().push(by);
        }
    }
    runs
}

/// Where the messages of the assistant, or of everybody else, end.
fn end_of(messages: &[Message], start: usize, assistant: bool) -> usize {
    let rest = messages[start..].iter();
    start + rest.take_while(|message| (message.role == "assistant") == assistant).count()
}

fn hash(message: &Message, hasher: &mut DefaultHasher) {
    let Message { role, text, tool_calls, tool_call_id, .. } = message;
    (role, text, tool_calls, tool_call_id).hash(hasher);
}
