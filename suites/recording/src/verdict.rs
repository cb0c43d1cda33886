//! What a judge says.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::Timeline;

/// What became of a check, worst first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// The suite itself failed.
    Error,
    /// A MUST is broken.
    Fail,
    /// A check that was expected to fail passed.
    UnexpectedPass,
    /// A means to judge was missing.
    Untested,
    /// It failed, as the target's description says it would.
    ExpectedFail,
    /// A SHOULD is broken.
    Warn,
    /// It holds, and the witness shows it.
    Pass,
    /// The target does not claim what the check is about.
    NotApplicable,
}

impl Status {
    /// All statuses, worst first.
    pub const ALL: [Self; 8] = [
        Self::Error,
        Self::Fail,
        Self::UnexpectedPass,
        Self::Untested,
        Self::ExpectedFail,
        Self::Warn,
        Self::Pass,
        Self::NotApplicable,
    ];

    /// The word used in files and on the console.
    pub fn name(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::Fail => "fail",
            Self::UnexpectedPass => "unexpected_pass",
            Self::Untested => "untested",
            Self::ExpectedFail => "expected_fail",
            Self::Warn => "warn",
            Self::Pass => "pass",
            Self::NotApplicable => "not_applicable",
        }
    }
}

impl fmt::Display for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The entries of a recording that earned a pass. There is no empty witness.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Witness {
    entries: Vec<usize>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    note: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    timeline: Option<Timeline>,
}

impl Witness {
    pub(crate) fn of(entry: usize) -> Self {
        Self { entries: vec![entry], note: None, timeline: None }
    }

    /// This witness and another one.
    #[must_use]
    pub fn and(mut self, other: Self) -> Self {
        self.entries.extend(other.entries);
        self.entries.sort_unstable();
        self.entries.dedup();
        self.note = match (self.note, other.note) {
            (Some(one), Some(two)) if one != two => Some(format!("{one}; {two}")),
            (one, two) => one.or(two),
        };
        self.timeline = self.timeline.or(other.timeline);
        self
    }

    /// Joins witnesses; `None` when there are none, because nothing seen earns nothing.
    pub fn all(witnesses: impl IntoIterator<Item = Self>) -> Option<Self> {
        witnesses.into_iter().reduce(Self::and)
    }

    /// Adds a remark: which accepted alternative was taken, how many cases were judged.
    #[must_use]
    pub fn noting(mut self, note: impl Into<String>) -> Self {
        let note = note.into();
        self.note = Some(match self.note {
            Some(before) => format!("{before}; {note}"),
            None => note,
        });
        self
    }

    /// Adds who was at work when.
    #[must_use]
    pub fn showing(mut self, timeline: Timeline) -> Self {
        self.timeline = Some(timeline).filter(|timeline| !timeline.is_empty());
        self
    }

    /// Who was at work when, where the check is about that.
    pub fn timeline(&self) -> Option<&Timeline> {
        self.timeline.as_ref()
    }

    /// Positions of the entries in their recording, ascending.
    pub fn entries(&self) -> &[usize] {
        &self.entries
    }

    /// The remark.
    pub fn note(&self) -> Option<&str> {
        self.note.as_deref()
    }
}

/// What kind of shortcoming a finding is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FindingKind {
    /// The target answered, and the answer breaks the requirement.
    Violation,
    /// The target broke something before the requirement could be looked at.
    Setup,
    /// The target did not answer.
    NoAnswer,
}

/// Why a check is red.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Finding {
    /// What kind of shortcoming it is.
    pub kind: FindingKind,
    /// What is wrong, in fixed words: the same shortcoming always has the same message.
    pub message: String,
    /// What had to be seen.
    pub expected: String,
    /// What was seen.
    pub got: String,
    /// Position of the entry in its recording.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub entry: Option<usize>,
    /// The case of a property check that shows it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub case: Option<String>,
    /// Who was at work when, where the check is about that.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timeline: Option<Timeline>,
}

/// What a judge says of a recording.
///
/// A pass without evidence cannot be written: a [`Witness`] comes from an entry of a recording only.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// It holds.
    Pass(Witness),
    /// A SHOULD is broken.
    Warn(Finding),
    /// A MUST is broken.
    Fail(Finding),
    /// A means to judge was missing.
    Untested {
        /// Which, and how to offer it.
        reason: String,
    },
    /// The target does not claim, or does not have, what the check is about.
    NotApplicable {
        /// What.
        reason: String,
        /// The entries that show it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        evidence: Option<Witness>,
    },
    /// The suite itself failed.
    Error {
        /// How.
        reason: String,
    },
}

/// What a judge returns: `?` on a finding ends it red.
pub type Judged = Result<Witness, Verdict>;

impl From<Judged> for Verdict {
    fn from(judged: Judged) -> Self {
        judged.map_or_else(|verdict| verdict, Self::Pass)
    }
}

impl From<Finding> for Verdict {
    fn from(finding: Finding) -> Self {
        Self::Fail(finding)
    }
}

impl Finding {
    /// The same finding, with who was at work when.
    #[must_use]
    pub fn showing(mut self, timeline: Timeline) -> Self {
        self.timeline = Some(timeline).filter(|timeline| !timeline.is_empty());
        self
    }

    /// The same finding, as a warning.
    pub fn as_warning(self) -> Verdict {
        Verdict::Warn(self)
    }
}

impl Verdict {
    /// The status that the verdict gives its check.
    pub fn status(&self) -> Status {
        match self {
            Self::Pass(_) => Status::Pass,
            Self::Warn(_) => Status::Warn,
            Self::Fail(_) => Status::Fail,
            Self::Untested { .. } => Status::Untested,
            Self::NotApplicable { .. } => Status::NotApplicable,
            Self::Error { .. } => Status::Error,
        }
    }

    /// The finding of a red verdict.
    pub fn finding(&self) -> Option<&Finding> {
        match self {
            Self::Warn(finding) | Self::Fail(finding) => Some(finding),
            _ => None,
        }
    }

    /// Who was at work when, where the check is about that.
    pub fn timeline(&self) -> Option<&Timeline> {
        match self {
            Self::Pass(witness) => witness.timeline(),
            verdict => verdict.finding()?.timeline.as_ref(),
        }
    }

    /// The verdict in one line.
    pub fn reason(&self) -> Option<String> {
        match self {
            Self::Pass(witness) => witness.note().map(str::to_owned),
            Self::Warn(finding) | Self::Fail(finding) => Some(finding.message.clone()),
            Self::Untested { reason } | Self::NotApplicable { reason, .. } | Self::Error { reason } => {
                Some(reason.clone())
            }
        }
    }
}
