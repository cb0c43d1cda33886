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

use crate::{
    host::Host,
    state::{Mint, Story},
};

use case::Case;
use exchange::Exchange;
use rule::Rule;

pub use assertion::{AssertError, Unmet};
pub use expectations::{Expectations, RequestExpectation, Where};
pub use finding::{ClientVerdict, Finding, Overall, RuleResult, Severity};

/// Every rule, topic by topic.
const TOPICS: [&[Rule]; 5] = [retrying::RULES, endings::RULES, calls::RULES, history::RULES, played::RULES];

/// The most verdicts on sessions that are over that are kept.
const PAST_MAX: usize = 1000;

impl Host {
    /// The verdict on the client of a session, by what the journal holds now; `None` when no such session
    /// is loaded. Ask when the client is done: a retry that is yet to come has not come.
    pub fn verdict(&self, key: &str) -> Option<ClientVerdict> {
        let story = self.story(key)?;
        Some(verdict(key, &story, self.mint(), self.epoch_ms()))
    }

    /// Has every session judged when it ends, because it is dropped, reset or loaded afresh. That costs time, so
    /// nobody does it unasked.
    pub fn keep_past_verdicts(&self) {
        self.state().past.get_or_insert_default();
    }

    /// The verdicts on sessions that are over and whose client did wrong, the first thousand, in the order in which
    /// they ended; none unless [`Host::keep_past_verdicts`] was called before.
    pub fn past_verdicts(&self) -> Vec<ClientVerdict> {
        self.state().past.clone().unwrap_or_default()
    }

    /// Judges a session that is over, if that is wanted.
    pub(crate) fn judge_ended(&self, key: &str, story: Option<Story>) {
        let is_wanted = self.state().past.as_ref().is_some_and(|past| past.len() < PAST_MAX);
        let Some(story) = story.filter(|story| is_wanted && !story.records.is_empty()) else { return };
        let verdict = verdict(key, &story, self.mint(), self.epoch_ms());
        if verdict.overall == Overall::Fail
            && let Some(past) = &mut self.state().past
        {
            past.push(verdict);
        }
    }

    /// A session so far. Judging it takes a while, and nobody has to wait for that.
    fn story(&self, key: &str) -> Option<Story> {
        let mut state = self.state();
        let session = state.session(key).ok()?;
        let (script, played) = (session.script().clone(), session.played());
        let records = state.journal.of(key).cloned().collect();
        Some(Story { script, played, records, dropped: state.journal.dropped_of(key) })
    }

    /// When the clock of the host started, in milliseconds since 1970.
    fn epoch_ms(&self) -> i64 {
        self.started().as_millisecond()
    }
}

fn verdict(session: &str, story: &Story, mint: &Mint, epoch_ms: i64) -> ClientVerdict {
    let exchanges: Vec<Exchange> = story.records.iter().map(|record| Exchange::of(record, mint)).collect();
    let case = Case::new(story, exchanges, epoch_ms);
    let requests = case.exchanges.iter().filter(|exchange| exchange.asks()).count();
    let (mut rules, mut findings) = (Vec::new(), Vec::new());
    for rule in TOPICS.iter().copied().flatten() {
        let (result, found) = rule.apply(&case);
        rules.push(result);
        findings.extend(found);
    }
    let fails = findings.iter().any(|finding| finding.severity == Severity::Fail);
    let overall = match (requests, story.dropped) {
        _ if fails && (requests > 0 || story.dropped > 0) => Overall::Fail,
        (_, 1..) => Overall::Incomplete,
        (0, 0) => Overall::NothingAsked,
        (_, 0) => Overall::Pass,
    };
    ClientVerdict {
        session: session.to_owned(),
        script: story.script.name().to_owned(),
        overall,
        requests,
        dropped: story.dropped,
        rules,
        findings,
    }
}
