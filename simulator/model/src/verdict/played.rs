//! Rules about the script and how it was played.

use super::{
    case::Case,
    rule::{Rule, Ruling},
};
use crate::{journal::Outcome, matching::Difference, resume::NOT_KEPT, script::Wrong};

/// The condition that findings name which tell what the real API would have refused.
const API: &str = "api";

pub(super) const RULES: &[Rule] = &[
    Rule { id: "expected", says: "requests are as the script expects them", judge: expected },
    Rule {
        id: "lenient",
        says: "a lenient script has nothing to let pass that the real API refuses",
        judge: lenient,
    },
    Rule { id: "refused", says: "no request is one that the real API refuses", judge: refused },
    Rule { id: "missed", says: "every request has a turn that answers it", judge: missed },
    Rule { id: "offered", says: "the script calls no tool that the request does not offer", judge: offered },
    Rule { id: "exhausted", says: "the script is played to its end", judge: exhausted },
    Rule { id: "faults", says: "every fault of the script that could hit an answer did", judge: faults },
    Rule {
        id: "unknown-fields",
        says: "requests have no fields that the API does not know",
        judge: unknown_fields,
    },
    Rule { id: "dropped", says: "the journal holds every request of the session", judge: dropped },
];

fn expected(case: &Case, ruling: &mut Ruling) {
    for exchange in &case.exchanges {
        let Some(place) = exchange.place else { continue };
        if !case.script.turn(place).expect.is_empty() {
            ruling.occasion();
        }
        for finding in exchange.findings.iter().filter(|finding| finding.condition != API) {
            let message = format!("turn `{}` expects {finding}", case.script.turn_name(place));
            ruling.fail(message, [exchange.sequence]);
        }
    }
}

fn lenient(case: &Case, ruling: &mut Ruling) {
    if case.script.client().is_strict() {
        return;
    }
    for exchange in case.exchanges.iter().filter(|exchange| exchange.place.is_some()) {
        ruling.occasion();
        for Difference { expected, got, .. } in
            exchange.findings.iter().filter(|finding| finding.condition == API)
        {
            let at = expected.as_str().map(|param| format!(" at `{param}`")).unwrap_or_default();
            ruling.fail(format!("the API refuses this{at}: {got}"), [exchange.sequence]);
        }
    }
}

fn refused(case: &Case, ruling: &mut Ruling) {
    for exchange in &case.exchanges {
        let why = exchange.error.as_deref().unwrap_or_default();
        if exchange.asks() {
            ruling.occasion();
        }
        match (exchange.outcome, exchange.wire) {
            // The answer that the request goes on from may have been there when it was asked.
            (Outcome::Rejected, Some(_)) if case.dropped > 0 && why.contains(NOT_KEPT) => {
                ruling.note(format!("a request was refused: {why}"), [exchange.sequence]);
            }
            (Outcome::Rejected, Some(_)) => {
                ruling.fail(format!("a request was refused: {why}"), [exchange.sequence])
            }
            // Clients look around: for a WebSocket, or for a path that only one provider has.
            (Outcome::Rejected, None) => {
                let message =
                    format!("{} is no path of a wire, or not asked for like this: {why}", exchange.target);
                ruling.note(message, [exchange.sequence]);
            }
            _ => {}
        }
    }
}

fn missed(case: &Case, ruling: &mut Ruling) {
    for exchange in case.exchanges.iter().filter(|exchange| exchange.asks()) {
        ruling.occasion();
        if exchange.outcome == Outcome::Missed {
            let why = exchange.error.as_deref().unwrap_or("no turn answers");
            ruling.fail(why, [exchange.sequence]);
        }
    }
}

/// The mistake is the script's, not the client's, so it is a note.
fn offered(case: &Case, ruling: &mut Ruling) {
    for exchange in &case.exchanges {
        let (Some(place), Some(request)) = (exchange.place, &exchange.request) else { continue };
        let on_purpose = matches!(exchange.wrong, Some(Wrong::UnknownTool(_)));
        for call in exchange.calls().filter(|_| !on_purpose) {
            ruling.occasion();
            if !request.tools.iter().any(|tool| tool.name == call.name) {
                let turn = case.script.turn_name(place);
                let message =
                    format!("turn `{turn}` calls `{}`, which the request does not offer", call.name);
                ruling.note(message, [exchange.sequence]);
            }
        }
    }
}

fn exhausted(case: &Case, ruling: &mut Ruling) {
    (0..case.script.turn_count()).for_each(|_| ruling.occasion());
    for place in &case.played.unused {
        let name = case.script.turn_name(*place);
        if case.script.turn(*place).repeat {
            ruling.note(format!("turn `{name}`, which answers any number of requests, answered none"), []);
        } else {
            ruling.fail(format!("turn `{name}` answered no request"), []);
        }
    }
}

/// Nobody was tried by a fault that never did anything. One that comes by chance may well stay away.
fn faults(case: &Case, ruling: &mut Ruling) {
    let asked = case.exchanges.iter().any(|exchange| exchange.place.is_some());
    for (turn, number) in case.played.without_effect.iter().filter(|_| asked) {
        let (faults, of) = match turn {
            Some(place) => (
                case.script.turn(*place).faults.as_slice(),
                format!("turn `{}`", case.script.turn_name(*place)),
            ),
            None => (case.script.faults(), "the script".to_owned()),
        };
        let Some(fault) = faults.get(*number).filter(|fault| fault.chance.is_none()) else { continue };
        let name = fault.wrongs().first().map_or("fault", |(name, _)| *name);
        ruling.note(format!("the fault `{name}` of {of} was never applied"), []);
    }
    let hit = case.exchanges.iter().filter(|exchange| exchange.wrong.is_some());
    hit.for_each(|_| ruling.occasion());
    case.played.without_effect.iter().filter(|_| asked).for_each(|_| ruling.occasion());
}

fn unknown_fields(case: &Case, ruling: &mut Ruling) {
    for exchange in &case.exchanges {
        let Some(request) = &exchange.request else { continue };
        ruling.occasion();
        for field in &request.unknown_fields {
            let numberless: Vec<&str> = field
                .split('/')
                .map(|step| {
                    if step.bytes().all(|byte| byte.is_ascii_digit()) && !step.is_empty() {
                        "*"
                    } else {
                        step
                    }
                })
                .collect();
            ruling.note(format!("`{}` is no field of the API", numberless.join("/")), [exchange.sequence]);
        }
    }
}

fn dropped(case: &Case, ruling: &mut Ruling) {
    ruling.occasion();
    if case.dropped > 0 {
        let message = format!(
            "{} requests had to give way in the journal, so the verdict is incomplete: nothing is said about them",
            case.dropped
        );
        ruling.note(message, []);
    }
}
