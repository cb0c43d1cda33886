//! Rules: what each says, and how it is judged.

use std::collections::{BTreeMap, BTreeSet};

use super::{Finding, RuleResult, Severity, case::Case};

/// The most requests that a finding names.
const EVIDENCE_MAX: usize = 20;

/// One rule.
#[derive(Debug)]
pub(super) struct Rule {
    pub(super) id: &'static str,
    /// What it asks for, for people.
    pub(super) says: &'static str,
    pub(super) judge: fn(&Case, &mut Ruling),
}

impl Rule {
    /// What the rule finds in a session.
    pub(super) fn apply(&self, case: &Case) -> (RuleResult, Vec<Finding>) {
        let mut ruling = Ruling::default();
        (self.judge)(case, &mut ruling);
        let finding = |((severity, message), evidence): (Said, BTreeSet<u64>)| Finding {
            rule: self.id.to_owned(),
            severity,
            message,
            evidence: evidence.into_iter().take(EVIDENCE_MAX).collect(),
        };
        let findings: Vec<Finding> = ruling.said.into_iter().zip(ruling.evidence).map(finding).collect();
        let result = RuleResult {
            rule: self.id.to_owned(),
            says: self.says.to_owned(),
            occasions: ruling.occasions,
            findings: findings.len(),
        };
        (result, findings)
    }
}

type Said = (Severity, String);

/// What a rule has come to. The same message said again adds its requests to the first one.
#[derive(Debug, Default)]
pub(super) struct Ruling {
    occasions: usize,
    said: Vec<Said>,
    evidence: Vec<BTreeSet<u64>>,
    places: BTreeMap<String, usize>,
}

impl Ruling {
    /// Here the rule can be kept or broken.
    pub(super) fn occasion(&mut self) {
        self.occasions += 1;
    }

    /// The rule is broken.
    pub(super) fn fail(&mut self, message: impl Into<String>, evidence: impl IntoIterator<Item = u64>) {
        self.say(Severity::Fail, message.into(), evidence);
    }

    /// Something is worth knowing.
    pub(super) fn note(&mut self, message: impl Into<String>, evidence: impl IntoIterator<Item = u64>) {
        self.say(Severity::Note, message.into(), evidence);
    }

    fn say(&mut self, severity: Severity, message: String, evidence: impl IntoIterator<Item = u64>) {
        let place = *self.places.entry(message.clone()).or_insert_with(|| {
            self.said.push((severity, message));
            self.evidence.push(BTreeSet::new());
            self.said.len() - 1
        });
        if let Some(requests) = self.evidence.get_mut(place) {
            requests.extend(evidence);
        }
    }
}
