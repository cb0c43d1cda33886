//! Rules about tool calls and their results.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::{
    case::{Case, Run},
    rule::{Rule, Ruling},
};
use crate::{
    matching::{same, shortened},
    reply::SentCall,
    request::CalledTool,
};

pub(super) const RULES: &[Rule] = &[
    Rule {
        id: "keeps-ids",
        says: "calls come back with the id, name and arguments that they were sent with, and every tool \
               result is for a call that was sent",
        judge: keeps_ids,
    },
    Rule {
        id: "each-result-once",
        says: "no call has two results in one request, and each call of an answer has a result in the \
               request that goes on from it",
        judge: each_result_once,
    },
];

fn keeps_ids(case: &Case, ruling: &mut Ruling) {
    for run in &case.runs {
        let by = case.sequence(run.by);
        for call in case.calls_in(run) {
            let senders = case.senders(&call.id, run.by);
            let Some(last) = senders.last() else {
                unknown(
                    case,
                    run,
                    ruling,
                    format!("the call `{}` of `{}` was never sent", call.id, call.name),
                    by,
                );
                continue;
            };
            if !case.knows_senders(&call.id, run) {
                continue;
            }
            ruling.occasion();
            let senders = senders.iter().chain(&run.on);
            let sent = senders.flat_map(|at| case.exchanges[*at].calls()).filter(|sent| sent.id == call.id);
            let sent: Vec<&SentCall> = sent.collect();
            if !sent.iter().any(|sent| is_same(sent, call)) {
                let what = sent.first().map(|sent| difference(sent, call)).unwrap_or_default();
                ruling.fail(
                    format!("the call `{}` came back changed: {what}", call.id),
                    [case.sequence(*last), by],
                );
            }
        }
        for id in case.follows(run).iter().filter_map(|message| message.tool_call_id.as_deref()) {
            if case.senders(id, run.by).is_empty() {
                unknown(
                    case,
                    run,
                    ruling,
                    format!("a tool result is for the call `{id}`, which was never sent"),
                    by,
                );
            } else {
                ruling.occasion();
            }
        }
    }
}

/// Something that was never sent, unless it was sent by an answer that the journal has lost. A history that no
/// answer of this session can have made was brought along: examples, or a conversation from a store.
fn unknown(case: &Case, run: &Run, ruling: &mut Ruling, message: String, by: u64) {
    if case.dropped > 0 {
        return;
    }
    if run.on.is_empty() {
        ruling.note(format!("{message} in this session; the client brought it along"), [by]);
    } else {
        ruling.occasion();
        ruling.fail(message, [by]);
    }
}

fn is_same(sent: &SentCall, back: &CalledTool) -> bool {
    sent.name == back.name && same_arguments(&sent.arguments, &back.arguments)
}

/// Equal as JSON. What was sent is sometimes no JSON on purpose, and cannot come back then on a wire that
/// has no room for it.
fn same_arguments(sent: &str, back: &str) -> bool {
    let read = |text: &str| match text.trim() {
        "" => Some(Value::Object(serde_json::Map::new())),
        text => serde_json::from_str(text).ok(),
    };
    match (read(sent), read(back)) {
        (Some(sent), Some(back)) => same(&sent, &back),
        (None, _) => true,
        (Some(_), None) => false,
    }
}

fn difference(sent: &SentCall, back: &CalledTool) -> String {
    let (what, sent, back) = if sent.name == back.name {
        ("arguments", &sent.arguments, &back.arguments)
    } else {
        ("name", &sent.name, &back.name)
    };
    format!("the {what} `{}` became `{}`", shortened(sent), shortened(back))
}

fn each_result_once(case: &Case, ruling: &mut Ruling) {
    twice(case, ruling);
    let mut gone_on: BTreeSet<usize> = BTreeSet::new();
    for run in case.runs.iter().filter(|run| !case.said(run).is_empty()) {
        for source in sources(case, run) {
            if !gone_on.insert(source) {
                continue;
            }
            ruling.occasion();
            let has_result = |id: &str| {
                case.follows(run).iter().any(|message| message.tool_call_id.as_deref() == Some(id))
            };
            for call in case.exchanges[source].calls().filter(|call| !has_result(&call.id)) {
                let message = format!("the call `{}` of `{}` has no result", call.id, call.name);
                ruling.fail(message, [case.sequence(source), case.sequence(run.by)]);
            }
        }
    }
}

/// The sound answers with calls that a run goes on from.
fn sources(case: &Case, run: &Run) -> Vec<usize> {
    let calls = |at: usize| case.exchanges[at].is_sound() && case.exchanges[at].calls().next().is_some();
    let mut by_call = BTreeSet::new();
    for call in case.calls_in(run).filter(|call| case.knows_senders(&call.id, run)) {
        // An id that was sent several times means the answer that this request goes on from, else the last one.
        let senders = case.senders(&call.id, run.by);
        let here = senders.iter().rev().find(|at| run.on.contains(at)).or(senders.last());
        by_call.extend(here.copied().filter(|at| calls(*at)));
    }
    if !by_call.is_empty() {
        return by_call.into_iter().collect();
    }
    // The run has none of the calls. It goes on from an answer that has some if no other answer says it.
    if run
        .on
        .iter()
        .any(|at| !calls(*at) || case.is_said_by(run, *at) && case.exchanges[*at].calls().next().is_none())
    {
        return Vec::new();
    }
    run.on.iter().copied().take(1).collect()
}

/// Looks for calls with more results than they were made.
fn twice(case: &Case, ruling: &mut Ruling) {
    for at in 0..case.exchanges.len() {
        let mut counts: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
        for message in case.messages(at) {
            for call in &message.tool_calls {
                counts.entry(&call.id).or_default().0 += 1;
            }
            if let Some(id) = &message.tool_call_id {
                counts.entry(id).or_default().1 += 1;
            }
        }
        for (id, (made, results)) in counts {
            if results > 0 {
                ruling.occasion();
            }
            if results > made.max(1) {
                let message = format!("the call `{id}` has {results} results in one request");
                ruling.fail(message, [case.sequence(at)]);
            }
        }
    }
}
