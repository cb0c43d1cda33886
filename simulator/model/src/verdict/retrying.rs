//! Rules about trying again.

use super::{
    advice::Again,
    case::Case,
    rule::{Rule, Ruling},
};

/// The most attempts at one conversation.
const ATTEMPTS_MAX: usize = 10;
/// What a retry may come too early: timers of clients count in whole milliseconds and may round down, and
/// so do ours.
const GRACE_MS: u64 = 2;

pub(super) const RULES: &[Rule] = &[
    Rule {
        id: "retries",
        says: "after 408, 409, 429, a status from 500 on or a reset before the answer, the same conversation \
               comes again, unless the answer said not to",
        judge: retries,
    },
    Rule {
        id: "no-retry",
        says: "after a status that no retry can help, or `x-should-retry: false`, the same request does not \
               come again with the same key",
        judge: no_retry,
    },
    Rule {
        id: "waits",
        says: "a retry comes no sooner than `retry-after-ms` or `retry-after` said",
        judge: waits,
    },
    Rule { id: "gives-up", says: "a conversation is attempted 10 times at most", judge: gives_up },
];

fn retries(case: &Case, ruling: &mut Ruling) {
    for (at, advice) in case.advice.iter().enumerate() {
        let Some(advice) = advice.as_ref().filter(|advice| advice.again == Again::Yes) else { continue };
        let attempt = &case.attempts[at];
        // Whoever has tried again once may give up at any time.
        if case.exchanges[at].identity.is_none()
            || attempt.number > 1
            || attempt.beside
            || case.may_be_again(at)
        {
            continue;
        }
        ruling.occasion();
        if attempt.next.is_none() {
            ruling.fail(format!("{} was not followed by a retry", advice.what), [case.sequence(at)]);
        }
    }
}

fn no_retry(case: &Case, ruling: &mut Ruling) {
    for (at, advice) in case.advice.iter().enumerate() {
        let Some(advice) = advice.as_ref().filter(|advice| advice.again == Again::No) else { continue };
        if case.exchanges[at].identity.is_none() {
            continue;
        }
        ruling.occasion();
        if let Some(next) = case.attempts[at].next {
            let evidence = [case.sequence(at), case.sequence(next)];
            match case.exchanges[at].changed_in(&case.exchanges[next]) {
                None => {
                    let message = format!("{} was followed by a retry, which cannot help", advice.what);
                    ruling.fail(message, evidence);
                }
                // That may be just what the error asked for.
                Some(changed) => {
                    let what = &advice.what;
                    ruling.note(
                        format!("{what} was followed by the same conversation with {changed}"),
                        evidence,
                    );
                }
            }
        }
    }
}

fn waits(case: &Case, ruling: &mut Ruling) {
    for (at, advice) in case.advice.iter().enumerate() {
        let Some((wait_ms, next)) =
            advice.as_ref().and_then(|advice| advice.wait_ms.zip(case.attempts[at].next))
        else {
            continue;
        };
        // Whoever is told to wait may ask somebody else meanwhile.
        if case.exchanges[at].is_for_another(&case.exchanges[next]) {
            continue;
        }
        ruling.occasion();
        let over_ms = case.exchanges[at].ended_ms.unwrap_or(u64::MAX);
        let waited_ms = case.exchanges[next].arrived_ms.saturating_sub(over_ms);
        if waited_ms.saturating_add(GRACE_MS) < wait_ms {
            let message =
                format!("a retry came after {waited_ms} ms, and the answer said to wait {wait_ms} ms");
            ruling.fail(message, [case.sequence(at), case.sequence(next)]);
        }
    }
}

fn gives_up(case: &Case, ruling: &mut Ruling) {
    for (at, attempt) in case.attempts.iter().enumerate() {
        if attempt.number == 1 || attempt.next.is_some() {
            continue;
        }
        ruling.occasion();
        if attempt.number > ATTEMPTS_MAX {
            let mut tried = vec![case.sequence(at)];
            let mut before = attempt.before;
            while let Some(earlier) = before {
                tried.push(case.sequence(earlier));
                before = case.attempts[earlier].before;
            }
            ruling.fail(format!("a conversation was attempted {} times", attempt.number), tried);
        }
    }
}
