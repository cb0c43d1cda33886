//! Rules about what a conversation remembers.

use super::{
    case::{Case, Run},
    exchange::Exchange,
    rule::{Rule, Ruling},
};
use crate::{
    journal::Outcome,
    matching::shortened,
    reply::{Said, SentThought},
    request::{Message, ThoughtBefore},
    script::WireName,
};

pub(super) const RULES: &[Rule] = &[
    Rule {
        id: "keeps-history",
        says: "a text of the assistant comes back as it was sent, when it comes back",
        judge: keeps_history,
    },
    Rule {
        id: "keeps-thinking",
        says: "thinking with a signature, and encrypted reasoning, comes back unchanged with the results of \
               the calls that followed it",
        judge: keeps_thinking,
    },
];

fn keeps_history(case: &Case, ruling: &mut Ruling) {
    for run in case.runs.iter().filter(|run| case.knows_sources(run)) {
        let texts = case.texts_of(run);
        if texts.iter().all(String::is_empty) {
            blanked(case, run, ruling);
            continue;
        }
        let sources = case.sources(run);
        let Some(whole) = sources.iter().copied().rfind(|at| case.exchanges[*at].has_come()) else {
            continue;
        };
        ruling.occasion();
        if sources.iter().any(|at| may_say(&case.exchanges[*at], &texts)) {
            continue;
        }
        let (exchange, evidence) = (&case.exchanges[whole], [case.sequence(whole), case.sequence(run.by)]);
        if thinks_aloud(exchange, &texts) {
            ruling.note("thinking came back as a part of the text", evidence);
            continue;
        }
        let sent = exchange.texts();
        let message = format!(
            "a text came back changed: {:?} became {:?}",
            shortened(sent.first().map(String::as_str).unwrap_or_default()),
            shortened(&texts[0])
        );
        ruling.fail(message, evidence);
    }
}

/// A message of the assistant that says nothing stands where a sound answer said something. A message that is left
/// out, or that has only the calls or the thoughts of the answer, is another matter.
fn blanked(case: &Case, run: &Run, ruling: &mut Ruling) {
    let says_nothing = |message: &Message| message.tool_calls.is_empty() && message.thinking.is_empty();
    let said = case.said(run);
    if said.is_empty() || !said.iter().all(says_nothing) {
        return;
    }
    let says_something = |at: &usize| {
        let exchange = &case.exchanges[*at];
        exchange.is_sound() && exchange.texts().iter().any(|text| !text.is_empty())
    };
    let Some(last) = run.on.last().filter(|_| run.on.iter().all(says_something)) else { return };
    ruling.occasion();
    let sent = case.exchanges[*last].texts();
    let message = format!(
        "a text came back empty: {:?}",
        shortened(sent.first().map(String::as_str).unwrap_or_default())
    );
    ruling.fail(message, [case.sequence(*last), case.sequence(run.by)]);
}

/// Whether the text is the one of the answer with its thoughts in front, as some clients tell thoughts that
/// they have no proof of.
fn thinks_aloud(exchange: &Exchange, texts: &[String]) -> bool {
    let (sent, thoughts) = (exchange.texts(), thoughts(exchange));
    let mut fronts =
        texts.iter().flat_map(|text| sent.iter().filter_map(|sent| text.strip_suffix(sent.as_str())));
    !thoughts.is_empty()
        && fronts.any(|front| thoughts.iter().all(|thought| front.contains(thought.text.as_str())))
}

/// Whether the text may come from this answer.
fn may_say(exchange: &Exchange, texts: &[String]) -> bool {
    let sent = exchange.texts();
    let part = |text: &String| match (&exchange.reached, exchange.outcome) {
        // What comes of a spoiled answer is the business of another rule.
        (Some(reached), _) if exchange.has_come() => reached.text.trim() == text,
        (Some(reached), _) => reached.text.trim().starts_with(text.as_str()),
        // Whoever left early knows only the beginning.
        (None, Outcome::Dropped | Outcome::Broken) => {
            sent.iter().any(|whole| whole.starts_with(text.as_str()))
        }
        _ => false,
    };
    texts.iter().any(|text| sent.contains(text) || part(text))
}

fn keeps_thinking(case: &Case, ruling: &mut Ruling) {
    for run in
        case.runs.iter().filter(|run| run.is_last && is_about_results(case, run) && case.knows_sources(run))
    {
        let sources: Vec<usize> =
            case.sources(run).into_iter().filter(|at| has_to_come_back(case, run, *at)).collect();
        let Some(last) = sources.last() else { continue };
        ruling.occasion();
        let back: Vec<&ThoughtBefore> = case.said(run).iter().flat_map(|message| &message.thinking).collect();
        let wire = case.exchanges[run.by].wire;
        if sources.iter().any(|at| comes_back(&thoughts(&case.exchanges[*at]), &back, wire)) {
            continue;
        }
        let evidence = [case.sequence(*last), case.sequence(run.by)];
        let message = if back.is_empty() {
            "thinking did not come back with the calls that followed it"
        } else {
            "thinking came back changed with the calls that followed it"
        };
        if case.exchanges[run.by].wants_thinking {
            ruling.fail(message, evidence);
        } else {
            // An API that is not asked to think does not look at thoughts either.
            ruling.note(
                format!("{message}; the request does not ask for thinking, so an API may let it pass"),
                evidence,
            );
        }
    }
}

/// Whether the request brings results of the calls of the run.
fn is_about_results(case: &Case, run: &Run) -> bool {
    let results = case.follows(run).iter().filter_map(|message| message.tool_call_id.as_ref());
    case.calls_in(run).any(|call| results.clone().any(|id| *id == call.id))
}

/// Whether the answer thought before it called, on the wire of the run, and the run makes its calls.
fn has_to_come_back(case: &Case, run: &Run, at: usize) -> bool {
    let (exchange, by) = (&case.exchanges[at], &case.exchanges[run.by]);
    exchange.is_sound()
        && exchange.gets_proofs
        && exchange.wire == by.wire
        && by.request.as_ref().is_some_and(|request| request.previous_response_id.is_none())
        && !thoughts(exchange).is_empty()
        && case.calls_in(run).any(|call| exchange.calls().any(|sent| sent.id == call.id))
}

fn thoughts(exchange: &Exchange) -> Vec<&SentThought> {
    let blocks = exchange.answer.iter().flat_map(|answer| &answer.blocks);
    blocks
        .filter_map(|block| if let Said::Thinking(thought) = block { Some(thought) } else { None })
        .collect()
}

fn comes_back(sent: &[&SentThought], back: &[&ThoughtBefore], wire: Option<WireName>) -> bool {
    let is_same = |(sent, back): (&&SentThought, &&ThoughtBefore)| match wire {
        Some(WireName::Messages) => sent.signature == back.proof && sent.text == back.text,
        // The summary is for people; what counts is the encrypted part.
        _ => sent.encrypted == back.proof,
    };
    sent.len() == back.len() && sent.iter().zip(back).all(is_same)
}
