//! What a verdict says.

use serde::{Deserialize, Serialize};

/// How a client behaved in one session, as far as its requests tell.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ClientVerdict {
    /// The session.
    pub session: String,
    /// The name of its script.
    pub script: String,
    /// The verdict.
    pub overall: Overall,
    /// How many requests asked the model for something.
    pub requests: usize,
    /// How many entries of the session are no longer in the journal. Nothing is found about them, and the verdict
    /// is `incomplete` then at best.
    pub dropped: u64,
    /// What was looked at, rule by rule, in the order of the table of rules.
    pub rules: Vec<RuleResult>,
    /// What was found, rule by rule in the same order.
    pub findings: Vec<Finding>,
}

/// The verdict in a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Overall {
    /// No rule was broken.
    Pass,
    /// Some rule was broken.
    Fail,
    /// No rule was broken by the requests that the journal still holds; others it has lost.
    Incomplete,
    /// The client never asked the model for anything, so nothing can be said about it.
    NothingAsked,
}

impl Overall {
    /// The word in JSON.
    pub fn word(self) -> &'static str {
        match self {
            Self::Pass => "pass",
            Self::Fail => "fail",
            Self::Incomplete => "incomplete",
            Self::NothingAsked => "nothing_asked",
        }
    }
}

/// One rule, and how often it was put to the test.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RuleResult {
    /// Its id.
    pub rule: String,
    /// What it asks for.
    pub says: String,
    /// How often the session gave occasion to keep it or to break it. A rule without occasion was not
    /// tested, which is no praise.
    pub occasions: usize,
    /// How many findings it has.
    pub findings: usize,
}

/// One thing that was found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Finding {
    /// The rule that it is about.
    pub rule: String,
    /// How much it matters.
    pub severity: Severity,
    /// What happened, for people.
    pub message: String,
    /// The requests that show it, by their sequence numbers, in order; the first twenty.
    pub evidence: Vec<u64>,
}

/// How much a finding matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Severity {
    /// The client did wrong.
    Fail,
    /// Worth knowing, and no fault.
    Note,
}

impl ClientVerdict {
    /// The findings of one rule.
    pub fn of<'a>(&'a self, rule: &'a str) -> impl Iterator<Item = &'a Finding> {
        self.findings.iter().filter(move |finding| finding.rule == rule)
    }
}
