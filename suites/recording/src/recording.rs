//! A recording, and how a judge finds its way in it.

use serde::{Deserialize, Serialize};

use crate::{
    Bodies, CaseLabel, Entry, Finding, FindingKind, Lane, Seen, Stop, TargetFacts, Verdict, View, What,
    Witness,
};

/// Everything that happened in one check.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Recording {
    /// The check.
    pub check: String,
    /// The token that the check plants in what it creates, so that it recognises its own on a shared target.
    pub token: String,
    /// What is known of the target.
    pub target: TargetFacts,
    /// What happened, in order.
    pub entries: Vec<Entry>,
    /// Bodies that the entries name.
    pub bodies: Bodies,
}

impl View for Recording {
    fn recording(&self) -> &Recording {
        self
    }

    fn case(&self) -> Option<&str> {
        None
    }
}

/// The entries of one case of a property check.
#[derive(Clone, Copy, Debug)]
pub struct CaseView<'a> {
    recording: &'a Recording,
    entry: usize,
    label: &'a CaseLabel,
}

impl<'a> CaseView<'a> {
    /// The name of the case and what is known of it.
    pub fn label(&self) -> &'a CaseLabel {
        self.label
    }

    /// The entry that opens the case.
    pub fn seen(&self) -> Seen<'a> {
        Seen::new(self.recording, self.entry)
    }
}

impl View for CaseView<'_> {
    fn recording(&self) -> &Recording {
        self.recording
    }

    fn case(&self) -> Option<&str> {
        Some(&self.label.case)
    }

    /// The entries of a case stand together from the one that opens it, so the many others are not looked at.
    fn all(&self) -> Vec<Seen<'_>> {
        let rest = self.recording.entries.iter().enumerate().skip(self.entry);
        let of_case = rest.take_while(|(_, each)| each.case.as_deref() == Some(&self.label.case));
        of_case.map(|(at, _)| Seen::new(self.recording, at)).collect()
    }
}

impl Recording {
    /// The cases of a property check, in order.
    pub fn cases(&self) -> impl Iterator<Item = CaseView<'_>> {
        self.entries.iter().enumerate().filter_map(|(entry, each)| match &each.what {
            What::Case(label) => Some(CaseView { recording: self, entry, label }),
            _ => None,
        })
    }

    /// The entry at position `entry`, looked at. Panics where there is none.
    pub fn at(&self, entry: usize) -> Seen<'_> {
        assert!(
            entry < self.entries.len(),
            "a recording of {} entries has no entry {entry}",
            self.entries.len()
        );
        Seen::new(self, entry)
    }

    /// Whether nothing is missing: the last entry is the end, and says how many came before it.
    pub fn is_whole(&self) -> bool {
        let before = self.entries.len().saturating_sub(1);
        matches!(self.entries.last().map(|last| &last.what), Some(What::End { entries }) if *entries == before)
    }

    /// What stopped the drive within `case` (`None`: outside every case), as a verdict.
    pub fn stopped(&self, case: Option<&str>) -> Option<Verdict> {
        let at = self
            .entries
            .iter()
            .position(|each| each.case.as_deref() == case && matches!(each.what, What::Stop(_)))?;
        let What::Stop(stop) = &self.entries[at].what else { return None };
        Some(match stop {
            Stop::Setup { step, expected } => {
                let label = &self.entries[at].label;
                let entry = self.entries[..at]
                    .iter()
                    .rposition(|each| &each.label == label && each.case.as_deref() == case);
                let seen = entry.map(|entry| Seen::new(self, entry));
                let answered = seen.is_none_or(|seen| seen.status().is_some());
                Verdict::Fail(Finding {
                    kind: if answered { FindingKind::Setup } else { FindingKind::NoAnswer },
                    message: format!("a step before the one under test did not succeed: {step}"),
                    expected: expected.clone(),
                    got: seen.map_or_else(|| "nothing".to_owned(), |seen| seen.summary()),
                    entry,
                    case: case.map(str::to_owned),
                    timeline: None,
                })
            }
            Stop::Unmet { means } => Verdict::Untested { reason: means.clone() },
            Stop::Inapplicable { reason, evidence } => Verdict::NotApplicable {
                reason: reason.clone(),
                evidence: self.entries.iter().rposition(|each| &each.label == evidence).map(Witness::of),
            },
            // In real time the suite's own pace counts too; noise is not held against a target.
            Stop::Budget { ms } if self.target.lane == Lane::Wall => {
                Verdict::Untested { reason: format!("the check did not end within its budget of {ms} ms") }
            }
            Stop::Budget { ms } => Verdict::Fail(Finding {
                kind: FindingKind::NoAnswer,
                message: "the check did not end within its budget".to_owned(),
                expected: format!("an end within {ms} ms"),
                got: self.entries[..at].last().map_or_else(
                    || "no exchange at all".to_owned(),
                    |last| format!("the last thing seen was `{}` at {} ms", last.label, last.at_ms),
                ),
                entry: at.checked_sub(1),
                case: case.map(str::to_owned),
                timeline: None,
            }),
            Stop::Broken { reason } => Verdict::Error { reason: reason.clone() },
        })
    }
}
