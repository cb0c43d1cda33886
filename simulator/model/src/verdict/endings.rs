//! Rules about how answers end.

use std::collections::{BTreeMap, BTreeSet};

use super::{
    case::{Case, Run},
    exchange::Exchange,
    reached::Reached,
    rule::{Rule, Ruling},
};
use crate::{journal::Outcome, matching::shortened};

pub(super) const RULES: &[Rule] = &[
    Rule {
        id: "silent-end",
        says: "an answer that ended without its finish, or that could not be read, does not come back as if it \
               were one",
        judge: silent_end,
    },
    Rule { id: "over", says: "every request is over when the verdict is asked for", judge: over },
    Rule { id: "left", says: "the client stays until a sound answer is over", judge: left },
];

fn silent_end(case: &Case, ruling: &mut Ruling) {
    let spoiled: Vec<(usize, &Reached)> = case
        .exchanges
        .iter()
        .enumerate()
        .filter_map(|(at, exchange)| Some((at, exchange.reached.as_ref()?)))
        .collect();
    if spoiled.is_empty() {
        return;
    }
    spoiled.iter().for_each(|_| ruling.occasion());
    let parts: BTreeMap<&str, usize> = spoiled
        .iter()
        .filter(|(_, reached)| is_no_answer(reached) && !reached.text.trim().is_empty())
        .map(|(at, reached)| (reached.text.trim(), *at))
        .collect();
    let whole: BTreeSet<String> = case
        .exchanges
        .iter()
        .filter(|exchange| {
            exchange.answer.is_some() && exchange.reached.as_ref().is_none_or(|one| !is_no_answer(one))
        })
        .flat_map(Exchange::texts)
        .collect();
    for run in case.runs.iter().filter(|run| !case.said(run).is_empty()) {
        let sound = |at: &usize| case.exchanges[*at].is_sound() && case.is_said_by(run, *at);
        if run.on.iter().any(sound) {
            continue;
        }
        let by = case.sequence(run.by);
        if let Some((id, at)) = unfinished_call(case, run) {
            let message =
                format!("the call `{id}` of an answer without its finish came back as if it were one");
            ruling.fail(message, [case.sequence(at), by]);
            continue;
        }
        let texts = case.texts_of(run);
        let elsewhere = || {
            // A sound answer that is lost may have said the same.
            texts
                .iter()
                .filter(|text| !whole.contains(*text))
                .find_map(|text| parts.get(text.as_str()))
                .filter(|_| case.dropped == 0)
        };
        let source = run.on.iter().find(|at| is_taken_for_whole(case, run, **at)).or_else(elsewhere);
        if let Some(at) = source {
            let message = format!(
                "an answer without its finish came back as if it were one, with the text {:?}",
                shortened(&texts[0])
            );
            ruling.fail(message, [case.sequence(*at), by]);
        }
    }
}

/// Whether a client can tell that this is no whole answer.
fn is_no_answer(reached: &Reached) -> bool {
    !reached.finished || reached.torn
}

/// A call of the run that was sent only in answers without their finish, and who sent it.
fn unfinished_call<'a>(case: &'a Case, run: &Run) -> Option<(&'a str, usize)> {
    case.calls_in(run).filter(|call| case.knows_senders(&call.id, run)).find_map(|call| {
        let senders = case.senders(&call.id, run.by);
        let unfinished =
            |at: &usize| case.exchanges[*at].reached.as_ref().is_some_and(|reached| !reached.finished);
        let first = *senders.first()?;
        senders.iter().all(unfinished).then_some((call.id.as_str(), first))
    })
}

/// Whether the run stands where the answer of `at` belongs and holds what came of it.
fn is_taken_for_whole(case: &Case, run: &Run, at: usize) -> bool {
    let exchange = &case.exchanges[at];
    let Some(reached) = exchange.reached.as_ref().filter(|_| case.calls_in(run).next().is_none()) else {
        return false;
    };
    let texts = case.texts_of(run);
    if is_no_answer(reached) {
        return texts.iter().any(|text| reached.text.trim().starts_with(text.as_str()));
    }
    // It arrived whole for a client that reads it patiently; for this one it was empty.
    texts.iter().all(String::is_empty)
        && (exchange.calls().next().is_some() || exchange.texts().iter().any(|text| !text.is_empty()))
}

fn over(case: &Case, ruling: &mut Ruling) {
    for exchange in case.exchanges.iter().filter(|exchange| exchange.asks()) {
        ruling.occasion();
        if exchange.outcome == Outcome::Pending {
            let message = "a request still waits for its answer: it is too early for a verdict, or the client \
                           never gives up";
            ruling.fail(message, [exchange.sequence]);
        }
    }
}

fn left(case: &Case, ruling: &mut Ruling) {
    for exchange in case.exchanges.iter().filter(|exchange| exchange.asks() && exchange.wrong.is_none()) {
        ruling.occasion();
        if exchange.outcome == Outcome::Dropped {
            ruling.note("the client left before a sound answer was over", [exchange.sequence]);
        }
    }
}
