//! A verdict on a client: what its requests in one session say about how it behaves.
//!
//! It follows from the journal and the script alone. Each rule has a line in a table; each file of rules
//! holds those on one topic.

mod advice;
mod assertion;
mod calls;
mod case;
mod endings;
mod exchange;
mod expectations;
mod finding;
mod history;
mod played;
mod reached;
mod retrying;
mod rule;

use crate::{host::Host, journal::Record, script::Script, state::Mint};

use case::Case;
use exchange::Exchange;
use rule::Rule;

pub use assertion::{AssertError, Unmet};
pub use expectations::{Expectations, RequestExpectation, Where};
pub use finding::{ClientVerdict, Finding, Overall, RuleResult, Severity};

/// Every rule, topic by topic.
const TOPICS: [&[Rule]; 5] = [retrying::RULES, endings::RULES, calls::RULES, history::RULES, played::RULES];

impl Host {
    /// The verdict on the client of a session, by what the journal holds now; `None` when no such session
    /// is loaded. Ask when the client is done: a retry that is yet to come has not come.
    pub fn verdict(&self, key: &str) -> Option<ClientVerdict> {
        let (script, records, dropped) = self.snapshot(key)?;
        Some(verdict(key, &script, &records, dropped, self.mint(), self.epoch_ms()))
    }

    /// The script of a session, copies of its records, and how many are lost. Judging them takes a while,
    /// and nobody has to wait for that.
    fn snapshot(&self, key: &str) -> Option<(Script, Vec<Record>, u64)> {
        let mut state = self.state();
        let script = state.session(key).ok()?.script().clone();
        Some((script, state.journal.of(key).cloned().collect(), state.journal.dropped_of(key)))
    }

    /// When the clock of the host started, in milliseconds since 1970.
    fn epoch_ms(&self) -> i64 {
        let elapsed = i64::try_from(self.clock().elapsed_ms()).unwrap_or(i64::MAX);
        self.clock().now().as_millisecond().saturating_sub(elapsed)
    }
}

fn verdict(
    session: &str,
    script: &Script,
    records: &[Record],
    dropped: u64,
    mint: &Mint,
    epoch_ms: i64,
) -> ClientVerdict {
    let exchanges: Vec<Exchange> = records.iter().map(|record| Exchange::of(record, mint)).collect();
    let case = Case::new(script.clone(), exchanges, dropped, epoch_ms);
    let requests = case.exchanges.iter().filter(|exchange| exchange.asks()).count();
    let (mut rules, mut findings) = (Vec::new(), Vec::new());
    for rule in TOPICS.iter().copied().flatten() {
        let (result, found) = rule.apply(&case);
        rules.push(result);
        findings.extend(found);
    }
    let fails = findings.iter().any(|finding| finding.severity == Severity::Fail);
    let overall = match (requests, fails) {
        (0, _) if dropped == 0 => Overall::NothingAsked,
        (_, true) => Overall::Fail,
        (_, false) => Overall::Pass,
    };
    ClientVerdict {
        session: session.to_owned(),
        script: script.name().to_owned(),
        overall,
        requests,
        dropped,
        rules,
        findings,
    }
}
